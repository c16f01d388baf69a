import Foundation
import TestSupport
import Testing

@testable import OpenAVFAudio

// Helpers: EffectBench.swift

/// What time pitch and varispeed do to what a player plays, rendered by hand.
@Suite struct EngineEffectTests {
    // MARK: Speed and pitch

    @Test(arguments: [Float(0.25), 0.5, 0.75, 1.25, 1.5, 2, 3, 8, 32])
    func timePitchRate_changesTheLength_andNotThePitch(rate: Float) throws {
        let bench = try EffectBench([timePitch(rate: rate)])
        let frames = rate > 4 ? 480_000 : 96_000
        bench.play(tone(440, frames: frames))
        let length = Int((Double(frames) / Double(rate)).rounded())
        let heard = try bench.render(length + 9600)
        #expect(abs(Listening.loudFrames(heard) - length) <= EffectBench.reach(rate: rate))
        #expect(heard[length...].allSatisfy { $0 == 0 })
        #expect(abs(Listening.frequency(Listening.middle(heard, of: length)) - 440) < EffectBench.hertz)
        #expect(Listening.quietestPeak(Listening.middle(heard, of: length)) > 0.4)
    }

    @Test(arguments: [Float(-2400), -1200, -700, 50, 700, 1200, 2400])
    func timePitchPitch_changesThePitch_andNotTheLength(cents: Float) throws {
        let bench = try EffectBench([timePitch(pitch: cents)])
        bench.play(tone(440, frames: 96_000))
        let heard = try bench.render(105_600)
        #expect(abs(Listening.loudFrames(heard) - 96_000) <= EffectBench.reach())
        #expect(heard[96_000...].allSatisfy { $0 == 0 })
        let expected = 440 * exp2(Double(cents) / 1200)
        // Relative to the tone: a join of two pieces moves crossings by a part of its period.
        #expect(abs(Listening.frequency(Listening.middle(heard, of: 96_000)) / expected - 1) < 0.003)
    }

    /// AudioKit sets a reverb's mix to 0 after it has connected it to a running engine, and wants each sample to be as it came.
    @Test func setting_afterTheStartAndBeforeTheFirstFrame_doesNotSlide() throws {
        let (reverb, equalizer) = (AVAudioUnitReverb(), AVAudioUnitEQ(numberOfBands: 1))
        reverb.wetDryMix = 50
        equalizer.globalGain = -6
        let bench = try EffectBench([reverb, equalizer])
        reverb.wetDryMix = 0
        equalizer.globalGain = 0
        let ones = [Float](repeating: 1, count: 960)
        bench.play(ones)
        #expect(try bench.render(960) == ones)
    }

    @Test func overlap_changesTheJoins_andNeitherLengthNorPitch() throws {
        var heard: [[Float]] = []
        for overlap in [Float(3), 32] {
            let effect = timePitch(rate: 1.5)
            effect.overlap = overlap
            let bench = try EffectBench([effect])
            bench.play(tone(440, frames: 96_000))
            heard.append(try bench.render(67_200))
        }
        #expect(heard[0] != heard[1])
        for samples in heard {
            #expect(abs(Listening.frequency(Listening.middle(samples, of: 64_000)) - 440) < EffectBench.hertz)
            // As in `reach`, with the longer fade.
            #expect(abs(Listening.loudFrames(samples) - 64_000) <= Int(0.052 * 48_000))
        }
    }

    @Test(arguments: [Float(0.25), 0.5, 0.75, 1, 1.5, 2, 4])
    func varispeedRate_changesLengthAndPitch(rate: Float) throws {
        let bench = try EffectBench([varispeed(rate: rate)])
        bench.play(tone(440, frames: 96_000))
        let length = Int((96_000 / Double(rate)).rounded())
        let heard = try bench.render(length + 9600)
        // The filters ring over the end; the library's delay is 2 frames.
        #expect(abs(Listening.loudFrames(heard) - length) <= 64)
        #expect(heard[length...].allSatisfy { $0 == 0 })
        // A resampler has no joins: what a counting of crossings can tell.
        #expect(abs(Listening.frequency(Listening.middle(heard, of: length)) - 440 * Double(rate)) < 0.05)
    }

    @Test func chain_ofBoth_multipliesSpeeds_andAddsPitches() throws {
        // An octave up by the tape and one down by the stretcher: the tone itself, at three times the speed.
        let bench = try EffectBench([timePitch(rate: 1.5, pitch: -1200), varispeed(rate: 2)])
        bench.play(tone(440, frames: 96_000))
        let heard = try bench.render(38_400)
        #expect(abs(Listening.loudFrames(heard) - 32_000) <= EffectBench.reach())
        // Each of the two rounds its length.
        #expect(heard[32_001...].allSatisfy { $0 == 0 })
        #expect(abs(Listening.frequency(Listening.middle(heard, of: 32_000)) - 440) < EffectBench.hertz)
    }

    @Test func chain_atAnotherRateThanTheEngine_soundsTheSame() throws {
        let bench = try EffectBench([varispeed(rate: 2), timePitch(pitch: -1200)], format: .standard(1, rate: 44_100))
        bench.play(tone(440, frames: 88_200, rate: 44_100), rate: 44_100)
        let heard = try bench.render(57_600)
        #expect(abs(Listening.loudFrames(heard) - 48_000) <= EffectBench.reach())
        #expect(abs(Listening.frequency(Listening.middle(heard, of: 48_000)) - 440) < EffectBench.hertz)
    }

    // MARK: Nothing changed

    @Test func timePitch_whileNeutral_passesBitByBit() throws {
        let bench = try EffectBench([timePitch()], format: .stereo, rendering: .stereo)
        let channels = [ramp(1, 9600), ramp(20_001, 9600)]
        bench.player.scheduleBuffer(AVAudioPCMBuffer(channels))
        bench.player.play()
        #expect(try bench.renderAll(9600) == channels)
    }

    @Test func bypass_passesBitByBit_whateverIsSet() throws {
        let effects: [AVAudioUnitTimeEffect] = [timePitch(rate: 2, pitch: 700), varispeed(rate: 0.5)]
        for effect in effects { effect.bypass = true }
        #expect(effects.map(\.bypass) == [true, true])
        #expect(effects[0].auAudioUnit.shouldBypassEffect)
        let bench = try EffectBench(effects)
        bench.play(ramp(1, 9600))
        #expect(try bench.render(9600) == ramp(1, 9600))
    }

    @Test func bypass_whilePlaying_letsOutWhatIsHeld_andGoesOnBitByBit() throws {
        let effect = varispeed(rate: 2)
        let bench = try EffectBench([effect], step: 100)
        bench.play(ramp(1, 48_000))
        _ = try bench.render(1000)
        effect.auAudioUnit.shouldBypassEffect = true
        #expect(effect.bypass)
        let rest = try bench.render(48_000)
        // One step was fed when the setting came: 1100 frames at the most came out doubly fast.
        let end = Listening.loudFrames(rest)
        #expect((48_000 - 2 * 1100 - 1024...48_000 - 2 * 1000).contains(end))
        #expect(Array(rest[5000..<end]) == ramp(48_001 - (end - 5000), end - 5000))
    }

    // MARK: The graph

    @Test func sourceNode_isAskedForWhatTheRateNeeds() throws {
        let asked = History<Int>()
        let source = AVAudioSourceNode { _, time, frames, list in
            asked.append(Int(frames))
            let data = UnsafeMutableAudioBufferListPointer(list)[0].mData?.assumingMemoryBound(to: Float.self)
            for frame in 0..<Int(frames) {
                data?[frame] = Float(0.5 * sin(2 * .pi * 440 * (time.pointee.mSampleTime + Double(frame)) / 48_000))
            }
            return noErr
        }
        let bench = try EffectBench([varispeed(rate: 2)], source: source)
        let heard = try bench.render(48_000)
        #expect(abs(Listening.frequency(heard[480...]) - 880) < 0.05)
        // What the filters reach ahead, and the smallest block, come on top.
        #expect((96_000...97_000).contains(asked.entries.reduce(0, +)))
    }

    @Test func tap_onTheEffect_hearsWhatItPlays() throws {
        let effect = timePitch(rate: 2)
        let bench = try EffectBench([effect])
        let tapped = History<[Float]>()
        effect.installTap(onBus: 0, bufferSize: 4800, format: nil) { buffer, _ in tapped.append(buffer.channels[0]) }
        bench.play(tone(440, frames: 96_000))
        let heard = try bench.render(48_000)
        effect.removeTap(onBus: 0)
        let samples = Array(tapped.entries.joined())
        #expect(samples.count >= 43_200)
        #expect(samples == Array(heard.prefix(samples.count)))
    }

    @Test func volumeAndPan_ofThePlayer_holdAtTheMixer() throws {
        let effect = timePitch()
        let bench = try EffectBench([effect], rendering: .stereo)
        bench.player.volume = 0.5
        bench.player.pan = -1
        let point = try #require(
            bench.player.destination(forMixer: bench.engine.mainMixerNode, bus: 0), "through the effect")
        #expect(point.volume == 0.5)
        bench.play([Float](repeating: 0.5, count: 4800))
        let heard = try bench.renderAll(480)
        #expect(heard[0].allSatisfy { $0 == 0.25 })
        #expect(heard[1].allSatisfy { $0 == 0 })
        point.volume = 1
        // A slide of 5 ms.
        #expect(try bench.renderAll(480)[0].last == 0.5)
    }

    @Test func chain_editedWhilePlaying_beginsTheItemAnew() throws {
        let bench = try EffectBench([timePitch()])
        bench.play(ramp(1, 9600))
        #expect(try bench.render(960) == ramp(1, 960))
        bench.engine.connect(bench.player, to: bench.engine.mainMixerNode, format: .mono)
        let heard = try bench.render(14_400)
        #expect(heard == ramp(1, 9600) + silence(4800))
    }
}
