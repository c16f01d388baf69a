import Foundation
import Testing

@testable import OpenAVFAudio

/// What time pitch and varispeed do to what a player plays, rendered by hand.
@Suite struct EngineEffectTests {
    /// Crossings of zero say the frequency of a second of a tone to 0.01 Hz; each join of two pieces of stretched sound
    /// may move one by a few frames, which over a second stays below this.
    private static let hertz = 1.5

    /// The middle, away from beginning and end.
    private func middle(_ samples: [Float], of length: Int) -> ArraySlice<Float> {
        samples[(length / 10)..<(length * 8 / 10)]
    }

    // MARK: Speed and pitch

    @Test(arguments: [Float(0.25), 0.5, 0.75, 1.25, 1.5, 2, 3, 8, 32])
    func timePitchRate_changesTheLength_andNotThePitch(rate: Float) throws {
        let bench = try EffectBench([timePitch(rate: rate)])
        let frames = rate > 4 ? 480_000 : 96_000
        bench.play(Listening.tone(440, frames: frames))
        let length = Int((Double(frames) / Double(rate)).rounded())
        let heard = try bench.render(length + 9600)
        #expect(abs(Listening.loudFrames(heard) - length) <= EffectBench.reach(rate: rate))
        #expect(heard[length...].allSatisfy { $0 == 0 })
        #expect(abs(Listening.frequency(middle(heard, of: length)) - 440) < Self.hertz)
        #expect(Listening.quietestPeak(middle(heard, of: length)) > 0.4)
    }

    @Test(arguments: [Float(-2400), -1200, -700, 50, 700, 1200, 2400])
    func timePitchPitch_changesThePitch_andNotTheLength(cents: Float) throws {
        let bench = try EffectBench([timePitch(pitch: cents)])
        bench.play(Listening.tone(440, frames: 96_000))
        let heard = try bench.render(105_600)
        #expect(abs(Listening.loudFrames(heard) - 96_000) <= EffectBench.reach())
        #expect(heard[96_000...].allSatisfy { $0 == 0 })
        let expected = 440 * exp2(Double(cents) / 1200)
        // Relative to the tone: a join of two pieces moves crossings by a part of its period.
        #expect(abs(Listening.frequency(middle(heard, of: 96_000)) / expected - 1) < 0.003)
    }

    @Test func overlap_changesTheJoins_andNeitherLengthNorPitch() throws {
        var heard: [[Float]] = []
        for overlap in [Float(3), 32] {
            let effect = timePitch(rate: 1.5)
            effect.overlap = overlap
            let bench = try EffectBench([effect])
            bench.play(Listening.tone(440, frames: 96_000))
            heard.append(try bench.render(67_200))
        }
        #expect(heard[0] != heard[1])
        for samples in heard {
            #expect(abs(Listening.frequency(middle(samples, of: 64_000)) - 440) < Self.hertz)
            // As in `reach`, with the longer fade.
            #expect(abs(Listening.loudFrames(samples) - 64_000) <= Int(0.052 * 48_000))
        }
    }

    @Test(arguments: [Float(0.25), 0.5, 0.75, 1, 1.5, 2, 4])
    func varispeedRate_changesLengthAndPitch(rate: Float) throws {
        let bench = try EffectBench([varispeed(rate: rate)])
        bench.play(Listening.tone(440, frames: 96_000))
        let length = Int((96_000 / Double(rate)).rounded())
        let heard = try bench.render(length + 9600)
        // The filters ring over the end; the library's delay is 2 frames.
        #expect(abs(Listening.loudFrames(heard) - length) <= 64)
        #expect(heard[length...].allSatisfy { $0 == 0 })
        // A resampler has no joins: what a counting of crossings can tell.
        #expect(abs(Listening.frequency(middle(heard, of: length)) - 440 * Double(rate)) < 0.05)
    }

    @Test func chain_ofBoth_multipliesSpeeds_andAddsPitches() throws {
        // An octave up by the tape and one down by the stretcher: the tone itself, at three times the speed.
        let bench = try EffectBench([timePitch(rate: 1.5, pitch: -1200), varispeed(rate: 2)])
        bench.play(Listening.tone(440, frames: 96_000))
        let heard = try bench.render(38_400)
        #expect(abs(Listening.loudFrames(heard) - 32_000) <= EffectBench.reach())
        // Each of the two rounds its length.
        #expect(heard[32_001...].allSatisfy { $0 == 0 })
        #expect(abs(Listening.frequency(middle(heard, of: 32_000)) - 440) < Self.hertz)
    }

    @Test func chain_atAnotherRateThanTheEngine_soundsTheSame() throws {
        let bench = try EffectBench([varispeed(rate: 2), timePitch(pitch: -1200)], format: .standard(1, rate: 44_100))
        bench.play(Listening.tone(440, frames: 88_200, rate: 44_100), rate: 44_100)
        let heard = try bench.render(57_600)
        #expect(abs(Listening.loudFrames(heard) - 48_000) <= EffectBench.reach())
        #expect(abs(Listening.frequency(middle(heard, of: 48_000)) - 440) < Self.hertz)
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

    // MARK: The player

    @Test func playerTime_runsAtTheRate_andFollowsItsChange() throws {
        let effect = varispeed(rate: 2)
        let bench = try EffectBench([effect])
        bench.play(Listening.tone(440, frames: 480_000))
        func time() throws -> Int64 {
            let node = try #require(bench.player.lastRenderTime)
            return try #require(bench.player.playerTime(forNodeTime: node)).sampleTime
        }
        _ = try bench.render(4800)
        // The last cycle began one step before the end.
        #expect(try time() == 2 * (4800 - 480))
        effect.rate = 0.5
        _ = try bench.render(4800)
        let changed = try time()
        // What had left the converter before, one block of 1024 frames at the most, still counts double.
        let expected: Int64 = 9600 + 2160
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
            AVAudioPCMBuffer([Listening.tone(440, frames: 9600)]), at: AVAudioTime(sampleTime: 4800, atRate: 48_000))
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
                AVAudioPCMBuffer([Listening.tone(440, frames: 24_000)]), completionCallbackType: .dataPlayedBack
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
        let machine = try EngineMachine()
        let engine = machine.engine()
        let (player, effect) = (AVAudioPlayerNode(), timePitch(rate: 2))
        engine.attach(player)
        engine.attach(effect)
        engine.connect(player, to: effect, format: .mono)
        engine.connect(effect, to: engine.mainMixerNode, format: .mono)
        try engine.start()
        let history = History<String>()
        player.scheduleBuffer(
            AVAudioPCMBuffer([Listening.tone(440, frames: 48_000)]), completionCallbackType: .dataPlayedBack
        ) { history.append("\($0)") }
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 24_000)
        #expect(history.entries == [])
        machine.advance(frames: 9600)
        #expect(history.entries == ["dataPlayedBack"])
        let heard = machine.heard(since: start)[0]
        #expect(abs(Listening.loudFrames(heard) - 24_000) <= EffectBench.reach())
        #expect(abs(Listening.frequency(middle(heard, of: 24_000)) - 440) < Self.hertz)
    }

    @Test func change_onADevice_isHeardWhenWhatIsFedAheadIsOver() throws {
        let machine = try EngineMachine()
        let engine = machine.engine()
        let chain: [AVAudioNode] = [
            AVAudioPlayerNode(), timePitch(rate: 1.5), varispeed(rate: 1), engine.mainMixerNode,
        ]
        for node in chain.dropLast() { engine.attach(node) }
        for (node, next) in zip(chain, chain.dropFirst()) { engine.connect(node, to: next, format: .mono) }
        let player = try #require(chain[0] as? AVAudioPlayerNode)
        try engine.start()
        // 80 ms in real time; in virtual time each cycle finds as much as the longest would need.
        let feed = try #require(engine.control.state.withLock { $0.feeds.values.first })
        #expect(feed.readAheadFrames == 3840)
        player.scheduleBuffer(
            AVAudioPCMBuffer([Listening.tone(440, frames: 4800)]), at: nil, options: .loops)
        player.play()
        machine.advance(frames: 48_000)
        let start = machine.host.frame
        (chain[1] as? AVAudioUnitTimePitch)?.pitch = 1200
        machine.advance(frames: 48_000)
        let heard = machine.heard(since: start)[0]
        // And a piece of the stretcher's, 2352 frames at that rate.
        let latest = EngineControl.maximumFrames + 2352
        #expect(abs(Listening.frequency(heard[latest...]) - 880) < 2 * Self.hertz)
        #expect(Listening.quietestPeak(heard) > 0.25)
    }

    @Test func stop_dropsWhatTheEffectHolds_andTheNextBeginsAnew() throws {
        let bench = try EffectBench([timePitch(rate: 1.5), varispeed(rate: 1)])
        bench.play(Listening.tone(440, frames: 96_000))
        _ = try bench.render(9600)
        bench.player.stop()
        // Fades out within 5 ms.
        #expect(try bench.render(4800)[480...].allSatisfy { $0 == 0 })
        bench.play(Listening.tone(1000, frames: 24_000))
        let heard = try bench.render(24_000)
        #expect(abs(Listening.loudFrames(heard) - 16_000) <= EffectBench.reach())
        #expect(abs(Listening.frequency(heard[..<4800]) - 1000) < 5)
    }

    @Test func interruption_replacesWhatTheEffectHolds() throws {
        let bench = try EffectBench([timePitch(rate: 0.75)])
        bench.play(Listening.tone(440, frames: 96_000))
        _ = try bench.render(9600)
        bench.player.scheduleBuffer(
            AVAudioPCMBuffer([Listening.tone(1000, frames: 24_000)]), at: nil, options: .interrupts)
        let heard = try bench.render(48_000)
        #expect(abs(Listening.frequency(heard[960..<28_800]) - 1000) < 2 * Self.hertz)
        #expect(abs(Listening.loudFrames(heard) - 32_000) <= EffectBench.reach(rate: 0.75))
    }

    @Test func loop_goesOnWithoutASeam() throws {
        let bench = try EffectBench([timePitch(rate: 1.5)])
        // Eleven whole periods.
        bench.player.scheduleBuffer(
            AVAudioPCMBuffer([Listening.tone(440, frames: 1200)]), at: nil, options: .loops)
        bench.player.play()
        let heard = try bench.render(96_000)
        #expect(abs(Listening.frequency(heard) - 440) < Self.hertz)
        #expect(Listening.quietestPeak(heard) > 0.4)
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
        bench.play(Listening.tone(440, frames: 96_000))
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
        // It begins when what sounded has decayed, after 5 ms, and fades in as long.
        #expect(Array(heard[480..<9840]) == ramp(241, 9360))
        #expect(heard[9840...].allSatisfy { $0 == 0 })
    }
}
