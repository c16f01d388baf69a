import AudioModel
internal import Dispatch
internal import Foundation
internal import Synchronization
package import Threading

/// Runs what it is given on the main thread, one piece after the other, and keeps it until then.
///
/// Producers: any thread; they never wait. Consumer: the main thread, when it serves its queue, or when it calls
/// `drain`. In a program whose main thread does neither, nothing is ever run.
///
/// The main thread is whatever runs `DispatchQueue.main` and `MainActor`. In a program with an async `main`, that is not
/// the thread the program began on: on Linux `dispatchMain`, which stands behind it, ends that one.
package final class MainThreadDelivery: Sendable {
    /// An app's handlers for the main queue, for which the thread that posts waits: `NoticeQueue.drain` runs them too, as it
    /// would wait for ever otherwise.
    package static let handlers = MainThreadDelivery(isOurs: false)

    package let queue = SerialQueue<DeliveryThread.Work>()
    /// False where the thread that posts waits for what is run.
    private let isOurs: Bool
    /// The operations of our lists that wait for the main thread.
    private static let operationCount = Atomic<Int>(0)

    /// Whether `OperationQueue.main` has operations of others: of the app, or of an observer with `queue: .main`, for which
    /// the thread that posts waits.
    ///
    /// The main thread, outside of the lists.
    static var othersWait: Bool { OperationQueue.main.operationCount > operationCount.load(ordering: .acquiring) }

    init(isOurs: Bool = true) { self.isOurs = isOurs }

    /// Dropped once the list is closed.
    package func enqueue(_ work: @escaping DeliveryThread.Work) {
        queue.put(work) {
            // Not DispatchQueue.main.async: an observer with `queue: .main` is run on the spot only where
            // OperationQueue.current is the main one. Elsewhere, on the main queue of a program with an async main for
            // one, the center would wait for an operation behind the block that waits (Foundation of Swift 6.3.1).
            if isOurs { Self.operationCount.add(1, ordering: .acquiringAndReleasing) }
            OperationQueue.main.addOperation {
                if self.isOurs { Self.operationCount.subtract(1, ordering: .acquiringAndReleasing) }
                self.runAll()
            }
        }
    }

    /// Takes no more; what is in the list is still run.
    ///
    /// Idempotent.
    func close() { queue.close() }

    /// The caller is called by a piece of work.
    var isCurrent: Bool { queue.busyThread == .current }

    func isAtRest(withinSeconds seconds: Double) -> Bool { queue.waitUntilAtRest(atMostSeconds: seconds) }

    /// Main thread.
    ///
    /// Where an observer that `drain` called runs the main run loop, this comes again inside of itself; what is left is
    /// for the outer call then, which goes on when that observer returns.
    package func runAll() {
        guard queue.busyThread == nil else { return }
        while let work = queue.takeFirst() { work() }
    }
}

/// The thread that serves `DispatchQueue.main`.
package enum MainThread {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    /// `Thread.isMainThread` alone is false on the main queue of a program with an async `main`.
    package static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) != nil }
}
