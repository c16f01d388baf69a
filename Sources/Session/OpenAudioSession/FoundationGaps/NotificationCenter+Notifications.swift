internal import Dispatch
public import Foundation
private import Synchronization

// What Foundation has on Apple's platforms and lacks on Linux (swift-corelibs-foundation of Swift 6.3).
extension NotificationCenter {
    /// The notifications of one name, as a sequence for `for await`.
    ///
    /// Notifications are collected from this call on. In a test with a simulated machine of its own, those of other machines
    /// are left out.
    ///
    /// Disfavoured, so that code still compiles without ambiguity when Foundation adds its own function.
    ///
    /// Source: Apple documentation, "notifications(named:object:)".
    ///
    /// - Parameter object: only notifications of this object; nil is any object.
    @_disfavoredOverload
    @preconcurrency
    public func notifications(named name: Notification.Name, object: (any AnyObject & Sendable)? = nil)
        -> Notifications
    {
        Notifications(center: self, name: name, object: object)
    }

    /// The notifications of one name, in the order in which they were posted.
    ///
    /// Each iterator receives every notification that is posted after its creation. The first iterator also receives
    /// those posted since the creation of the sequence. None is dropped, also for a slow consumer: Apple's sequence
    /// keeps a few and silently drops the others, but a missing route change breaks the chain of previous routes.
    /// Therefore a consumer that stops reading must release its iterator or be cancelled.
    ///
    /// The observer is removed when the iterating task is cancelled (the sequence then ends), or when the iterator, or
    /// a sequence that was never iterated, is released.
    public final class Notifications: AsyncSequence, Sendable {
        public typealias Element = Notification
        public typealias Failure = Never

        private let makeStream: @Sendable () -> AsyncStream<PostedNotification>
        /// Made with the sequence, until the first iterator takes it.
        private let first: Mutex<AsyncStream<PostedNotification>?>

        init(center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?) {
            let scope = ObserverScope(object: object)
            makeStream = { AsyncStream { center.observe(name, object, in: scope, with: $0) } }
            first = Mutex(makeStream())
        }

        public func makeAsyncIterator() -> Iterator {
            let stream = first.withLock { $0.take() } ?? makeStream()
            return Iterator(iterator: stream.makeAsyncIterator())
        }

        /// Receives the notifications in order; its release removes the observer.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var iterator: AsyncStream<PostedNotification>.Iterator

            /// The next notification; nil after the task is cancelled.
            public mutating func next() async -> Notification? {
                await next(isolation: nil)
            }

            /// The next notification; nil after the task is cancelled.
            ///
            /// `Notification` is not Sendable: it stays in the caller's isolation, so that a loop on an actor compiles
            /// in the Swift 6 language mode.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                let posted = await iterator.next(isolation: actor)
                // The stream still gives what it has collected before the cancellation.
                return Task.isCancelled ? nil : posted?.notification
            }
        }
    }
}

/// An iterator stays with the task that made it.
@available(*, unavailable)
extension NotificationCenter.Notifications.Iterator: Sendable {}

extension NotificationCenter {
    /// Posts into the stream until it ends.
    ///
    /// The center releases an observer's block while it holds its lock. If that block is the last owner of a sequence, or
    /// of a task that iterates one, the stream ends inside the lock. A removal of our observer there traps ("recursive call
    /// to lock Mutex", NotificationCenter of swift-foundation, Swift 6.3.1), so another thread removes it. That thread
    /// also releases the collected notifications after the removal: objects in them may remove observers of their own.
    fileprivate func observe(
        _ name: Notification.Name, _ object: (any AnyObject & Sendable)?, in scope: ObserverScope,
        with continuation: AsyncStream<PostedNotification>.Continuation
    ) {
        // The center's token for an observer is immutable, and only the center reads it.
        nonisolated(unsafe) let observer = addObserver(forName: Optional(name), object: object, queue: nil) {
            if scope.includes($0) { continuation.yield(PostedNotification(notification: $0)) }
        }
        continuation.onTermination = { _ in
            DispatchQueue.global(qos: .utility).async {
                self.removeObserver(observer)
                withExtendedLifetime(continuation) {}
            }
        }
    }
}

/// A notification on its way from the thread that posted it to the task that iterates.
///
/// `@unchecked Sendable`: as in Foundation's own `addObserver(forName:object:queue:using:)`, which passes notifications to
/// another queue, the poster must make `userInfo` fit for that; nothing here reads it.
private struct PostedNotification: @unchecked Sendable { let notification: Notification }
