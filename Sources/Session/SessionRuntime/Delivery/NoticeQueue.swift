import AudioModel
internal import Foundation
package import SessionCore
package import Synchronization

/// Delivers a session's notices, each kind on the thread where Apple's documentation says and in machine order.
///
/// - **Route and available inputs**: on a thread of the queue's own, the poster thread.
/// - **All others**: on the main thread, that is on `OperationQueue.main`. Neither thread waits for the other: across the
///   two no order is promised.
///
/// An observer may wait for the main thread, and may call back into the session. The session thread therefore only
/// enqueues here and never waits.
///
/// Neither list has a limit: a dropped route change would break the chain of previous routes, and people cause the
/// events, not the render thread.
package final class NoticeQueue: Sendable {
    enum Destination { case poster, main }

    /// The route change that is being delivered to the calling observer; nil outside of one.
    ///
    /// `currentRoute` is the newest route, which may be that of a later change already.
    @TaskLocal package static var delivered: RouteChange?

    /// The number of what is being delivered to the calling observer; nil outside of one, and in real time.
    ///
    /// In virtual time all that an app is told of has a number, in the order in which it was caused, over all sessions of
    /// the process (docs/decisions/0074-observers-hear-what-comes-after-them.md).
    @TaskLocal package static var deliveredNumber: UInt64?
    /// The number of the work of ours that runs here: what this passes on to another thread was caused when it was.
    @TaskLocal private static var cause: UInt64?
    private static let lastNumber = Atomic<UInt64>(0)
    /// The number of what was caused last.
    package static var newestNumber: UInt64 { lastNumber.load(ordering: .acquiring) }

    private let hasVirtualTime: Bool
    /// Cleared when an observer on the poster thread has kept a caller waiting.
    private let mayWaitForPoster = Atomic<Bool>(true)
    package let thread = DeliveryThread(name: "avfaudio-poster")
    package let mainThread = MainThreadDelivery()
    /// The main thread waits for virtual time, which the caller of `drain` moves.
    package let mainThreadHangs = Atomic<Bool>(false)
    /// Pieces of work ever enqueued, on either thread.
    package let count = Atomic<UInt64>(0)
    private let observer = Mutex<(any SessionObserver)?>(nil)
    package let callbackThreads = Mutex<[WeakBox<DeliveryThread>]>([])
    /// Those of them for which virtual time waits.
    package let timedThreads = Mutex<[WeakBox<DeliveryThread>]>([])

    package init(hasVirtualTime: Bool = false) { self.hasVirtualTime = hasVirtualTime }

    deinit { shutdown() }

    /// Makes `observer` the receiver of the notices; without one they are dropped.
    package func bind(to observer: any SessionObserver) {
        self.observer.withLock { bound in
            programmerError(unless: bound == nil, "a SessionRuntime has one observer; this one has it already")
            bound = observer
        }
    }

    /// Any thread; does not wait.
    package func post(_ notice: SessionNotice) {
        count.add(1, ordering: .relaxed)
        let number = nextNumber()
        let deliver: DeliveryThread.Work = { [self] in
            let change: RouteChange? = if case .routeChanged(let change) = notice { change } else { nil }
            Self.$deliveredNumber.withValue(number) {
                Self.$delivered.withValue(change) { observer.withLock { $0 }?.receive(notice) }
            }
        }
        switch notice.thread {
        case .poster: thread.enqueue(deliver)
        case .main: mainThread.enqueue(deliver)
        }
    }

    /// Nil in real time.
    private func nextNumber() -> UInt64? {
        guard hasVirtualTime else { return nil }
        return Self.cause ?? Self.lastNumber.add(1, ordering: .acquiringAndReleasing).newValue
    }

    /// Runs `work` on the poster thread, in order with the notices there.
    ///
    /// Any thread; does not wait. What `work` enqueues in its turn counts as caused now; see `asAppCode`.
    package func enqueue(_ work: @escaping @Sendable () -> Void) {
        count.add(1, ordering: .relaxed)
        guard let number = nextNumber() else { return thread.enqueue(work) }
        thread.enqueue { Self.$deliveredNumber.withValue(number) { Self.$cause.withValue(number, operation: work) } }
    }

    /// Within work for `enqueue`: runs code of the app, whose calls are causes of their own.
    package static func asAppCode(_ body: () -> Void) { $cause.withValue(nil, operation: body) }

    /// Runs `work` on the main thread, in order with the notices there; not at all once the session is gone.
    ///
    /// Any thread; does not wait.
    package func enqueueOnMainThread(_ work: @escaping @MainActor @Sendable () -> Void) {
        count.add(1, ordering: .relaxed)
        let number = nextNumber()
        mainThread.enqueue {
            Self.$deliveredNumber.withValue(number) {
                self.observer.withLock { $0 }?.perform { MainActor.assumeIsolated { work() } }
            }
        }
    }

    /// In virtual time, waits until the poster thread has called the observers of all notices so far.
    ///
    /// Any thread but the session thread. Returns early where an observer may be waiting for the caller: at once in an
    /// observer, and on the main thread when another operation waits for that; else after a second, and then no call of
    /// this session waits again.
    package func waitForPoster() {
        guard hasVirtualTime, Self.deliveredNumber == nil, mayWaitForPoster.load(ordering: .relaxed) else { return }
        for _ in 0..<1000 {
            if thread.drain(atMostSeconds: 0.001) != .timedOut { return }
            if MainThread.isCurrent, MainThreadDelivery.othersWait { return }
        }
        mayWaitForPoster.store(false, ordering: .relaxed)
    }

    /// As `waitForPoster`, for the main thread: what is for it runs here, if this is it.
    func waitForMainThread() {
        if MainThread.isCurrent { return mainThread.runAll() }
        guard mayWaitForPoster.load(ordering: .relaxed), !mainThread.isAtRest(withinSeconds: 1) else { return }
        mayWaitForPoster.store(false, ordering: .relaxed)
    }

    /// Has `drain` wait for a further thread, one that calls an app's closures.
    ///
    /// Any thread.
    ///
    /// - Parameter holdsTime: virtual time does not go on while it works.
    package func include(_ thread: DeliveryThread, holdsTime: Bool = false) {
        if holdsTime {
            timedThreads.withLock {
                $0.removeAll { $0.object == nil }
                $0.append(WeakBox(thread))
            }
        }
        callbackThreads.withLock {
            $0.removeAll { $0.object == nil }
            $0.append(WeakBox(thread))
        }
    }

    /// The caller is called by a thread that `drain` waits for.
    var callsCaller: Bool {
        thread.isCurrent || mainThread.isCurrent || MainThreadDelivery.handlers.isCurrent
            || callbackThreads.withLock { $0.contains { $0.object?.isCurrent == true } }
    }

    /// Delivers what is queued; what comes later is dropped.
    ///
    /// Does not wait. Idempotent.
    package func shutdown() {
        thread.close()
        mainThread.close()
    }
}
