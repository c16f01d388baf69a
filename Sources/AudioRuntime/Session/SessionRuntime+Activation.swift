package import AudioModel
import SessionCore
internal import Synchronization

// Any thread; nothing here waits. Answers come on the session thread, or, where that has ended, on the caller's; they must
// not wait.
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
        let isSuperseded = SetOnce()
        ask({ [weak self] call, _ in
            let isLate = self.map { $0.activationRequests.load(ordering: .acquiring) != ticket } ?? false
            if isLate { isSuperseded.set() }
            return .deactivationRequested(call, notifyOthers: notifyOthers, isSuperseded: isLate)
        }) { error in
            answer(error == nil && !isSuperseded.isSet, error)
        }
    }
}

/// A flag that goes up and stays up.
private final class SetOnce: Sendable {
    private let flag = Atomic<Bool>(false)
    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set() { flag.store(true, ordering: .releasing) }
}
