package import AudioModel
import SessionCore
internal import Synchronization
package import Threading

// Any thread; only `waitForReleases` waits. Answers come on the session thread, on the host's own thread, or, where the
// session has ended, on the caller's; they must not wait.
extension SessionRuntime {
    /// The app asks for an activation now, in whatever way: deactivations that are queued are out of date.
    ///
    /// Counted as the app asks, not as the session gets to it: a deactivation at the head of the queue must know what
    /// comes behind.
    package func noteActivationRequest() { activationRequests.add(1, ordering: .acquiringAndReleasing) }

    package func activate(_ answer: @escaping Answer) {
        noteActivationRequest()
        ask({ call, _ in .activationRequested(call) }, answer)
    }

    /// - Parameter answer: whether the session was deactivated; if not, why, and without an error when the app has asked
    ///   for an activation since.
    package func deactivate(notifyOthers: Bool, _ answer: @escaping @Sendable (Bool, SessionError?) -> Void) {
        let ticket = activationRequests.load(ordering: .acquiring)
        let isSuperseded = Atomic(false)
        let makeFact = { @Sendable [weak self] (call: CallID, _: SessionState) -> SessionFact in
            let isLate = self.map { $0.activationRequests.load(ordering: .acquiring) != ticket } ?? false
            if isLate { isSuperseded.store(true, ordering: .releasing) }
            return .deactivationRequested(call, notifyOthers: notifyOthers, isSuperseded: isLate)
        }
        ask(isDeactivation: true, makeFact) { [host] error in
            let isDone = error == nil && !isSuperseded.load(ordering: .acquiring)
            guard notifyOthers else { return answer(isDone, error) }
            host.whenReleased { answer(isDone, error) }
        }
    }

    // MARK: Slow servers of simulated machines

    /// So long may a call keep the main thread, in seconds of virtual time.
    private static let longestHang = 1.0

    /// Lets time pass until the reply comes; on the main thread, that hangs meanwhile, and what waits for it waits on.
    func passTime(until reply: Promise<some Sendable>) {
        let start = host.now()
        let isOnMainThread = MainThread.isCurrent
        passTime(until: reply, hanging: isOnMainThread, mayWait: true)
        let seconds = host.now().seconds - start.seconds
        if isOnMainThread, seconds > Self.longestHang { host.note(.waitedOnMainThread(seconds: seconds)) }
    }

    /// As for a caller that waits, where the caller is the test's task, which could not go on while it is suspended.
    package func passTimeOfTest(until reply: Promise<some Sendable>) {
        if host.answersSlowly { passTime(until: reply, hanging: false, mayWait: false) }
    }

    private func passTime(until reply: Promise<some Sendable>, hanging hangs: Bool, mayWait: Bool) {
        VirtualMachine.waitUntilApplied(host)
        // Whoever waits for observers waits for this one.
        let isObserver = notices.callsCaller
        if hangs, !isObserver { VirtualMachine.setMainThreadHangs(true, host) }
        defer { if hangs, !isObserver { VirtualMachine.setMainThreadHangs(false, host) } }
        host.passTime(movesTime: isObserver, mayWait: mayWait, until: { reply.wait(timeoutSeconds: $0) }) {
            if isObserver || hangs { VirtualMachine.deliver(host) } else { VirtualMachine.deliverEverywhere(host) }
        }
    }

    /// Returns when the other sessions can learn of every deactivation so far, after 1 s at the latest.
    ///
    /// A program that ends at once would take the message with it. Application threads and observers.
    package func waitForReleases() {
        let released = Latch()
        host.whenReleased { released.raise() }
        released.wait()
    }
}
