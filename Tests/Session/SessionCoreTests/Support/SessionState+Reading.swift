import AudioModel

@testable import SessionCore

/// What the tests read of an activation, whichever state carries it.
extension SessionState {
    /// The state and its claim.
    enum Stage: Hashable {
        case inactive
        case claiming(ClaimID)
        case active(ClaimID)
    }

    var stage: Stage {
        switch derived.activation {
        case .inactive: .inactive
        case .claiming(let id, _, _): .claiming(id)
        case .active(let id, _, _): .active(id)
        }
    }

    var waitingCalls: [CallID] { if case .claiming(_, let calls, _) = derived.activation { calls } else { [] } }
    var waitingClaim: WaitingClaim? { derived.activation.inactivity?.waitingClaim }
    var replacementClaim: ClaimID? { derived.activation.isActive ? derived.activation.claimUnderWay : nil }
    /// The newest inventory is that of a server that was lost.
    var isFreshlyReset: Bool { reported.connection != .connected }
}

extension StreamRecord {
    /// What keeps it silent although it is meant to play; nil also while it waits for the session's claim.
    var suppression: Suppression? {
        switch playback {
        case .resting, .waiting, .started: nil
        case .interrupted: .interruption
        case .withoutRoute: .noSuitableRoute
        }
    }
}
