package import AudioModel

/// Whether the session holds a claim to sound, with the claims that belong to each answer.
///
/// The loss of the connection leads from each state to `inactive`.
package enum Activation: Hashable, Sendable {
    /// Legal exits: claiming (the app activates or plays, or a player may resume).
    case inactive(Inactivity)
    /// A claim is under way, and these calls wait for its answer.
    ///
    /// Legal exits: active (granted), inactive (refused, or deactivated meanwhile), claiming (with another claim, when the
    /// configuration changes).
    case claiming(ClaimID, for: [CallID], Inactivity)
    /// The claim as the registry shows it, and the one under way that is to replace it after a new configuration.
    ///
    /// Legal exits: inactive (deactivated or interrupted), active (with another replacement, or with the claim that was
    /// the replacement).
    case active(ClaimID, Arbitration.Claim, replacement: ClaimID?)

    package var isActive: Bool {
        if case .active = self { true } else { false }
    }

    package var isInactive: Bool {
        if case .inactive = self { true } else { false }
    }

    /// The claim that the host has not answered yet.
    package var claimUnderWay: ClaimID? {
        switch self {
        case .inactive: nil
        case .claiming(let id, _, _): id
        case .active(_, _, let replacement): replacement
        }
    }

    /// Nil while active, where there is nothing to set either.
    package internal(set) var inactivity: Inactivity? {
        get {
            switch self {
            case .inactive(let inactivity), .claiming(_, _, let inactivity): inactivity
            case .active: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .inactive: self = .inactive(newValue)
            case .claiming(let id, let calls, _): self = .claiming(id, for: calls, newValue)
            case .active: break
            }
        }
    }
}

/// What a session that is not active remembers of the time when it was.
package struct Inactivity: Hashable, Sendable {
    /// From its begin to its end, to the app's next activation, or, where it has no end, to the app's deactivation.
    package internal(set) var interruption: Interruption?
    /// The claim of an interrupted session, which keeps its serial until the session has the sound again.
    var waitingClaim: WaitingClaim?
    /// An activation was refused because of another session's priority, and the app was not told yet that it may try
    /// again; never while claiming.
    var awaitsRecommendation = false
}

/// A claim without effect: the claims that it interrupted still wait, because its session may play again.
package struct WaitingClaim: Hashable, Sendable {
    package let id: ClaimID
    /// When the claim is released; nil while the interruption lasts, and while a new claim is under way.
    var deadline: HostTime?

    init(id: ClaimID) { self.id = id }
}
