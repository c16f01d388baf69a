internal import AudioModel
package import SessionRuntime
internal import Synchronization
internal import Threading

// Waiting until a session, and the threads that call its observers, have nothing left to do. Tests, scenes and programs that
// advance virtual time wait for that; an app does not.

extension SessionRuntime {
    /// Nothing waits for the session thread, the poster thread, the main thread and those that hold time, and nothing runs
    /// there.
    package var isAtRest: Bool {
        // The one hands work to the other, perhaps behind this look.
        let putCount = mailbox.putCount + notices.putCount
        return mailbox.isAtRest && notices.isAtRest && mailbox.putCount + notices.putCount == putCount
    }

    /// Waits until every event so far, and what the host has answered to it at once, has been applied, and every
    /// notification of it has been delivered; on the main thread it delivers what waits for that.
    ///
    /// Never on the session thread nor in an observer; see `NoticeQueue.drain` for the main thread.
    package func drain() {
        // One message leads to the next, and so do observers and the threads that `NoticeQueue` includes: until a round
        // in which there was none.
        while true {
            // Where nothing waits before, and nothing has come meanwhile, no observer can have sent a message.
            let restingCount = notices.restingCount
            // Nothing is on its way at all: no thread has to be waited for.
            if restingCount != nil, mailbox.isAtRest, restingCount == notices.restingCount { return }
            guard let before = synchronously({ $0.messageCount }) else { break }
            if let restingCount, restingCount == notices.restingCount { return }
            notices.drain()
            guard let after = synchronously({ $0.messageCount }), after > before + 1 else { return }
        }
        notices.drain()
    }
}

extension NoticeQueue {
    /// Nothing is queued and nothing runs for the poster thread and the main thread, and for threads that hold time.
    fileprivate var isAtRest: Bool {
        thread.queue.isAtRest && mainThread.queue.isAtRest && threadsThatHoldTime.allSatisfy(\.queue.isAtRest)
    }

    /// How many pieces were ever queued for these threads.
    fileprivate var putCount: UInt64 {
        threadsThatHoldTime.reduce(thread.queue.putCount + mainThread.queue.putCount) { $0 + $1.queue.putCount }
    }

    private var threadsThatHoldTime: [DeliveryThread] { timedThreads.withLock { $0.compactMap(\.object) } }

    /// How many pieces of work there ever were, where nothing is queued and nothing runs; nil where something does, and
    /// where further threads are included, whose work is not counted.
    ///
    /// Any thread.
    fileprivate var restingCount: UInt64? {
        let posted = count.load(ordering: .acquiring)
        return isAtRest && callbackThreads.withLock { $0.allSatisfy { $0.object == nil } } ? posted : nil
    }

    /// Waits until nothing is queued and no observer is running, on either thread; what waits for the main thread is
    /// delivered by this call if that is the main thread's.
    ///
    /// Application threads and the main thread. An observer must not call this: it would wait for itself (a precondition
    /// checks it). The main thread also runs the handlers for it (`MainThreadDelivery.handlers`). From another thread it returns only if
    /// the main thread serves its queue.
    package func drain() {
        // An observer on one thread may cause notices for the other: until a round in which there was none.
        var drained: UInt64
        var hadCallbacks: Bool
        repeat {
            drained = count.load(ordering: .acquiring)
            drainPoster()
            mainThread.drain { mainThreadHangs.load(ordering: .acquiring) }
            hadCallbacks = drainCallbacks()
        } while hadCallbacks || count.load(ordering: .acquiring) != drained
    }

    private func drainPoster() {
        guard MainThread.isCurrent else { return thread.drain() }
        while thread.drain(atMostSeconds: 0.001) == .timedOut { MainThreadDelivery.handlers.runAll() }
    }

    /// A closure that waits for the caller of `drain` would wait for ever.
    private static let callbackSeconds = 10.0

    /// Whether there was anything to wait for, and it has ended.
    private func drainCallbacks() -> Bool {
        let threads = callbackThreads.withLock { $0.compactMap(\.object) }
        return threads.count { $0.drain(atMostSeconds: Self.callbackSeconds) == .delivered } > 0
    }
}

extension MainThreadDelivery {
    /// Waits until nothing is left to run; on the main thread, runs it here and now.
    ///
    /// - Parameter hangs: the main thread waits for the caller: what is left to run waits on.
    fileprivate func drain(unless hangs: () -> Bool) {
        guard MainThread.isCurrent else {
            while !hangs(), !queue.waitUntilAtRest(atMostSeconds: 0.01) {}
            return
        }
        programmerError(
            unless: queue.busyThread == nil,
            "settle() was called in an observer on the main thread, which it would wait for: call it outside of observers"
        )
        // A nested run loop would not do: it serves no queue whose block is running.
        runAll()
    }
}
