import Foundation
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Settings of time pitch and varispeed that change while a player plays, rendered by hand.
@Suite struct EngineEffectChangeTests {
    @Test func rate_whilePlaying_isHeardAtOnce() throws {
        let effect = varispeed(rate: 1)
        let bench = try EffectBench([effect])
        bench.play(tone(440, frames: 480_000))
        _ = try bench.render(48_000)
        effect.rate = 1.5
        let heard = try bench.render(48_000)
        // The resampler's filters reach 100 frames.
        #expect(abs(Listening.frequency(heard[960...]) - 660) < 0.1)
        effect.rate = 0.5
        #expect(abs(Listening.frequency(try bench.render(48_000)[960...]) - 220) < 0.1)
    }

    @Test func pitch_whilePlaying_isHeardWithinATenthOfASecond() throws {
        let effect = timePitch()
        let bench = try EffectBench([effect])
        bench.play(tone(440, frames: 480_000))
        #expect(try bench.render(48_000) == tone(440, frames: 48_000))
        effect.pitch = 1200
        let heard = try bench.render(48_000)
        #expect(abs(Listening.frequency(heard[4800...]) - 880) < 2 * EffectBench.hertz)
        // No hole where the stretcher begins.
        #expect(Listening.quietestPeak(heard) > 0.25)
        effect.pitch = -1200
        #expect(abs(Listening.frequency(try bench.render(48_000)[4800...]) - 220) < EffectBench.hertz)
    }

    @Test func rate_whilePlaying_stretchesTheRest_andCompletesAtItsEnd() throws {
        let effect = timePitch(rate: 2)
        let bench = try EffectBench([effect])
        let history = History<String>()
        bench.player.scheduleBuffer(
            AVAudioPCMBuffer([tone(440, frames: 96_000)]), completionCallbackType: .dataRendered
        ) { history.append("\($0)") }
        bench.player.play()
        _ = try bench.render(24_000)
        effect.rate = 0.5
        var heard: [Float] = []
        while history.entries.isEmpty, heard.count < 120_000 { heard += try bench.render(480) }
        #expect(history.entries == ["dataRendered"])
        // Half of it is over, and a piece of the stretcher's, 1536 frames at that rate, and a block on its way may be
        // ready; the rest takes four times as long as it would have.
        #expect((96_000 - 3 * (1536 + 480)...96_480).contains(heard.count))
        #expect((0...EffectBench.reach(rate: 0.5) + 480).contains(heard.count - Listening.loudFrames(heard)))
        #expect(Listening.quietestPeak(heard.prefix(86_400)) > 0.25)
        #expect(try bench.render(4800) == silence(4800))
    }

    /// Up to two octaves either way, a hundred times: what the library makes of that stays what is counted.
    @Test(arguments: [-2400...0, 1...2400, -2400...2400, 0...0] as [ClosedRange<Float>])
    func settings_changedVeryOften_endWithTheSound(pitches: ClosedRange<Float>) throws {
        let effect = timePitch(rate: 1.5)
        let bench = try EffectBench([effect])
        let history = History<Int>()
        bench.player.scheduleBuffer(
            AVAudioPCMBuffer([tone(440, frames: 300_000)]), completionCallbackType: .dataRendered
        ) { _ in history.append(1) }
        bench.player.play()
        var random = Seeded(seed: 12)
        var heard: [Float] = []
        for step in 0..<100 {
            effect.pitch = Float.random(in: pitches, using: &random)
            effect.rate = step.isMultiple(of: 2) ? 2 : 1
            heard += try bench.render(1440)
        }
        while history.entries.isEmpty, heard.count < 600_000 { heard += try bench.render(480) }
        #expect(history.entries == [1])
        #expect((0...EffectBench.reach() + 480).contains(heard.count - Listening.loudFrames(heard)))
        let node = try #require(bench.player.lastRenderTime)
        let time = try #require(bench.player.playerTime(forNodeTime: node)).sampleTime
        // The last cycle began a step before the end.
        #expect(abs(time - 300_000) <= 480 + Int64(EffectBench.reach()))
    }
}
