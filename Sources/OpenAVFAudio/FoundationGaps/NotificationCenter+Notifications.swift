public import Foundation

// What Foundation has on Apple's platforms and lacks on Linux (swift-corelibs-foundation of Swift 6.3).
extension NotificationCenter {
    /// The notifications of one name, as a sequence for `for await`.
    ///
    /// Notifications are collected from this call on.
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

        private let makeSubscription: @Sendable () -> NotificationSubscription
        private let first: FirstSubscription

        init(center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?) {
            makeSubscription = { NotificationSubscription(center: center, name: name, object: object) }
            first = FirstSubscription(makeSubscription())
        }

        public func makeAsyncIterator() -> Iterator {
            Iterator(subscription: first.take() ?? makeSubscription())
        }

        public struct Iterator: AsyncIteratorProtocol {
            private let subscription: NotificationSubscription

            init(subscription: NotificationSubscription) { self.subscription = subscription }

            /// The next notification; nil after the task is cancelled.
            public mutating func next() async -> Notification? {
                await subscription.next(isolation: nil)?.notification
            }

            /// The next notification; nil after the task is cancelled.
            ///
            /// `Notification` is not Sendable: it stays in the caller's isolation, so that a loop on an actor compiles
            /// in the Swift 6 language mode.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                await subscription.next(isolation: actor)?.notification
            }
        }
    }
}

/// Iterators hold a subscription that another thread posts to: they stay with the task that made them.
@available(*, unavailable)
extension NotificationCenter.Notifications.Iterator: Sendable {}
