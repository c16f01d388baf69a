import Synchronization

/// Whether the program may record: it may, but for a simulator that says otherwise.
///
/// Any thread.
package final class RecordPermission: Sendable {
    /// Legal exits: undetermined -> granted | denied, at the first request.
    ///
    /// A simulator sets what it likes.
    package enum Status: Sendable { case undetermined, denied, granted }

    private let state = Mutex(State())

    private struct State {
        var status = Status.granted
        /// The user's answer; asked for while `undetermined`, once.
        var prompt: @Sendable () -> Bool = { true }
    }

    package var status: Status { state.withLock { $0.status } }

    /// Whether the program may record; asks the user where that is not decided yet.
    package func request() -> Bool {
        state.withLock { state in
            if state.status == .undetermined { state.status = state.prompt() ? .granted : .denied }
            return state.status == .granted
        }
    }

    /// - Parameter prompt: called by the first `request` while `undetermined`; must not call back.
    package func set(_ status: Status, prompt: @escaping @Sendable () -> Bool) {
        state.withLock { $0 = State(status: status, prompt: prompt) }
    }
}
