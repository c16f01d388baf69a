internal import Foundation

/// A thread that runs what it is given, one piece after the other, and its queue.
///
/// Producers: any thread. Consumer: the thread itself. The queue has no limit: who feeds it without end, as taps do, keeps
/// one (`BlockCalls`). The thread starts with the first piece, so that a process without notices has none, and keeps
/// the queue alive by itself.
///
/// `@unchecked Sendable`: every `var` is read and written under `condition` only.
package final class DeliveryThread: @unchecked Sendable {
    package typealias Work = @Sendable () -> Void

    private let name: String
    private let condition = NSCondition()
    private var queue: [Work] = []
    private var isDelivering = false
    private var isClosed = false
    private var thread: Thread?

    /// - Parameter name: at most 15 characters; Linux shows no more.
    package init(name: String) { self.name = name }

    /// Dropped once the queue is closed.
    package func enqueue(_ work: @escaping Work) {
        condition.withLock {
            guard !isClosed else { return }
            queue.append(work)
            if thread == nil { startThread() }
            condition.broadcast()
        }
    }

    /// Runs what is queued, then ends the thread.
    ///
    /// Does not wait. Idempotent.
    package func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }

    /// Waits until nothing is queued and nothing runs.
    func drain() {
        condition.withLock {
            precondition(
                Thread.current !== thread,
                "settle() was called on the poster thread, which it would wait for: call it outside of observers")
            while !queue.isEmpty || isDelivering { condition.wait() }
        }
    }

    /// What came of waiting.
    package enum DrainResult {
        /// There was nothing to wait for.
        case idle
        /// All that there was has run.
        case delivered
        /// Something is queued or runs still; it may be waiting for the caller.
        case timedOut
    }

    /// Waits until nothing is queued and nothing runs, at most so long; not at all on the thread itself.
    package func drain(atMostSeconds seconds: Double) -> DrainResult {
        let deadline = Date(timeIntervalSinceNow: seconds)
        return condition.withLock {
            guard Thread.current !== thread, !queue.isEmpty || isDelivering else { return .idle }
            while !queue.isEmpty || isDelivering {
                guard condition.wait(until: deadline) else { return .timedOut }
            }
            return .delivered
        }
    }

    private func startThread() {
        let thread = Thread { while let work = self.next() { work() } }
        thread.name = name
        self.thread = thread
        thread.start()
    }

    /// Waits for the next piece; nil once the queue is closed and empty.
    private func next() -> Work? {
        condition.withLock {
            isDelivering = false
            condition.broadcast()
            while queue.isEmpty && !isClosed { condition.wait() }
            guard !queue.isEmpty else {
                // The thread has this object, and goes with it.
                thread = nil
                return nil
            }
            isDelivering = true
            return queue.removeFirst()
        }
    }
}
