import GuardRuntime

/// Whether an item that was paused because its output left goes on when that is back: as the guard has it for other programs.
///
/// Pure. The reports of a player and of the route come in any order. Times are in seconds.
struct ReturnRule: Hashable {
    typealias Limit = GuardController.Options.OnReturn

    enum State: Hashable {
        /// Exit: paused by a loss -> `paused` or `waiting`.
        case idle
        /// The outputs were not reported as gone. Exits: they are -> `waiting`; it plays, or a person pauses it -> `idle`.
        case paused(since: Double)
        /// Exits: the outputs are back, it plays, or a person pauses it -> `idle`.
        case waiting(since: Double)
    }

    let limit: Limit
    /// The only output of the item; nil: the route's.
    let uid: String?
    private(set) var state = State.idle
    private var route = RouteFacts()
    /// The outputs on which it played last.
    private(set) var home: [PortFacts] = []

    init(_ limit: Limit, uid: String? = nil) { (self.limit, self.uid) = (limit, uid) }

    mutating func pausedByLoss(at time: Double) {
        state = route.has(home) ? .paused(since: time) : .waiting(since: time)
    }

    /// It plays where the route leads, or a person has paused it.
    mutating func forget() { (state, home) = (.idle, route.outputs.filter { uid == nil || $0.uid == uid }) }

    /// - Parameter areThere: whether outputs have not left again since then.
    /// - Returns: whether all outputs that were waited for are back in time.
    mutating func routeChanged(
        to new: RouteFacts, isLoss: Bool, at time: Double, areThere: ([PortFacts]) -> Bool = { _ in true }
    ) -> Bool {
        let isAwaited = awaited(at: time) != nil
        route = new
        switch state {
        case .idle: if !isLoss { forget() }
        case .paused(let since): if !new.has(home) { state = .waiting(since: since) }
        case .waiting:
            guard new.has(home), areThere(home) else { return false }
            state = .idle
            return isAwaited
        }
        return false
    }

    /// What is waited for at this time; nil where the item does not go on by itself.
    func awaited(at time: Double) -> [PortFacts]? {
        guard case .waiting(let since) = state, case .resume(let seconds) = limit else { return nil }
        return time - since <= seconds ? home : nil
    }
}

extension RouteFacts {
    func has(_ ports: [PortFacts]) -> Bool { ports.allSatisfy { port in outputs.contains { $0.uid == port.uid } } }
}
