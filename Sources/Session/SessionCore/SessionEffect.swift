package import AudioModel

/// An imperative: what the composition must do, in order, before it applies the next event.
package enum SessionEffect: Hashable, Sendable, Codable {
    /// Answers an API call; nil means success.
    case reply(CallID, SessionError?)
    case claim(ClaimID, SessionConfiguration)
    /// The session is interrupted, and its claim keeps its place.
    case suspendClaim(ClaimID)
    case release(ClaimID, notifyOthers: Bool)
    /// Link the stream to exactly these ports and open its gate.
    case linkStream(StreamID, [Port])
    /// Close the stream's gate and unlink it: there is nowhere to go.
    case unlinkStream(StreamID)
    /// Let the player sound: its user wants it to and nothing is in the way.
    case startPlayer(StreamID)
    /// Pause the player; whether at once or with a fade, the cause says. It is not meant to play any more.
    case pausePlayer(StreamID, PauseCause)
    /// Silence the player although its user wants it to play; a `startPlayer` or a `pausePlayer` may end that.
    case suppressPlayer(StreamID, Suppression)
    /// Play at this part of the player's own volume, 0...1: 1 unless another session ducks ours.
    case setGain(StreamID, Float)
    /// Ask that the streams' cycles be that long; 0 leaves it to the host.
    case preferCycle(seconds: Double)
    /// Set the volume of a port for all programs, then answer the call.
    case setPortVolume(CallID, uid: String, PortVolume)
    /// End the stream's player with an error.
    case failPlayer(StreamID, SessionError)
    case postRouteChange(RouteChange)
    case postAvailableInputsChange
    /// The system made the session inactive.
    case postInterruptionBegan(InterruptionReason)
    case postInterruptionEnded(shouldResume: Bool)
    case postBecameActive
    /// The app made the session inactive.
    case postBecameInactive
    /// An activation that was refused may succeed now.
    case postResumptionRecommendation
    case postSilenceSecondaryAudioHint(begins: Bool)
    case postOutputMuteChange(Bool)
    /// The user raised the volume of an output that the app has muted.
    case postUserIntentToUnmute
    case postInputMuteChange(Bool)
    case postMediaServicesLost
    case postMediaServicesReset
    /// The players are silent: let the machine sleep.
    case allowSleep
    /// Apply `SessionFact.timeReached` when this time has come.
    case wake(at: HostTime)
}

/// The raw values are those of `AVAudioSession.InterruptionReason`.
package enum InterruptionReason: UInt, Hashable, Sendable, Codable {
    case `default` = 0
    case routeDisconnected = 4
}

package struct RouteChange: Hashable, Sendable, Codable {
    package var time: HostTime
    package var reason: RouteChangeReason
    package var previous: Route
    package var current: Route

    package init(time: HostTime, reason: RouteChangeReason, previous: Route, current: Route) {
        self.time = time
        self.reason = reason
        self.previous = previous
        self.current = current
    }
}

extension SessionEffect {
    /// The place of an effect among those of one event, smaller first.
    ///
    /// A player is silent before its stream reaches a new port and before the others learn that they may sound, and
    /// starts only when all that is in place; observers are told after the fact, and a call returns when what it asked
    /// for has been done.
    private var phase: Int {
        switch self {
        case .pausePlayer, .suppressPlayer, .failPlayer: 0
        case .linkStream, .unlinkStream: 1
        case .claim, .suspendClaim, .release: 2
        case .setGain, .preferCycle: 3
        case .startPlayer: 4
        case .postRouteChange, .postAvailableInputsChange, .postInterruptionBegan, .postInterruptionEnded,
            .postBecameActive, .postBecameInactive, .postResumptionRecommendation, .postSilenceSecondaryAudioHint,
            .postOutputMuteChange, .postUserIntentToUnmute, .postInputMuteChange, .postMediaServicesLost,
            .postMediaServicesReset:
            5
        case .allowSleep, .wake: 6
        case .reply, .setPortVolume: 7
        }
    }

    private static var phases: Range<Int> { 0..<8 }

    /// By phase; within a phase as they were decided.
    package static func inOrder(_ effects: [SessionEffect]) -> [SessionEffect] {
        phases.flatMap { phase in effects.filter { $0.phase == phase } }
    }
}
