import Foundation
import RuntimeTestSupport
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio

// Helpers: EffectBench.swift

/// The effects that run in the render cycle.
@Suite struct CycleEffectTests {
    /// The amplitude of a tone in a part of a sound.
    private static func level(_ sound: ArraySlice<Float>, _ frequency: Double) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in sound.enumerated() {
            let angle = 2 * .pi * frequency * Double(index) / 48_000
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(sound.count)
    }

    private static func roughness(_ sound: [Float]) -> Float {
        (2..<sound.count).map { abs(sound[$0] - 2 * sound[$0 - 1] + sound[$0 - 2]) }.max() ?? 0
    }

    // MARK: Values

    @Test func equalizer_hasItsBands_andKeepsWhatIsSet() {
        let equalizer = AVAudioUnitEQ(numberOfBands: 3)
        #expect(equalizer.bands.count == 3)
        #expect(equalizer.globalGain == 0)
        #expect(!equalizer.bypass)
        let band = equalizer.bands[1]
        #expect(band.bypass)
        #expect(band.filterType == .parametric)
        #expect([band.frequency, band.bandwidth, band.gain] == [1000, 0.5, 0])
        for type in (0...10).map({ AVAudioUnitEQFilterType(rawValue: $0) }) {
            band.filterType = type ?? .parametric
            #expect(band.filterType == type)
        }
        let types: [AVAudioUnitEQFilterType] = [
            .parametric, .lowPass, .highPass, .resonantLowPass, .resonantHighPass, .bandPass, .bandStop, .lowShelf,
            .highShelf, .resonantLowShelf, .resonantHighShelf,
        ]
        #expect(types.map(\.rawValue) == Array(0...10))
        (band.frequency, band.bandwidth, band.gain, band.bypass) = (5, 9, 99, false)
        #expect([band.frequency, band.bandwidth, band.gain] == [20, 5, 24])
        #expect(!band.bypass)
        band.gain = .nan
        #expect(band.gain == 24)
        equalizer.globalGain = -200
        #expect(equalizer.globalGain == -96)
        #expect(equalizer.bands[0].bypass && equalizer.bands[2].frequency == 1000)
        #expect(AVAudioUnitEQ(numberOfBands: 0).bands.isEmpty)
    }

    @Test func delay_keepsWhatIsSet() {
        let delay = AVAudioUnitDelay()
        #expect(delay.delayTime == 1)
        #expect([delay.feedback, delay.lowPassCutoff, delay.wetDryMix] == [50, 15_000, 100])
        delay.delayTime = 5
        (delay.feedback, delay.lowPassCutoff, delay.wetDryMix) = (-200, 1, 101)
        #expect(delay.delayTime == 2)
        #expect([delay.feedback, delay.lowPassCutoff, delay.wetDryMix] == [-100, 10, 100])
    }

    @Test func reverb_takesEachPreset_andKeepsItsMix() {
        let reverb = AVAudioUnitReverb()
        #expect(reverb.wetDryMix == 100)
        reverb.wetDryMix = 30
        let presets: [AVAudioUnitReverbPreset] = [
            .smallRoom, .mediumRoom, .largeRoom, .mediumHall, .largeHall, .plate, .mediumChamber, .largeChamber,
            .cathedral, .largeRoom2, .mediumHall2, .mediumHall3, .largeHall2,
        ]
        #expect(presets.map(\.rawValue) == Array(0...12))
        let tails = presets.map { preset -> TimeInterval in
            reverb.loadFactoryPreset(preset)
            return reverb.auAudioUnit.tailTime
        }
        #expect(Set(tails).count == 13)
        #expect(tails[8] == tails.max())
        #expect(reverb.wetDryMix == 30)
    }

    @Test func distortion_takesEachPreset_andKeepsGainAndMix() {
        let distortion = AVAudioUnitDistortion()
        #expect([distortion.preGain, distortion.wetDryMix] == [-6, 50])
        (distortion.preGain, distortion.wetDryMix) = (100, 20)
        let presets: [AVAudioUnitDistortionPreset] = [
            .drumsBitBrush, .drumsBufferBeats, .drumsLoFi, .multiBrokenSpeaker, .multiCellphoneConcert,
            .multiDecimated1, .multiDecimated2, .multiDecimated3, .multiDecimated4, .multiDistortedFunk,
            .multiDistortedCubed, .multiDistortedSquared, .multiEcho1, .multiEcho2, .multiEchoTight1,
            .multiEchoTight2, .multiEverythingIsBroken, .speechAlienChatter, .speechCosmicInterference,
            .speechGoldenPi, .speechRadioTower, .speechWaves,
        ]
        #expect(presets.map(\.rawValue) == Array(0...21))
        let states = presets.map { preset -> [AUValue] in
            distortion.loadFactoryPreset(preset)
            return distortion.auAudioUnit.parameterTree?.allParameters.map(\.value) ?? []
        }
        #expect(Set(states).count == 22)
        #expect([distortion.preGain, distortion.wetDryMix] == [20, 20])
    }

    @Test func equalizer_ofTooManyBands_endsTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = AVAudioUnitEQ(numberOfBands: -1) }
    }

    // MARK: One store

    @Test func property_andTree_andCFunctions_areTheSameValue() throws {
        let equalizer = AVAudioUnitEQ(numberOfBands: 2)
        let tree = try #require(equalizer.auAudioUnit.parameterTree)
        let gain = try #require(tree.parameter(withAddress: AUParameterAddress(kAUNBandEQParam_Gain + 1)))
        gain.value = 6
        #expect(equalizer.bands[1].gain == 6)
        equalizer.bands[1].gain = -3
        #expect(gain.value == -3)
        #expect(
            AudioUnitSetParameter(
                equalizer.audioUnit, kAUNBandEQParam_GlobalGain, kAudioUnitScope_Global, 0, -12, 0) == noErr)
        #expect(equalizer.globalGain == -12)
    }

    /// The gain of a whole equalizer is a number for each cycle, of 480 frames here.
    @Test func scheduledValue_isGoneToInAStraightLine_fromItsTimeOn() throws {
        let equalizer = AVAudioUnitEQ(numberOfBands: 0)
        let bench = try EffectBench([equalizer])
        let schedule = equalizer.auAudioUnit.scheduleParameterBlock
        let gain = AUParameterAddress(kAUNBandEQParam_GlobalGain)
        bench.play([Float](repeating: 0.5, count: 96_000))
        _ = try bench.render(4800)
        // From 10 cycles on, over 20.
        schedule(AUEventSampleTimeImmediate + 4800, 9600, gain, -20)
        let before = try bench.render(4800)
        #expect(before.allSatisfy { $0 == 0.5 })
        var levels: [Float] = []
        for _ in 0..<20 {
            _ = try bench.render(480)
            levels.append(equalizer.globalGain)
        }
        #expect(levels.map { $0.rounded() } == (1...20).map { -Float($0) })
        let after = try bench.render(9600)
        #expect(after.suffix(480).allSatisfy { abs($0 - 0.05) < 1e-4 })
        // Now, and at once.
        schedule(AUEventSampleTimeImmediate, 0, gain, 0)
        #expect(equalizer.globalGain == 0)
        // A value that is set ends what is under way.
        schedule(AUEventSampleTimeImmediate, 48_000, gain, -96)
        _ = try bench.render(4800)
        equalizer.globalGain = -6
        _ = try bench.render(4800)
        #expect(equalizer.globalGain == -6)
        // Others' addresses, and no numbers, change nothing.
        schedule(AUEventSampleTimeImmediate, 480, 99_999, 1)
        schedule(AUEventSampleTimeImmediate, 480, gain, .nan)
        _ = try bench.render(4800)
        #expect(equalizer.globalGain == -6)
    }

    @Test func observer_hearsOfAProperty() async throws {
        let delay = AVAudioUnitDelay()
        let tree = try #require(delay.auAudioUnit.parameterTree)
        let values = AsyncStream<[AUValue]>.makeStream()
        let token = tree.token(byAddingParameterObserver: { values.continuation.yield([AUValue($0), $1]) })
        delay.feedback = 25
        for await value in values.stream {
            #expect(value == [AUValue(kDelayParam_Feedback), 25])
            break
        }
        tree.removeParameterObserver(token)
    }

    @Test func recordingObserver_hearsWhatAPropertyHasThen_andNotOtherParameters() throws {
        let equalizer = AVAudioUnitEQ(numberOfBands: 1)
        let address = AUParameterAddress(kAUNBandEQParam_Gain)
        let gain = try #require(equalizer.auAudioUnit.parameterTree?.parameter(withAddress: address))
        let heard = Mutex<[AUValue]>([])
        let token = gain.token(byAddingParameterRecordingObserver: { _, events in
            let value = events.pointee.value
            heard.withLock { $0.append(value) }
        })
        equalizer.bands[0].gain = 6
        equalizer.bands[0].gain = 100
        equalizer.bands[0].gain = .nan
        equalizer.globalGain = 1
        gain.value = -3
        ParameterObserver.drain()
        #expect(heard.withLock { $0 } == [6, 24, -3])
        #expect(equalizer.bands[0].gain == -3)
        gain.removeParameterObserver(token)
    }

    // MARK: Sound

    @Test func equalizer_behindAPlayer_filters() throws {
        let equalizer = AVAudioUnitEQ(numberOfBands: 2)
        let band = equalizer.bands[0]
        (band.filterType, band.frequency, band.gain, band.bypass) = (.parametric, 1000, 12, false)
        let bench = try EffectBench([equalizer])
        bench.play(tone(1000, frames: 24_000, level: 0.25))
        let sound = try bench.render(24_000)
        // +12 dB at its centre.
        #expect(abs(Self.level(sound[9600..<14_400], 1000) - 0.25 * pow(10, 0.6)) < 0.005)
        equalizer.globalGain = -12
        bench.play(tone(1000, frames: 24_000, level: 0.25))
        #expect(abs(Self.level(try bench.render(24_000)[9600..<14_400], 1000) - 0.25) < 0.005)
    }

    @Test func reverb_behindAMixer_soundsOnAfterThePlayer() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let (player, mixer, reverb) = (AVAudioPlayerNode(), AVAudioMixerNode(), AVAudioUnitReverb())
        for node in [player, mixer, reverb] { engine.attach(node) }
        reverb.loadFactoryPreset(.smallRoom)
        engine.connect(player, to: mixer, format: .stereo)
        engine.connect(mixer, to: reverb, format: .stereo)
        engine.connect(reverb, to: engine.outputNode, format: .stereo)
        try engine.enableManualRenderingMode(.offline, format: .stereo, maximumFrameCount: 480)
        try engine.start()
        let played = tone(500, frames: 4800, level: 0.25)
        player.scheduleBuffer(AVAudioPCMBuffer([played, played]))
        player.play()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .stereo, frameCapacity: 480))
        var sound: [Float] = []
        for _ in 0..<300 {
            #expect(try engine.renderOffline(480, to: buffer) == .success)
            sound += buffer.channels[0]
        }
        func peak(_ seconds: Double) -> Float {
            sound[Int(seconds * 48_000)...].prefix(2400).map(abs).max() ?? 0
        }
        // The tone ends at 0.1 s; the room decays by 60 dB in less than a second.
        #expect(peak(0.15) > 0.02)
        #expect(peak(0.15) > 2 * peak(0.4))
        #expect(peak(2.8) < 1e-5)
    }

    @Test func effects_inARow_multiply() throws {
        func equalizer(_ gain: Float) -> AVAudioUnitEQ {
            let equalizer = AVAudioUnitEQ(numberOfBands: 1)
            equalizer.globalGain = gain
            return equalizer
        }
        let bench = try EffectBench([equalizer(-6), equalizer(-6), equalizer(-6), equalizer(12)])
        bench.play(tone(300, frames: 24_000, level: 0.25))
        let sound = try bench.render(24_000)
        #expect(abs(Self.level(sound[4800..<14_400], 300) - 0.25 * pow(10, -6.0 / 20)) < 0.001)
    }

    @Test func effect_ofASingleChannel_soundsOnBoth() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let (player, equalizer) = (AVAudioPlayerNode(), AVAudioUnitEQ(numberOfBands: 1))
        for node in [player, equalizer] { engine.attach(node) }
        engine.connect(player, to: equalizer, format: .mono)
        engine.connect(equalizer, to: engine.outputNode, format: .stereo)
        equalizer.globalGain = -6
        try engine.enableManualRenderingMode(.offline, format: .stereo, maximumFrameCount: 4800)
        try engine.start()
        player.scheduleBuffer(AVAudioPCMBuffer([tone(500, frames: 4800, level: 0.25)]))
        player.play()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .stereo, frameCapacity: 4800))
        #expect(try engine.renderOffline(4800, to: buffer) == .success)
        #expect(buffer.channels[0] == buffer.channels[1])
        #expect(abs(Self.level(buffer.channels[0][960..<2880], 500) - 0.25 * pow(10, -6.0 / 20)) < 0.002)
    }

    @Test func effects_thatAreBypassed_passEveryBit() throws {
        let effects: [AVAudioUnitEffect] = [AVAudioUnitEQ(numberOfBands: 4), AVAudioUnitDelay(), AVAudioUnitReverb()]
        for effect in effects { effect.bypass = true }
        #expect(effects.allSatisfy { $0.bypass })
        let bench = try EffectBench(effects)
        let played = tone(440, frames: 9600, level: 0.25)
        bench.play(played)
        let isSame = try bench.render(9600).prefix(9600).elementsEqual(played)
        #expect(isSame)
    }

    @Test func settings_thatChangeWhilePlaying_makeNoClick() throws {
        let (equalizer, delay) = (AVAudioUnitEQ(numberOfBands: 1), AVAudioUnitDelay())
        (delay.wetDryMix, delay.delayTime, delay.feedback) = (0, 0.1, 0)
        let bench = try EffectBench([equalizer, delay])
        bench.play(tone(100, frames: 96_000, level: 0.25))
        var sound: [Float] = []
        for step in 0..<20 {
            sound += try bench.render(2400)
            switch step % 4 {
            case 0: equalizer.bands[0].bypass.toggle()
            case 1: (equalizer.bands[0].frequency, equalizer.bands[0].gain) = (100, 6)
            case 2: equalizer.bypass.toggle()
            default: equalizer.bands[0].filterType = step < 10 ? .lowShelf : .parametric
            }
        }
        // The tone's own is 0.0001; a step of the half of its amplitude within 5 ms, 240 frames, has corners of 0.001.
        #expect(Self.roughness(sound) < 0.004)
        #expect(sound.map(abs).max()! > 0.3)
    }

    @Test(arguments: [
        kAudioUnitSubType_DynamicsProcessor, kAudioUnitSubType_PeakLimiter, kAudioUnitSubType_LowPassFilter,
        kAudioUnitSubType_HighPassFilter, kAudioUnitSubType_BandPassFilter, kAudioUnitSubType_LowShelfFilter,
        kAudioUnitSubType_HighShelfFilter, kAudioUnitSubType_ParametricEQ, kAudioUnitSubType_NBandEQ,
        kAudioUnitSubType_Delay, kAudioUnitSubType_Reverb2, kAudioUnitSubType_Distortion,
    ])
    func effect_fromADescription_changesTheSound(_ subType: UInt32) throws {
        let effect = AVAudioUnitEffect(
            audioComponentDescription: AudioComponentDescription(
                componentType: kAudioUnitType_Effect, componentSubType: subType,
                componentManufacturer: kAudioUnitManufacturer_Apple, componentFlags: 0, componentFlagsMask: 0))
        let tree = try #require(effect.auAudioUnit.parameterTree)
        #expect(!tree.allParameters.isEmpty)
        // What passes sound at its defaults.
        switch subType {
        case kAudioUnitSubType_NBandEQ, kAudioUnitSubType_LowPassFilter: tree.parameter(withAddress: 0)?.value = -12
        case kAudioUnitSubType_ParametricEQ, kAudioUnitSubType_PeakLimiter:
            tree.parameter(withAddress: 2)?.value = -12
        case kAudioUnitSubType_LowShelfFilter, kAudioUnitSubType_HighShelfFilter:
            tree.parameter(withAddress: 1)?.value = -12
        default: break
        }
        let bench = try EffectBench([effect])
        let noise = (0..<24_000).map { Float(($0 &* 7919) % 1000) / 1000 - 0.5 }
        bench.play(noise)
        let sound = try bench.render(24_000)
        #expect(sound.contains { $0 != 0 })
        #expect(zip(sound, noise).contains { abs($0 - $1) > 0.01 })
    }

    @Test func dynamics_turnsDownWhatIsLoud() throws {
        let effect = AVAudioUnitEffect(
            audioComponentDescription: AudioComponentDescription(
                componentType: kAudioUnitType_Effect, componentSubType: kAudioUnitSubType_DynamicsProcessor,
                componentManufacturer: kAudioUnitManufacturer_Apple, componentFlags: 0, componentFlagsMask: 0))
        let tree = try #require(effect.auAudioUnit.parameterTree)
        tree.parameter(withAddress: AUParameterAddress(kDynamicsProcessorParam_Threshold))?.value = -30
        tree.parameter(withAddress: AUParameterAddress(kDynamicsProcessorParam_HeadRoom))?.value = 1
        let bench = try EffectBench([effect])
        bench.play(tone(1000, frames: 24_000, level: 0.9))
        // The head room above the threshold, and no more.
        let sound = try bench.render(24_000)
        #expect(Self.level(sound[12_000..<16_800], 1000) < 1.2 * pow(10, -29.0 / 20))
        let amount = tree.parameter(withAddress: AUParameterAddress(kDynamicsProcessorParam_CompressionAmount))
        #expect((amount?.value ?? 0) < -20)
    }
}
