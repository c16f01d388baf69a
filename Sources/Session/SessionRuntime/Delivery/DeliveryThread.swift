import AudioModel
internal import Foundation
internal import Synchronization
package import Threading

/// A thread that runs what it is given, one piece after the other, and its queue.
///
/// Producers: any thread. The thread starts with the first piece, so that a process without notices has none, and keeps
/// the queue alive by itself.
package final class DeliveryThread: Sendable {
    package typealias Work = @Sendable () -> Void

    private let name: String
    package let queue = SerialQueue<Work>()
    private let isStarted = Atomic<Bool>(false)

    /// - Parameter name: at most 15 characters; Linux shows no more.
    package init(name: String) { self.name = name }

    /// Dropped once the queue is closed.
    package func enqueue(_ work: @escaping Work) {
        queue.put(work) {
            guard !isStarted.exchange(true, ordering: .relaxed) else { return }
            let thread = Thread { while let work = self.queue.next() { work() } }
            thread.name = name
            thread.start()
        }
    }

    /// Runs what is queued, then ends the thread.
    ///
    /// Does not wait. Idempotent.
    package func close() { queue.close() }

    /// The caller is called by a piece of work.
    var isCurrent: Bool { queue.busyThread == .current }

    /// Waits until nothing is queued and nothing runs.
    package func drain() {
        programmerError(
            unless: !isCurrent,
            "settle() was called on the poster thread, which it would wait for: call it outside of observers")
        queue.waitUntilAtRest()
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
        if isCurrent || queue.isAtRest { return .idle }
        return queue.waitUntilAtRest(atMostSeconds: seconds) ? .delivered : .timedOut
    }
}
