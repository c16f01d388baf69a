internal import Dispatch
internal import Foundation
internal import Synchronization

/// A notification on its way from the thread that posted it to the task that iterates.
///
/// `@unchecked Sendable`: as with Foundation's own `addObserver(forName:object:queue:using:)`, which hands a notification
/// to another queue, what is in `userInfo` must be fit for that; nothing here touches it.
struct PostedNotification: @unchecked Sendable {
    let notification: Notification
}

/// An observer of a notification center and what it has received; the observer goes when this object does.
final class NotificationSubscription: Sendable {
    private let center: NotificationCenter
    private let token: ObserverToken
    private let inbox = NotificationInbox()

    init(center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?) {
        self.center = center
        // The center keeps the block: it must hold the inbox and not self, or self would never be let go.
        let inbox = inbox
        token = ObserverToken(
            center.addObserver(forName: name, object: object, queue: nil) { notification in
                inbox.receive(PostedNotification(notification: notification))
            })
    }

    deinit { end() }

    func next(isolation actor: isolated (any Actor)?) async -> PostedNotification? {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { inbox.take(with: $0) }
        } onCancel: {
            end()
        }
    }

    /// Nothing is collected once this has returned; the center forgets the observer soon after.
    ///
    /// The center releases an observer's block while it holds its lock. Where that block is the last owner of a sequence,
    /// or of a task that iterates one, this runs inside the lock, and to remove our observer here would trap ("recursive
    /// call to lock Mutex", NotificationCenter of swift-foundation, Swift 6.3.1). So the removal is left to another thread.
    /// What was collected goes there too: the objects in it may remove observers of their own as they go.
    private func end() {
        let abandoned = inbox.finish()
        DispatchQueue.global(qos: .utility).async { [center, token] in
            center.removeObserver(token.observer)
            withExtendedLifetime(abandoned) {}
        }
    }
}

/// `@unchecked Sendable`: the center's token for an observer is opaque and immutable; only the center looks into it.
private struct ObserverToken: @unchecked Sendable {
    let observer: any NSObjectProtocol
    init(_ observer: any NSObjectProtocol) { self.observer = observer }
}

/// What was posted and not yet taken.
///
/// Producers: threads that post. Consumer: the iterating task. Without a limit.
private final class NotificationInbox: Sendable {
    typealias Waiter = CheckedContinuation<PostedNotification?, Never>

    private struct State {
        var posted: [PostedNotification] = []
        /// None while `posted` holds any; more than one only if an iterator was copied.
        var waiters: [Waiter] = []
        var isFinished = false
    }

    private let state = Mutex(State())

    func receive(_ notification: PostedNotification) {
        let waiter: Waiter? = state.withLock { state in
            guard !state.isFinished else { return nil }
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.posted.append(notification)
            return nil
        }
        // Resumed outside the lock: the task may run, and ask for the next, at once.
        waiter?.resume(returning: notification)
    }

    func take(with waiter: Waiter) {
        let answer: PostedNotification?? = state.withLock { state in
            if state.isFinished { return .some(nil) }
            if !state.posted.isEmpty { return state.posted.removeFirst() }
            state.waiters.append(waiter)
            return nil
        }
        if let answer { waiter.resume(returning: answer) }
    }

    /// Ends the sequence and returns what was never taken, to be let go of where no lock is held.
    func finish() -> [PostedNotification] {
        let abandoned = state.withLock { state in
            defer { state = State(isFinished: true) }
            return state
        }
        for waiter in abandoned.waiters { waiter.resume(returning: nil) }
        return abandoned.posted
    }
}

/// The subscription that a sequence opened when it was made, until its first iterator takes it over.
final class FirstSubscription: Sendable {
    private let subscription: Mutex<NotificationSubscription?>

    init(_ subscription: NotificationSubscription) { self.subscription = Mutex(subscription) }

    func take() -> NotificationSubscription? {
        subscription.withLock { held in
            defer { held = nil }
            return held
        }
    }
}
