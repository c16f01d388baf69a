internal import Dispatch
internal import OpenAudioSession
internal import SessionRuntime
internal import Synchronization
internal import Threading

/// Finds out whether a handler of a notification drops the last reference to the object of it, in strict tests.
///
/// The main queue waits until the handlers have returned, so that what they leave to it comes after them. Where it waited too
/// long, as for a handler that waits for it, nothing is said. Poster thread.
final class HandlerWatch: Sendable {
    /// Longer than handlers take; none may wait for the main queue for ever.
    private static let mostSeconds = 1.0
    private let returned = Mutex(Latch())
    private let isDisturbed = Atomic(false)

    /// Whether no reference is left when `post`, which calls the handlers, has returned.
    static func isReleased(_ subject: WeakBox<AnyObject>, during post: (AnyObject) -> Void) -> Bool {
        let watch = HandlerWatch()
        let latch = watch.returned.withLock { $0 }
        DispatchQueue.main.async { watch.wait(for: latch) }
        defer { watch.returned.withLock { $0 }.raise() }
        var isCertain = false
        if let object = subject.object {
            NotificationPoster.$runOnMainQueue.withValue({ watch.run($0) }) { post(object) }
            isCertain = !watch.isDisturbed.load(ordering: .acquiring)
        }
        // The count of references would say nothing: it is not told of objects with weak ones.
        return subject.object == nil && isCertain
    }

    /// Runs a handler on the main queue, which then waits again, and waits for it.
    private func run(_ handler: @escaping @Sendable () -> Void) {
        let (isDone, next) = (Latch(), Latch())
        var before = next
        returned.withLock { swap(&$0, &before) }
        before.raise()
        let handler = Handler(body: handler)
        MainThreadDelivery.handlers.enqueue {
            handler.run()
            isDone.raise()
            self.wait(for: next)
        }
        isDone.wait()
    }

    /// Lets go of a handler, and so of its notification, when it has run.
    ///
    /// `@unchecked`: the main thread alone uses it.
    private final class Handler: @unchecked Sendable {
        private var body: (() -> Void)?

        init(body: @escaping () -> Void) { self.body = body }

        func run() {
            body?()
            body = nil
        }
    }

    private func wait(for latch: Latch) {
        if !latch.wait(timeoutSeconds: Self.mostSeconds) { isDisturbed.store(true, ordering: .releasing) }
    }
}

extension AVAudioSession {
    /// The session of a simulated app, whose handlers are watched in strict tests.
    convenience init(watched runtime: SessionRuntime) {
        self.init(runtime: runtime, stopWatch: HandlerWatch.isReleased)
    }
}
