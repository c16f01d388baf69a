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

    /// A round trip is under way.
    package private(set) var isSyncing = false
    private var hasChangedSinceSync = false
    private var roundTrips = 0

    package init() {}

    package mutating func changed() -> Step {
        guard !isSyncing else {
            hasChangedSinceSync = true
            return .none
        }
        roundTrips = 0
        return sync()
    }

    /// - Parameter isEnumerating: whether a device still reports its routes, which belong to the same burst.
    package mutating func synced(isEnumerating: Bool) -> Step {
        guard isSyncing else { return .none }
        isSyncing = false
        guard hasChangedSinceSync || isEnumerating, roundTrips < Self.longestBurst else { return .settled }
        roundTrips += 1
        return sync()
    }

    private mutating func sync() -> Step {
        isSyncing = true
        hasChangedSinceSync = false
        return .sync
    }
}
