internal import Dispatch
internal import Foundation
package import HostInterface
package import Threading

/// How the work beside a host's streams is driven: reading ahead, writing captured frames, waiting for a fade.
///
/// The composition root takes it from the host; nothing else asks whether a host's time is virtual.
package enum RuntimeClock: Hashable, Sendable {
    /// Time passes by itself: the work runs on threads of its own.
    case real
    /// Time moves only when a test or a demo advances it: the host calls the work before each cycle
    /// (`StreamConfiguration.beforeVirtualCycle`), on the thread that advances time.
    case virtual

    package init(_ host: any AudioHost) { self = host.hasVirtualTime ? .virtual : .real }

    /// Lets a thread of the worker's run `work` from now on; in virtual time the host calls it.
    package func start(_ worker: ReaderThread, _ work: @escaping @Sendable () -> ReaderThread.Next) {
        switch self {
        case .real: worker.start(work)
        case .virtual: break
        }
    }

    /// Handles what is there already.
    ///
    /// In virtual time no further cycle may come, so `work` runs here and now; in real time the worker does it soon.
    package func catchUp(_ worker: ReaderThread, _ work: () -> Void) {
        switch self {
        case .real: worker.wake()
        case .virtual: work()
        }
    }

    /// Waits until a fade has ended (at most 0.2 s) and has left the machine (at most 0.1 s more).
    ///
    /// Application threads. In virtual time it returns at once: only the caller advances time.
    ///
    /// - Parameter noteFade: raises `end` where the fade is over; called every 10 ms.
    package func waitForFade(_ end: Latch, latencySeconds: Double, noteFade: () -> Void) {
        guard self == .real else { return }
        for _ in 0..<20 where !end.wait(timeoutSeconds: 0.01) { noteFade() }
        guard end.wait(timeoutSeconds: 0) else { return }
        Thread.sleep(forTimeInterval: min(latencySeconds, 0.1))
    }
}

extension SessionRuntime {
    /// Runs work that may wait for a disk or a program, which neither the session thread nor a caller must.
    ///
    /// Any thread. Where only a test moves time it runs here and now: the test sees the result without waiting.
    package func runElsewhere(_ work: @escaping @Sendable () -> Void) {
        if host.timePassesByItself {
            DispatchQueue.global(qos: .userInitiated).async(execute: work)
        } else {
            work()
        }
    }
}
