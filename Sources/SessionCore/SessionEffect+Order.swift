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
