import AudioModel
import SessionCore
import Testing

struct RandomScriptTests {
    private static let seeds = Array(UInt64(1)...32)
    private static let steps = 1_000

    private static func speaker(_ seed: UInt64) -> MultiRouteSpeaker {
        seed.isMultiple(of: 4) ? .always : .onlyWhenAlone
    }

    /// The scripts of all seeds, run once for the tests that look at them together.
    private static let benches = seeds.map { (seed: $0, bench: run(seed: $0)) }

    private static func run(seed: UInt64) -> Bench {
        var script = RandomScript(seed: seed)
        var bench = Bench(multiRouteSpeaker: speaker(seed))
        for _ in 0..<steps {
            let fact = script.next(bench.state)
            script.note(bench.feed(fact, after: script.wait()))
            if !bench.invariants.violations.isEmpty { break }
        }
        return bench
    }

    // Behaviours 15 and 80
    @Test(arguments: seeds)
    func longSequence(seed: UInt64) {
        let bench = Self.run(seed: seed)
        #expect(bench.invariants.violations == [], "seed \(seed)")
        #expect(bench.invariants.stepCount == Self.steps)
    }

    // Behaviour 15
    @Test func eventChainIsContinuous() {
        var count = 0
        for (seed, bench) in Self.benches {
            let changes = bench.routeChanges
            for (earlier, later) in zip(changes, changes.dropFirst()) {
                // What one has learned of a rate in between is no break in the chain.
                #expect(later.previous == earlier.current.learningRates(from: later.previous), "seed \(seed)")
                #expect(later.time >= earlier.time)
                count += 1
            }
        }
        #expect(count > 1_000, "the scripts must have routes that change")
    }

    @Test func scripts_takenTogether_linkStreamsToSeveralPorts() {
        let counts = Self.benches.flatMap(\.bench.allEffects).compactMap { effect in
            if case .linkStream(_, let ports) = effect { ports.count } else { nil }
        }
        #expect(counts.filter { $0 > 1 }.count > 50)
        #expect((counts.max() ?? 0) >= 4)
    }

    @Test func scripts_takenTogether_moveTheRouteAgainAfterALoss() {
        #expect(Self.benches.map(\.bench.invariants.followedLosses).reduce(0, +) > 10)
    }

    /// A script that never got anywhere would keep every rule.
    @Test func scripts_takenTogether_meetEveryReasonAndEffect() {
        let benches = Self.benches.map(\.bench)
        let reasons = Set(benches.flatMap(\.reasons))
        #expect(
            reasons == [
                .newDeviceAvailable, .oldDeviceUnavailable, .categoryChange, .override, .noSuitableRouteForCategory,
                .routeConfigurationChange, .wakeFromSleep,
            ])
        let kinds = Set(benches.flatMap(\.allEffects).map { "\($0)".prefix { $0 != "(" } })
        #expect(
            kinds == [
                "reply", "claim", "suspendClaim", "release", "linkStream", "unlinkStream", "startPlayer", "pausePlayer",
                "suppressPlayer", "setGain", "preferCycle", "failPlayer", "postRouteChange",
                "postAvailableInputsChange",
                "postInterruptionBegan", "postInterruptionEnded", "postBecameActive", "postBecameInactive",
                "postResumptionRecommendation", "postSilenceSecondaryAudioHint", "postMediaServicesLost",
                "postMediaServicesReset", "allowSleep", "wake", "setPortVolume", "postOutputMuteChange",
                "postUserIntentToUnmute", "postInputMuteChange",
            ])
    }

    @Test func recordedEvents_appliedToANewMachine_giveTheSameEffects() {
        for (seed, recorded) in Self.benches {
            var machine = SessionMachine(multiRouteSpeaker: Self.speaker(seed))
            let replayed = recorded.events.map { machine.apply($0) }
            #expect(replayed == recorded.effects, "seed \(seed)")
            #expect(machine.state == recorded.state)
            #expect(replayed.count == Self.steps)
        }
    }
}
