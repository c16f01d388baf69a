/// Groups facts into bursts; one burst is one change on the server.
///
/// Pure. A burst is over when a round trip to the server has brought no more facts.
package struct PipeWireChangeCoalescer: Sendable {
    package enum Step: Hashable, Sendable {
        case none
        /// Ask the server for an answer; `synced` must follow.
        case sync
        /// The facts are one consistent state.
        case settled
    }

    /// The most round trips of a burst: a server that changes all the time must not suppress all reports.
    static let longestBurst = 8

    private enum State {
        /// Exit: a change -> `syncing`.
        case settled
        /// A round trip is under way, after others of the same burst. Exit: its answer -> `settled`, or the next round trip.
        case syncing(hasChanged: Bool, roundTripsBefore: Int)
    }

    private var state = State.settled

    package init() {}

    /// A round trip is under way.
    package var isSyncing: Bool { if case .syncing = state { true } else { false } }

    package mutating func changed() -> Step {
        switch state {
        case .settled:
            state = .syncing(hasChanged: false, roundTripsBefore: 0)
            return .sync
        case .syncing(_, let before):
            state = .syncing(hasChanged: true, roundTripsBefore: before)
            return .none
        }
    }

    /// - Parameter isEnumerating: whether a device still reports its routes, which belong to the same burst.
    package mutating func synced(isEnumerating: Bool) -> Step {
        guard case .syncing(let hasChanged, let before) = state else { return .none }
        guard hasChanged || isEnumerating, before < Self.longestBurst else {
            state = .settled
            return .settled
        }
        state = .syncing(hasChanged: false, roundTripsBefore: before + 1)
        return .sync
    }
}
