import AudioModel
import Foundation
import TestSupport
import Testing
import TransportCore

/// Long scripts: what the exploration does for each step, these do for what adds up.
struct RandomScriptTests {
    private static let steps = 2_000

    /// `AUDIOSESSION_TEST_SEED` brings a failed run back.
    private static var seeds: [UInt64] {
        let own = ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_SEED"].flatMap { UInt64($0) }
        return own.map { [$0] } ?? Array(1...8)
    }

    private func run(_ kind: TransportKind, seed: UInt64) -> Bench {
        var random = Seeded(seed: seed)
        var bench = Bench(kind)
        for _ in 0..<Self.steps {
            // One that is over has nothing to tell any more.
            let isOver = bench.state.isOver(kind) && Int.random(in: 0..<8, using: &random) == 0
            if isOver { bench.replaceMachine() }
            bench.feed(Alphabet.events(generation: bench.machine.seekGeneration).randomElement(using: &random)!)
            if !bench.invariants.violations.isEmpty { break }
        }
        return bench
    }

    @Test(arguments: TransportKind.allCases)
    func longScripts_keepTheInvariants_andMeetEveryEffectOfTheKind(kind: TransportKind) {
        var met: Set<String> = []
        for seed in Self.seeds {
            let bench = run(kind, seed: seed)
            #expect(bench.invariants.violations == [], "AUDIOSESSION_TEST_SEED=\(seed)")
            met.formUnion(bench.allEffects.map { String("\($0)".prefix { $0 != "(" }) })
        }
        switch kind {
        case .player:
            #expect(
                met == [
                    "startFeeding", "playSource", "startStream", "beginFade", "cut", "stopStream", "restartLoops",
                    "seek",
                    "report", "tellSessionStopped",
                ])
        case .recorder:
            #expect(
                met == [
                    "startFeeding", "startStream", "stopStream", "drainCapture", "report", "tellSessionStopped",
                    "closeFile",
                ])
        case .engine:
            #expect(
                met == [
                    "startFeeding", "playSource", "startStream", "beginFade", "cut", "stopStream", "pausePlayers",
                    "drainCapture", "tellSessionStopped", "closeStream", "refuse", "postConfigurationChange",
                ])
        }
    }

    @Test(arguments: TransportKind.allCases)
    func recordedEvents_appliedToANewMachine_giveTheSameEffects(kind: TransportKind) {
        var random = Seeded(seed: 7)
        var bench = Bench(kind)
        for _ in 0..<200 { bench.feed(Alphabet.events(generation: 0).randomElement(using: &random)!) }
        var machine = TransportMachine(kind)
        #expect(bench.events.map { machine.apply($0) } == bench.effects)
        #expect(machine == bench.machine)
    }
}
