internal import Foundation

/// Runs what it is given on the main thread, one piece after the other, and keeps it until then.
///
/// Producers: any thread; they never wait. Consumer: the main thread, when it serves its queue, or when it calls
/// `drain`. The list has no limit. In a program whose main thread does neither, nothing is ever run.
///
/// The main thread is whatever runs `DispatchQueue.main` and `MainActor`. In a program with an async `main`, that is not
/// the thread the program began on: on Linux `dispatchMain`, which stands behind it, ends that one.
///
/// `@unchecked Sendable`: every `var` is read and written under `condition` only.
final class MainThreadDelivery: @unchecked Sendable {
    typealias Work = @Sendable () -> Void

    private let condition = NSCondition()
    private var queue: [Work] = []
    private var isScheduled = false
    private var isDelivering = false
    private var isClosed = false

    /// Dropped once the list is closed.
    func enqueue(_ work: @escaping Work) {
        let mustSchedule = condition.withLock {
            guard !isClosed else { return false }
            queue.append(work)
            defer { isScheduled = true }
            return !isScheduled
        }
        guard mustSchedule else { return }
        // Not DispatchQueue.main.async: an observer with `queue: .main` is run on the spot only where
        // OperationQueue.current is the main one. Elsewhere, on the main queue of a program with an async main for
        // one, the center would wait for an operation behind the block that waits (Foundation of Swift 6.3.1).
        OperationQueue.main.addOperation { self.runAll() }
    }

    /// Takes no more; what is in the list is still run.
    ///
    /// Idempotent.
    func close() { condition.withLock { isClosed = true } }

    /// Waits until nothing is left to run; on the main thread, runs it here and now.
    func drain() {
        guard MainThread.isCurrent else {
            return condition.withLock { while !queue.isEmpty || isDelivering { condition.wait() } }
        }
        let isInObserver = condition.withLock { isDelivering }
        precondition(
            !isInObserver,
            "settle() was called in an observer on the main thread, which it would wait for: call it outside of observers"
        )
        // A nested run loop would not do: it serves no queue whose block is running.
        runAll()
    }

    /// Main thread.
    ///
    /// Where an observer that `drain` called runs the main run loop, this comes again inside of itself; what is left is
    /// for the outer call then, which goes on when that observer returns.
    private func runAll() {
        let isOutermost = condition.withLock {
            isScheduled = false
            return !isDelivering
        }
        guard isOutermost else { return }
        while let work = next() { work() }
    }

    /// Nil once the list is empty.
    private func next() -> Work? {
        condition.withLock {
            isDelivering = !queue.isEmpty
            guard isDelivering else {
                condition.broadcast()
                return nil
            }
            return queue.removeFirst()
        }
    }
}
