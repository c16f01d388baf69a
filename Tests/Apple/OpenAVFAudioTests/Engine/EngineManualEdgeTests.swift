import Foundation
import TestSupport
import Testing

@testable import OpenAVFAudio

// Helpers: EffectBench.swift

/// Where sound begins and ends in manual rendering: at the frame, as on iOS.
///
/// On a device it fades for 5 ms (EnginePlayingTests).
@Suite struct EngineManualEdgeTests {
    private let tone = ramp(1, 4800)

    private func bench(_ effects: [AVAudioUnit] = [], step: UInt32 = 100) throws -> EffectBench {
        try EffectBench(effects, step: step)
    }

    // MARK: Players

    @Test func pause_byHand_endsAtTheFrame_andPlayGoesOnWithTheNext() throws {
        let bench = try bench()
        bench.play(tone)
        #expect(try bench.render(300) == ramp(1, 300))
        bench.player.pause()
        #expect(try bench.render(500) == silence(500))
        bench.player.play()
        #expect(try bench.render(700) == ramp(301, 700))
    }

    @Test func stop_byHand_endsAtTheFrame_andTheNextItemBeginsWithItsFirst() throws {
        let bench = try bench()
        bench.play(tone)
        _ = try bench.render(300)
        bench.player.stop()
        #expect(try bench.render(300) == silence(300))
        // Not at a beginning, where no ramp would be anyway.
        let time = AVAudioTime(sampleTime: 50, atRate: 48_000)
        bench.player.scheduleBuffer(AVAudioPCMBuffer([ramp(5001, 400)]), at: time)
        bench.player.play()
        #expect(try bench.render(500) == silence(50) + ramp(5001, 400) + silence(50))
    }

    @Test func interruption_ofAnItem_byHand_endsAtTheFrame() throws {
        let bench = try bench()
        bench.play(tone)
        _ = try bench.render(300)
        bench.player.scheduleBuffer(AVAudioPCMBuffer([ramp(5001, 400)]), at: nil, options: .interrupts)
        #expect(try bench.render(400) == ramp(5001, 400))
    }

    @Test func play_atASampleTime_byHand_beginsAtTheFrame_alsoInTheMiddle() throws {
        let bench = try bench()
        bench.play(tone)
        _ = try bench.render(300)
        bench.player.pause()
        bench.player.play(at: AVAudioTime(sampleTime: 450, atRate: 48_000))
        #expect(try bench.render(300) == silence(150) + ramp(301, 150))
    }

    // MARK: Host times

    @Test func hostTime_byHand_isIgnored() throws {
        let bench = try bench()
        let later = AVAudioTime(hostTime: AVAudioTime.hostTime(forSeconds: 1e9))
        bench.player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 150)]), at: later)
        bench.player.scheduleBuffer(AVAudioPCMBuffer([ramp(1001, 150)]), at: later)
        bench.player.play(at: later)
        #expect(try bench.render(400) == ramp(1, 150) + ramp(1001, 150) + silence(100))
        let time = try #require(bench.player.lastRenderTime)
        #expect(time.isSampleTimeValid && time.sampleTime == 400)
        #expect(!time.isHostTimeValid)
        #expect(bench.player.playerTime(forNodeTime: later) == nil)
    }

    // MARK: The graph

    @Test func disconnectAndDetach_byHand_endAtTheFrame() throws {
        let bench = try bench()
        bench.play(tone)
        _ = try bench.render(300)
        bench.engine.disconnectNodeOutput(bench.player)
        #expect(try bench.render(300) == silence(300))
        bench.engine.connect(bench.player, to: bench.engine.mainMixerNode, format: .mono)
        bench.play(tone)
        #expect(try bench.render(300).last != 0)
        bench.engine.detach(bench.player)
        #expect(try bench.render(300) == silence(300))
    }

    @Test func disconnect_ofASourceNode_byHand_endsAtTheFrame_andConnectBeginsThere() throws {
        let source = AVAudioSourceNode { _, time, frames, list in
            let data = UnsafeMutableAudioBufferListPointer(list)[0].mData?.assumingMemoryBound(to: Float.self)
            data?.update(repeating: 1, count: Int(frames))
            return noErr
        }
        let bench = try EffectBench([], source: source, step: 100)
        #expect(try bench.render(300) == ones(300))
        bench.engine.disconnectNodeOutput(source)
        #expect(try bench.render(300) == silence(300))
        bench.engine.connect(source, to: bench.engine.mainMixerNode, format: .mono)
        #expect(try bench.render(300) == ones(300))
        // Where a restart comes between two cycles.
        bench.engine.stop()
        try bench.engine.start()
        #expect(try bench.render(300) == ones(300))
    }

    @Test func volume_byHand_slides_asASettingDoes() throws {
        let bench = try bench()
        bench.play(ones(4800))
        _ = try bench.render(300)
        bench.player.volume = 0
        let heard = try bench.render(300)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 < 2 / 240 })
        #expect(heard[0] > 0.9)
        #expect(heard[240...].allSatisfy { $0 == 0 })
    }

    @Test func playerBehindAMixer_beforeATimeEffect_byHand_endsAtTheFrame() throws {
        let (mixer, effect) = (AVAudioMixerNode(), timePitch())
        let bench = try EffectBench([effect], step: 100)
        bench.engine.attach(mixer)
        bench.engine.connect(bench.player, to: mixer, format: .mono)
        bench.engine.connect(mixer, to: effect, format: .mono)
        bench.play(tone)
        #expect(try bench.render(300) == ramp(1, 300))
        bench.player.pause()
        #expect(try bench.render(300) == silence(300))
        bench.player.play()
        #expect(try bench.render(300) == ramp(301, 300))
    }

    // MARK: Effects

    private func ones(_ count: Int) -> [Float] { [Float](repeating: 1, count: count) }

    /// Of all that this library has: the output becomes another effect while the engine renders, and that is bypassed.
    @Test(arguments: [
        kAudioUnitSubType_DynamicsProcessor, kAudioUnitSubType_PeakLimiter, kAudioUnitSubType_LowPassFilter,
        kAudioUnitSubType_HighPassFilter, kAudioUnitSubType_BandPassFilter, kAudioUnitSubType_LowShelfFilter,
        kAudioUnitSubType_HighShelfFilter, kAudioUnitSubType_ParametricEQ, kAudioUnitSubType_NBandEQ,
        kAudioUnitSubType_Delay, kAudioUnitSubType_Reverb2, kAudioUnitSubType_Distortion,
    ])
    func effectThatComesWhileItRenders_andIsBypassed_passesEveryFrame(_ subType: UInt32) throws {
        let bench = try bench()
        bench.play(ones(4800))
        #expect(try bench.render(300) == ones(300))
        let effect = AVAudioUnitEffect(
            audioComponentDescription: AudioComponentDescription(
                componentType: kAudioUnitType_Effect, componentSubType: subType,
                componentManufacturer: kAudioUnitManufacturer_Apple, componentFlags: 0, componentFlagsMask: 0))
        bench.engine.attach(effect)
        bench.engine.connect(effect, to: bench.engine.mainMixerNode, format: .mono)
        bench.engine.connect(bench.player, to: effect, format: .mono)
        effect.bypass = true
        bench.player.stop()
        bench.play(ones(4800))
        #expect(try bench.render(900) == ones(900))
    }

    @Test func timePitch_thatIsNeutralAgain_passesEveryBit_onceWhatItHoldsIsOut() throws {
        let effect = timePitch(rate: 2)
        let bench = try EffectBench([effect])
        bench.play(ramp(1, 160_000))
        _ = try bench.render(48_000)
        effect.rate = 1
        _ = try bench.render(9600)
        let heard = try bench.render(9600)
        let first = Int(heard[0] * 65_536)
        #expect(heard == ramp(first, 9600))
        // A second at twice the speed and what was rendered since, except what the stretcher rounds.
        #expect((96_000 + 9600 - 4800...96_000 + 9600 + 4800).contains(first))
    }

    @Test func timePitch_afterReset_passesEveryBitAtOnce() throws {
        let effect = timePitch(rate: 2)
        let source = AVAudioSourceNode { _, time, frames, list in
            let data = UnsafeMutableAudioBufferListPointer(list)[0].mData?.assumingMemoryBound(to: Float.self)
            data?.update(repeating: 0.5, count: Int(frames))
            return noErr
        }
        let bench = try EffectBench([effect], source: source, step: 1024)
        _ = try bench.render(48_000)
        // A short request leaves nothing ahead.
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 68))
        _ = try bench.engine.renderOffline(68, to: buffer)
        effect.rate = 1
        #expect(AudioUnitReset(effect.audioUnit, kAudioUnitScope_Global, 0) == noErr)
        #expect(try bench.render(48_000).allSatisfy { $0 == 0.5 })
    }

    /// What the effect held is left out, and the player's time says so.
    @Test func reset_ofATimePitch_leavesOutWhatItHolds_andTheTimeOfThePlayerFollows() throws {
        let effect = timePitch(rate: 2)
        let bench = try EffectBench([effect], step: 480)
        let tone = ramp(1, 48_000)
        bench.play(tone)
        _ = try bench.render(9600)
        effect.rate = 1
        effect.reset()
        let heard = try bench.render(4800)
        // The last request may have left some frames that were stretched ahead.
        let rest = Array(heard[480...])
        #expect(rest == ramp(Int(rest[0] * 65_536), 4320))
        let node = try #require(bench.player.lastRenderTime)
        let time = try #require(bench.player.playerTime(forNodeTime: node)).sampleTime
        #expect(abs(Float(time) - heard[4799] * 65_536) <= 1)
    }
}
