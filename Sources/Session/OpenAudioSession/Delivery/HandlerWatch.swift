internal import Dispatch
internal import Foundation
internal import SessionRuntime
internal import Synchronization
internal import Threading

/// Finds out whether a handler of a notification drops the last reference to the object of it, in strict tests.
///
/// The main queue waits until the handlers have returned, so that what they leave to it comes after them. Where it waited too
/// long, as for a handler that waits for it, nothing is said. Poster thread.
final class HandlerWatch: Sendable {
    @TaskLocal static var current: HandlerWatch?

    /// Longer than handlers take; no handler may wait for the main queue for ever.
    private static let mostSeconds = 0.2
    private let returned = Mutex(Latch())
    private let isDisturbed = Atomic(false)

    /// Returns whether nobody else has a reference any more after `post`, which calls the handlers.
    static func isReleased(_ subject: WeakBox<AnyObject>, during post: (AnyObject) -> Void) -> Bool {
        guard var object = subject.object else { return false }
        let wasKept = !isKnownUniquelyReferenced(&object)
        let watch = HandlerWatch()
        let latch = watch.returned.withLock { $0 }
        DispatchQueue.main.async { watch.wait(for: latch) }
        $current.withValue(watch) { post(object) }
        defer { watch.returned.withLock { $0 }.raise() }
        return wasKept && isKnownUniquelyReferenced(&object) && !watch.isDisturbed.load(ordering: .acquiring)
    }

    /// Runs a handler on the main queue, which then waits again, and waits for it.
    func run(_ handler: @escaping @Sendable () -> Void) {
        let (isDone, next) = (Latch(), Latch())
        let before = returned.withLock { latch in
            defer { latch = next }
            return latch
        }
        before.raise()
        OperationQueue.main.addOperation {
            handler()
            isDone.raise()
            self.wait(for: next)
        }
        isDone.wait()
    }

    private func wait(for latch: Latch) {
        if !latch.wait(timeoutSeconds: Self.mostSeconds) { isDisturbed.store(true, ordering: .releasing) }
    }
}
