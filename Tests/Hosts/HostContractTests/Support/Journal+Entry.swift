import AudioModel
import SessionCore

@testable import AudioRuntime
@testable import OpenAVFoundation

extension Journal {
    /// Where a session stands, as its app could name it.
    enum Phase: String, Sendable {
        case inactive, claiming, active, interrupted

        init(_ state: SessionState) {
            self =
                switch state.activation {
                case .active: .active
                case .claiming: .claiming
                case .inactive: state.interruption == nil ? .inactive : .interrupted
                }
        }
    }

    enum Entry: Equatable, Sendable, CustomStringConvertible {
        case routeChange(RouteChangeReason, previous: [PortKind], current: [PortKind])
        case player(FilePlayer.State, FilePlayer.Cause)
        /// Of an `AVPlayer`.
        case rate(Float, AVPlayer.RateDidChangeReason)
        case availableInputs
        case interruptionBegan(InterruptionReason)
        case interruptionEnded(shouldResume: Bool)
        case becameActive
        /// By the app's own doing.
        case becameInactive
        case resumptionRecommended
        case hint(begins: Bool)
        case lost
        case reset
        case inventory([PortKind])
        case phase(Phase)

        init?(_ effect: SessionEffect) {
            switch effect {
            case .postRouteChange(let change):
                self = .routeChange(
                    change.reason, previous: change.previous.outputs.map(\.kind),
                    current: change.current.outputs.map(\.kind))
            case .postAvailableInputsChange: self = .availableInputs
            case .postInterruptionBegan(let reason): self = .interruptionBegan(reason)
            case .postInterruptionEnded(let shouldResume): self = .interruptionEnded(shouldResume: shouldResume)
            case .postBecameActive: self = .becameActive
            case .postBecameInactive: self = .becameInactive
            case .postResumptionRecommendation: self = .resumptionRecommended
            case .postSilenceSecondaryAudioHint(let begins): self = .hint(begins: begins)
            case .postMediaServicesLost: self = .lost
            case .postMediaServicesReset: self = .reset
            case .reply, .claim, .suspendClaim, .release, .linkStream, .unlinkStream, .startPlayer, .pausePlayer,
                .suppressPlayer, .setGain, .preferCycle, .failPlayer, .allowSleep, .wake, .setPortVolume,
                .postOutputMuteChange, .postUserIntentToUnmute, .postInputMuteChange:
                return nil
            }
        }

        /// What a user of the session and the player sees.
        var isEvent: Bool {
            switch self {
            case .inventory, .phase: false
            case .routeChange, .player, .rate, .availableInputs, .interruptionBegan, .interruptionEnded, .becameActive,
                .becameInactive, .resumptionRecommended, .hint, .lost, .reset:
                true
            }
        }

        var description: String {
            switch self {
            case .routeChange(let reason, let previous, let current): "\(reason) \(previous) -> \(current)"
            case .player(let state, let cause): "player \(state) (\(cause))"
            case .rate(let rate, let reason): "rate \(rate) (\(reason.rawValue))"
            case .availableInputs: "availableInputs"
            case .interruptionBegan(let reason): "began (\(reason))"
            case .interruptionEnded(let shouldResume): "ended (\(shouldResume ? "should resume" : "no advice"))"
            case .becameActive: "active"
            case .becameInactive: "inactive"
            case .resumptionRecommended: "resumption recommended"
            case .hint(let begins): "hint \(begins ? "begins" : "ends")"
            case .lost: "lost"
            case .reset: "reset"
            case .inventory(let kinds): "inventory \(kinds)"
            case .phase(let phase): "[\(phase.rawValue)]"
            }
        }
    }

    /// What a play leaves behind that activates the session.
    static let started: [Entry] = [.player(.playing, .user), .becameActive]
    /// What an interruption leaves behind under a player that plays.
    static let interrupted: [Entry] = [.player(.paused, .interruption), .interruptionBegan(.default)]
    /// What the end of an interruption leaves behind that lets a player go on.
    static let resumed: [Entry] = [.interruptionEnded(shouldResume: true)] + started
    /// What the end of an interruption leaves behind that does not, under a player that waited for it.
    static let givenUp: [Entry] = [.player(.paused, .interruption), .interruptionEnded(shouldResume: false)]
}
