import Foundation
import SpeechCore
import TestSupport
import Testing

// Helpers: Support/SpeechBench.swift, Support/SpeechRules.swift

/// Random scripts of an app, an engine, a session and the threads between them.
struct SpeechScriptTests {
    private enum Act {
        case add(Text), pause(SpeechBoundary), resume, stop(SpeechBoundary)
        case step(Int), settle, play(Int64), reach, readAhead, report, interrupt, refuse(Bool), fail

        init(_ random: inout Seeded) {
            let boundary = [SpeechBoundary.immediate, .word].randomElement(using: &random)!
            switch Int.random(in: 0..<60, using: &random) {
            case 0..<5: self = .add(Text.all.randomElement(using: &random)!)
            case 5..<9: self = .pause(boundary)
            case 9..<14: self = .resume
            case 14: self = .stop(boundary)
            case 15..<36: self = .step(.random(in: 0..<4, using: &random))
            case 36..<40: self = .settle
            case 40..<48: self = .play([200, 1_000, 2_500, 200_000].randomElement(using: &random)!)
            case 48..<52: self = .reach
            case 52: self = .readAhead
            case 53..<57: self = .report
            case 57: self = .interrupt
            case 58: self = .refuse(Bool.random(using: &random))
            default: self = Int.random(in: 0..<4, using: &random) == 0 ? .fail : .reach
            }
        }

        var isRequestToSpeak: Bool {
            switch self {
            case .add, .resume: true
            case .pause, .stop, .step, .settle, .play, .reach, .readAhead, .report, .interrupt, .refuse, .fail: false
            }
        }

        func perform(on bench: inout SpeechBench) {
            switch self {
            case .add(let text): bench.add(text)
            case .pause(let boundary): bench.pause(boundary)
            case .resume: bench.resume()
            case .stop(let boundary): bench.stop(boundary)
            case .step(let thread): if thread < bench.threads.count { bench.step(thread) }
            case .settle: bench.settle()
            case .play(let frames): bench.play(frames: frames)
            case .reach: bench.reach()
            case .readAhead: bench.readAhead()
            case .report: bench.report()
            case .interrupt: bench.interrupt()
            case .refuse(let refuses): bench.refuses = refuses
            case .fail: bench.fail("a broken player")
            }
        }
    }

    /// `AUDIOSESSION_TEST_SEED` brings a failed run back.
    private static func seeds(_ count: UInt64) -> [UInt64] {
        let own = ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_SEED"].flatMap { UInt64($0) }
        return own.map { [$0] } ?? Array(1...count)
    }

    private func script(seed: UInt64, _ count: Int) -> [Act] {
        var random = Seeded(seed: seed)
        return (0..<count).map { _ in Act(&random) }
    }

    /// The session lets everything play, and the app continues what is paused, until there is nothing to say.
    private func finish(_ bench: inout SpeechBench) {
        bench.refuses = false
        for _ in 0..<2_000 {
            bench.settle()
            if bench.machine.isIdle || !bench.violations.isEmpty { return }
            if bench.machine.isPaused { bench.resume() }
            bench.settle()
            bench.play(frames: 20_000)
            bench.reach()
        }
        bench.rules.violations.append("speech does not come to its end: \(bench.machine)")
    }

    @Test func longScripts_keepTheRules_andEachUtteranceEnds() {
        var (ended, met, pauses) = (0, Set<String>(), 0)
        for seed in Self.seeds(300) {
            var bench = SpeechBench()
            for act in script(seed: seed, 400) {
                act.perform(on: &bench)
                if !bench.violations.isEmpty { break }
            }
            finish(&bench)
            guard bench.violations.isEmpty else {
                Issue.record("AUDIOSESSION_TEST_SEED=\(seed): \(bench.violations) after\n\(bench.history)")
                return
            }
            ended += bench.rules.ended
            met.formUnion(bench.met)
            pauses += bench.told.count { $0.hasSuffix("paused") }
            var machine = SpeechMachine()
            #expect(bench.events.map { machine.apply($0) } == bench.effects, "the same events, other effects")
        }
        #expect(ended > Self.seeds(300).count * 5)
        #expect(pauses > Self.seeds(300).count * 5)
        #expect(
            met == [
                "answer", "tell", "forget", "say", "beginSound", "endSound", "startMaker", "requestMaking",
                "reopenSound", "closeSound", "appendSilence", "appendPassage", "speak", "finishMaking", "openPlayer",
                "startPlayer", "continuePlayer", "pausePlayer", "setEnd", "closePlayer",
            ])
    }

    /// A loss after each step of each script; then all of the rest but what asks to speak (decision 60).
    @Test func longScripts_withALossAtEveryStep_speakNothingBeforeTheNextRequest() {
        var (losses, speaking, resumed) = (0, 0, 0)
        for seed in Self.seeds(16) {
            let script = script(seed: seed, 100)
            var before = SpeechBench()
            for (index, act) in script.enumerated() {
                act.perform(on: &before)
                if before.machine.isSpeaking, !before.machine.isPaused { speaking += 1 }
                var bench = before
                bench.lose()
                losses += 1
                let frames = bench.soundedFrames
                for next in script[(index + 1)...] where !next.isRequestToSpeak { next.perform(on: &bench) }
                bench.settle()
                bench.play(frames: 100_000)
                bench.settle()
                let isSilent = bench.soundedFrames == frames
                if bench.machine.isPaused { resumed += 1 }
                // With the next request everything is spoken.
                finish(&bench)
                guard bench.violations.isEmpty, isSilent else {
                    let place = "AUDIOSESSION_TEST_SEED=\(seed), step \(index)"
                    Issue.record("\(place), silent: \(isSilent), \(bench.violations) after\n\(bench.history)")
                    return
                }
            }
        }
        #expect(losses == Self.seeds(16).count * 100)
        #expect(speaking > losses / 8 && resumed > losses / 8)
    }
}
