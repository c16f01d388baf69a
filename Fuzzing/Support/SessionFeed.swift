import AudioModel

@testable import SessionCore

/// A session that takes facts and is checked after each.
struct SessionFeed {
    private(set) var machine = SessionMachine()
    private var invariants = SessionInvariants()
    private var time = HostTime.zero

    @discardableResult
    mutating func apply(_ fact: SessionFact, afterSeconds wait: Double = 0.5) -> [SessionEffect] {
        EventCount.note()
        time = time.advanced(bySeconds: wait)
        let before = machine.state
        let event = SessionEvent(time: time, fact: fact)
        let effects = machine.apply(event)
        let violations = invariants.check(event, effects: effects, before: before, after: machine.state)
        require(violations.isEmpty, "\(fact)\n\(violations)")
        return effects
    }
}

extension [SessionEffect] {
    var change: RouteChange? {
        for case .postRouteChange(let change) in self { return change }
        return nil
    }
}
