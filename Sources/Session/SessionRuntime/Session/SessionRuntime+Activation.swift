package import AudioModel
import SessionCore
internal import Synchronization
internal import Threading

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
        ask({ [weak self] call, _ in
            let isLate = self.map { $0.activationRequests.load(ordering: .acquiring) != ticket } ?? false
            if isLate { isSuperseded.store(true, ordering: .releasing) }
            return .deactivationRequested(call, notifyOthers: notifyOthers, isSuperseded: isLate)
        }) { [host] error in
            let isDone = error == nil && !isSuperseded.load(ordering: .acquiring)
            guard notifyOthers else { return answer(isDone, error) }
            host.whenReleased { answer(isDone, error) }
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
