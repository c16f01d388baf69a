import AudioModel
import SessionCore
import Testing

/// The order of one event's effects, and the numbers that apps see.
struct EffectTests {
    private static let change = RouteChange(time: .zero, reason: .unknown, previous: .empty, current: .empty)

    /// Each kind of effect, by its phase.
    private static let phases: [[SessionEffect]] = [
        [
            .pausePlayer(StreamID(number: 1), .user), .suppressPlayer(StreamID(number: 1), .interruption),
            .failPlayer(StreamID(number: 1), SessionError(.badParam, "")),
        ],
        [.linkStream(StreamID(number: 1), []), .unlinkStream(StreamID(number: 1))],
        [
            .claim(ClaimID(number: 1), Bench.music), .suspendClaim(ClaimID(number: 1)),
            .release(ClaimID(number: 1), notifyOthers: true),
        ],
        [.setGain(StreamID(number: 1), 1), .preferCycle(seconds: 0)],
        [.startPlayer(StreamID(number: 1))],
        [
            .postRouteChange(change), .postAvailableInputsChange, .postInterruptionBegan(.default),
            .postInterruptionEnded(shouldResume: true), .postBecameActive, .postBecameInactive,
            .postResumptionRecommendation, .postSilenceSecondaryAudioHint(begins: true), .postOutputMuteChange(true),
            .postUserIntentToUnmute, .postInputMuteChange(true), .postMediaServicesLost, .postMediaServicesReset,
        ],
        [.allowSleep, .wake(at: .zero)],
        [.reply(CallID(number: 1), nil), .setPortVolume(CallID(number: 1), uid: "", PortVolume(level: 1))],
    ]

    @Test func effects_ofAllKinds_comeByPhase_andWithinAPhaseAsDecided() {
        let backwards = Self.phases.reversed().flatMap { $0.reversed() }
        #expect(SessionEffect.inOrder(backwards) == Self.phases.flatMap { $0.reversed() })
        let forwards = Self.phases.flatMap { $0 }
        #expect(SessionEffect.inOrder(forwards) == forwards)
    }

    @Test func rawValues_areThoseOfApplesTypes() {
        let reasons: [(RouteChangeReason, UInt)] = [
            (.unknown, 0), (.newDeviceAvailable, 1), (.oldDeviceUnavailable, 2), (.categoryChange, 3), (.override, 4),
            (.wakeFromSleep, 6), (.noSuitableRouteForCategory, 7), (.routeConfigurationChange, 8),
        ]
        for (reason, number) in reasons { #expect(reason.rawValue == number) }
        #expect(InterruptionReason.default.rawValue == 0)
        #expect(InterruptionReason.routeDisconnected.rawValue == 4)
    }
}
