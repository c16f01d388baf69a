import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio

/// Times, completions and items of a player behind time pitch and varispeed.
@Suite struct EngineEffectPlayerTests {
    @Test func playerTime_runsAtTheRate_andFollowsItsChange() throws {
        let effect = varispeed(rate: 2)
        let bench = try EffectBench([effect])
        bench.play(tone(440, frames: 480_000))
        func time() throws -> Int64 {
            let node = try #require(bench.player.lastRenderTime)
            return try #require(bench.player.playerTime(forNodeTime: node)).sampleTime
        }
        _ = try bench.render(4800)
        #expect(try time() == 9600)
        effect.rate = 0.5
        _ = try bench.render(4800)
        let changed = try time()
        // What had left the converter before, one block of 1024 frames at the most, still counts double.
        let expected: Int64 = 9600 + 2400
        #expect(changed >= expected)
        #expect(changed <= expected + 1024)
        _ = try bench.render(48_000)
        #expect(try time() == changed + 24_000)
        // And back, before the change and after it.
        for frames in [Int64(4000), changed + 1000] {
            let player = AVAudioTime(sampleTime: frames, atRate: 48_000)
            let node = try #require(bench.player.nodeTime(forPlayerTime: player))
            #expect(try #require(bench.player.playerTime(forNodeTime: node)).sampleTime == frames)
        }
    }

    @Test func item_withATime_waitsForThatTimeOfThePlayer() throws {
        let bench = try EffectBench([varispeed(rate: 2)])
        bench.player.scheduleBuffer(
            AVAudioPCMBuffer([tone(440, frames: 9600)]), at: AVAudioTime(sampleTime: 4800, atRate: 48_000))
        bench.player.play()
        let heard = try bench.render(9600)
        #expect(heard[..<2400].allSatisfy { $0 == 0 })
        // The converter's first frames are the foot of its filter.
        #expect(Listening.quietestPeak(heard[2400..<7200]) > 0.4)
        #expect(heard[7200...].allSatisfy { $0 == 0 })
    }

    @Test func completions_comeWhenTheLastStretchedFrameWasRendered() throws {
        let bench = try EffectBench([timePitch(rate: 0.5)])
        let history = History<String>()
        for name in ["a", "b"] {
            bench.player.scheduleBuffer(
                AVAudioPCMBuffer([tone(440, frames: 24_000)]), completionCallbackType: .dataPlayedBack
            ) { _ in history.append(name) }
        }
        bench.player.play()
        var completed: [Int: [String]] = [:]
        for step in 1...220 {
            _ = try bench.render(480)
            if history.entries.count > completed.values.joined().count { completed[step * 480] = history.entries }
        }
        #expect(completed == [48_000: ["a"], 96_000: ["a", "b"]])
    }

    @Test func playedBack_onADevice_comesAfterItsLatency() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let (player, effect) = (AVAudioPlayerNode(), timePitch(rate: 2))
        engine.attach(player)
        engine.attach(effect)
        engine.connect(player, to: effect, format: .mono)
        engine.connect(effect, to: engine.mainMixerNode, format: .mono)
        try engine.start()
        let history = History<String>()
        player.scheduleBuffer(
            AVAudioPCMBuffer([tone(440, frames: 48_000)]), completionCallbackType: .dataPlayedBack
        ) { history.append("\($0)") }
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 24_000)
        #expect(history.entries == [])
        machine.advance(frames: 9600)
        #expect(history.entries == ["dataPlayedBack"])
        let heard = machine.heard(since: start)[0]
        #expect(abs(Listening.loudFrames(heard) - 24_000) <= EffectBench.reach())
        #expect(abs(Listening.frequency(Listening.middle(heard, of: 24_000)) - 440) < EffectBench.hertz)
    }

    @Test func change_onADevice_isHeardWhenWhatIsFedAheadIsOver() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let chain: [AVAudioNode] = [
            AVAudioPlayerNode(), timePitch(rate: 1.5), varispeed(rate: 1), engine.mainMixerNode,
        ]
        for node in chain.dropLast() { engine.attach(node) }
        for (node, next) in zip(chain, chain.dropFirst()) { engine.connect(node, to: next, format: .mono) }
        let player = try #require(chain[0] as? AVAudioPlayerNode)
        try engine.start()
        // 80 ms in real time; in virtual time each cycle finds as much as the longest would need.
        let feed = try #require(engine.control.state.withLock { $0.nodes.values.compactMap(\.feed).first })
        #expect(feed.readAheadFrames == 3840)
        player.scheduleBuffer(
            AVAudioPCMBuffer([tone(440, frames: 4800)]), at: nil, options: .loops)
        player.play()
        machine.advance(frames: 48_000)
        let start = machine.host.frame
        (chain[1] as? AVAudioUnitTimePitch)?.pitch = 1200
        machine.advance(frames: 48_000)
        let heard = machine.heard(since: start)[0]
        // And a piece of the stretcher's, 2352 frames at that rate.
        let latest = EngineController.maximumFrames + 2352
        #expect(abs(Listening.frequency(heard[latest...]) - 880) < 2 * EffectBench.hertz)
        #expect(Listening.quietestPeak(heard) > 0.25)
    }

    @Test func stop_dropsWhatTheEffectHolds_andTheNextBeginsAnew() throws {
        let bench = try EffectBench([timePitch(rate: 1.5), varispeed(rate: 1)])
        bench.play(tone(440, frames: 96_000))
        _ = try bench.render(9600)
        bench.player.stop()
        // Fades out within 5 ms.
        #expect(try bench.render(4800)[480...].allSatisfy { $0 == 0 })
        bench.play(tone(1000, frames: 24_000))
        let heard = try bench.render(24_000)
        #expect(abs(Listening.loudFrames(heard) - 16_000) <= EffectBench.reach())
        #expect(abs(Listening.frequency(heard[..<4800]) - 1000) < 5)
    }

    @Test func interruption_replacesWhatTheEffectHolds() throws {
        let bench = try EffectBench([timePitch(rate: 0.75)])
        bench.play(tone(440, frames: 96_000))
        _ = try bench.render(9600)
        bench.player.scheduleBuffer(
            AVAudioPCMBuffer([tone(1000, frames: 24_000)]), at: nil, options: .interrupts)
        let heard = try bench.render(48_000)
        #expect(abs(Listening.frequency(heard[960..<28_800]) - 1000) < 2 * EffectBench.hertz)
        #expect(abs(Listening.loudFrames(heard) - 32_000) <= EffectBench.reach(rate: 0.75))
    }

    @Test func loop_goesOnWithoutASeam() throws {
        let bench = try EffectBench([timePitch(rate: 1.5)])
        // Eleven whole periods.
        bench.player.scheduleBuffer(
            AVAudioPCMBuffer([tone(440, frames: 1200)]), at: nil, options: .loops)
        bench.player.play()
        let heard = try bench.render(96_000)
        #expect(abs(Listening.frequency(heard) - 440) < EffectBench.hertz)
        #expect(Listening.quietestPeak(heard) > 0.4)
    }
}
