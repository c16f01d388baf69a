import CAudioTypes
import Foundation
import RuntimeTestSupport
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// The matrix mixer, the pitch effect, and the C functions of units that they are set with, as AudioKit uses them.
@Suite struct MatrixMixerTests {
    private static let description = AudioComponentDescription(
        componentType: kAudioUnitType_Mixer, componentSubType: kAudioUnitSubType_MatrixMixer,
        componentManufacturer: kAudioUnitManufacturer_Apple, componentFlags: 0, componentFlagsMask: 0)

    /// Two sources of two channels, of 1 and of 2, behind a matrix mixer.
    private struct Bench {
        let engine: AVAudioEngine
        let mixer: AVAudioUnit
        private let machine: AppMachine

        init() async throws {
            machine = try AppMachine()
            engine = machine.engine()
            mixer = try await AVAudioUnit.instantiate(with: MatrixMixerTests.description)
            var (inputs, outputs) = (UInt32(2), UInt32(1))
            #expect(set(kAudioUnitProperty_ElementCount, kAudioUnitScope_Input, &inputs) == noErr)
            #expect(set(kAudioUnitProperty_ElementCount, kAudioUnitScope_Output, &outputs) == noErr)
            engine.attach(mixer)
            for (bus, value) in [Float(1), 2].enumerated() {
                let source = AVAudioSourceNode { _, _, frames, list in
                    for buffer in UnsafeMutableAudioBufferListPointer(list) {
                        buffer.mData?.assumingMemoryBound(to: Float.self).update(repeating: value, count: Int(frames))
                    }
                    return noErr
                }
                engine.attach(source)
                engine.connect(source, to: mixer, fromBus: 0, toBus: bus, format: .stereo)
            }
            engine.connect(mixer, to: engine.mainMixerNode, format: .stereo)
            try engine.enableManualRenderingMode(.offline, format: .stereo, maximumFrameCount: 480)
            try engine.start()
        }

        func set(_ property: AudioUnitPropertyID, _ scope: AudioUnitScope, _ value: inout UInt32) -> OSStatus {
            AudioUnitSetProperty(mixer.audioUnit, property, scope, 0, &value, 4)
        }

        @discardableResult
        func set(_ scope: AudioUnitScope, _ element: UInt32, _ value: Float) -> OSStatus {
            AudioUnitSetParameter(mixer.audioUnit, kMatrixMixerParam_Volume, scope, element, value, 0)
        }

        func level(_ scope: AudioUnitScope, _ element: UInt32) -> Float? {
            var value: Float = -1
            let status = AudioUnitGetParameter(mixer.audioUnit, kMatrixMixerParam_Volume, scope, element, &value)
            return status == noErr ? value : nil
        }

        func open() {
            for input in 0..<4 { set(kAudioUnitScope_Input, UInt32(input), 1) }
            for output in 0..<2 { set(kAudioUnitScope_Output, UInt32(output), 1) }
            set(kAudioUnitScope_Global, .max, 1)
        }

        func cross(_ input: UInt32, _ output: UInt32, _ value: Float = 1) {
            set(kAudioUnitScope_Global, input << 16 | output, value)
        }

        func render() throws -> [[Float]] {
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .stereo, frameCapacity: 480))
            #expect(try engine.renderOffline(480, to: buffer) == .success)
            return buffer.channels
        }
    }

    private func steady(_ left: Float, _ right: Float) -> [[Float]] {
        [left, right].map { [Float](repeating: $0, count: 480) }
    }

    @Test func matrixMixer_isSilentAtFirst_andIsTheComponentOfItsDescription() async throws {
        let bench = try await Bench()
        #expect((bench.mixer.name, bench.mixer.numberOfInputs) == ("AUMatrixMixer", 2))
        #expect(type(of: bench.mixer) == AVAudioUnit.self)
        #expect(try bench.render() == steady(0, 0))
        #expect(bench.level(kAudioUnitScope_Global, .max) == 0)
        bench.open()
        // No crosspoint is open.
        #expect(try bench.render() == steady(0, 0))
    }

    @Test func crosspoints_mixInputChannelsToOutputChannels_fromTheFirstFrame() async throws {
        for (points, heard) in [
            ([(0, 0)], (1, 0)), ([(0, 1)], (0, 1)), ([(2, 0)], (2, 0)), ([(0, 0), (2, 0)], (3, 0)),
            ([(1, 0), (3, 1)], (1, 2)),
        ] as [([(UInt32, UInt32)], (Float, Float))] {
            let bench = try await Bench()
            bench.open()
            for point in points { bench.cross(point.0, point.1) }
            #expect(try bench.render() == steady(heard.0, heard.1), "\(points)")
        }
    }

    @Test func levels_ofTheWhole_ofAnInputAndOfAnOutput_multiply_andSlide() async throws {
        let bench = try await Bench()
        bench.open()
        bench.cross(2, 0)
        bench.set(kAudioUnitScope_Input, 2, 0.5)
        bench.set(kAudioUnitScope_Output, 0, 0.5)
        bench.set(kAudioUnitScope_Global, .max, 0.5)
        #expect(try bench.render() == steady(0.25, 0))
        bench.set(kAudioUnitScope_Global, .max, 0)
        let heard = try bench.render()[0]
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 < 0.25 * 1.1 / 240 })
        #expect(heard[240...].allSatisfy { $0 == 0 })
    }

    @Test func matrixLevels_haveARowForEachInput_andOneForTheOutputs() async throws {
        let bench = try await Bench()
        bench.open()
        bench.cross(2, 1, 0.25)
        let levels: [Float] = [0, 0, 1, 0, 0, 1, 0, 0.25, 1, 0, 0, 1, 1, 1, 1]
        var (size, isWritable) = (UInt32(0), DarwinBoolean(false))
        #expect(
            AudioUnitGetPropertyInfo(
                bench.mixer.audioUnit, kAudioUnitProperty_MatrixLevels, kAudioUnitScope_Global, 0, &size, &isWritable)
                == noErr)
        #expect(size == 60 && isWritable.boolValue)
        var read = [Float](repeating: -1, count: 15)
        #expect(
            AudioUnitGetProperty(
                bench.mixer.audioUnit, kAudioUnitProperty_MatrixLevels, kAudioUnitScope_Global, 0, &read, &size)
                == noErr)
        #expect(read == levels)
        read[3 * 3 + 1] = 0.5
        #expect(
            AudioUnitSetProperty(
                bench.mixer.audioUnit, kAudioUnitProperty_MatrixLevels, kAudioUnitScope_Global, 0, &read, 60) == noErr)
        #expect(bench.level(kAudioUnitScope_Global, 3 << 16 | 1) == 0.5)
        // 2 · 0.25 and 2 · 0.5.
        #expect(try bench.render() == steady(0, 1.5))
    }

    @Test func whatAMatrixMixerDoesNotHave_isAnError() async throws {
        let bench = try await Bench()
        #expect(bench.set(kAudioUnitScope_Input, 64, 1) == kAudioUnitErr_InvalidElement)
        #expect(bench.set(kAudioUnitScope_Global, 5 << 16 | 64, 1) == kAudioUnitErr_InvalidElement)
        #expect(bench.set(4, 0, 1) == kAudioUnitErr_InvalidScope)
        #expect(bench.set(kAudioUnitScope_Input, 0, 1e9) == noErr)
        #expect(bench.level(kAudioUnitScope_Input, 0) == 1000)
        bench.set(kAudioUnitScope_Input, 0, .nan)
        #expect(bench.level(kAudioUnitScope_Input, 0) == 1000)
        let unit = bench.mixer.audioUnit
        #expect(AudioUnitSetParameter(unit, 1, kAudioUnitScope_Input, 0, 1, 0) == kAudioUnitErr_InvalidParameter)
        var (none, many, two) = (UInt32(0), UInt32(65), UInt32(2))
        let (count, input, output) = (kAudioUnitProperty_ElementCount, kAudioUnitScope_Input, kAudioUnitScope_Output)
        #expect(bench.set(count, input, &none) == kAudioUnitErr_InvalidPropertyValue)
        #expect(bench.set(count, input, &many) == kAudioUnitErr_InvalidPropertyValue)
        #expect(bench.set(count, output, &two) == kAudioUnitErr_InvalidPropertyValue)
        #expect(bench.set(count, kAudioUnitScope_Global, &two) == kAudioUnitErr_InvalidScope)
        #expect(bench.set(kAudioOutputUnitProperty_ChannelMap, output, &two) == kAudioUnitErr_InvalidProperty)
        #expect(
            AudioUnitSetProperty(unit, kAudioUnitProperty_MatrixLevels, kAudioUnitScope_Global, 0, &two, 4)
                == kAudioUnitErr_InvalidPropertyValue)
        #expect(
            AudioUnitSetProperty(AVAudioUnitDelay().audioUnit, count, input, 0, &two, 4) == kAudio_ParamError)
    }

    // MARK: Listeners

    private final class Calls {
        var properties: [AudioUnitPropertyID] = []
    }

    @Test func listener_isCalledAfterItsPropertyIsSet_untilItIsRemoved() async throws {
        let bench = try await Bench()
        let calls = Calls()
        let proc: AudioUnitPropertyListenerProc = { data, _, property, _, _ in
            Unmanaged<Calls>.fromOpaque(data).takeUnretainedValue().properties.append(property)
        }
        let (unit, data) = (bench.mixer.audioUnit, Unmanaged.passUnretained(calls).toOpaque())
        #expect(AudioUnitAddPropertyListener(unit, kAudioUnitProperty_ElementCount, proc, data) == noErr)
        #expect(
            AudioUnitAddPropertyListener(unit, kAudioOutputUnitProperty_ChannelMap, proc, data)
                == kAudioUnitErr_InvalidProperty)
        var (count, fault) = (UInt32(3), UInt32(0))
        #expect(bench.set(kAudioUnitProperty_ElementCount, kAudioUnitScope_Input, &count) == noErr)
        #expect(bench.set(kAudioUnitProperty_ElementCount, kAudioUnitScope_Input, &fault) != noErr)
        #expect(calls.properties == [kAudioUnitProperty_ElementCount])
        #expect(
            AudioUnitRemovePropertyListenerWithUserData(unit, kAudioUnitProperty_ElementCount, proc, data) == noErr)
        #expect(bench.set(kAudioUnitProperty_ElementCount, kAudioUnitScope_Input, &count) == noErr)
        #expect(calls.properties.count == 1)
        withExtendedLifetime(calls) {}
    }

    // MARK: Time effects

    @Test func pitchEffect_ofItsDescription_hasApplesParameter() async throws {
        let unit = try await AVAudioUnit.instantiate(
            with: AudioComponentDescription(
                componentType: kAudioUnitType_Effect, componentSubType: kAudioUnitSubType_NewTimePitch,
                componentManufacturer: kAudioUnitManufacturer_Apple, componentFlags: 0, componentFlagsMask: 0))
        var pitch: Float = -1
        func read(_ id: AudioUnitParameterID) -> OSStatus {
            AudioUnitGetParameter(unit.audioUnit, id, kAudioUnitScope_Global, 0, &pitch)
        }
        #expect(read(kNewTimePitchParam_Pitch) == noErr && pitch == 0)
        for (wanted, kept) in [(Float(200), Float(200)), (-300, -300), (9000, 2400), (.nan, 2400)] {
            #expect(
                AudioUnitSetParameter(unit.audioUnit, kNewTimePitchParam_Pitch, kAudioUnitScope_Global, 0, wanted, 0)
                    == noErr)
            #expect(read(kNewTimePitchParam_Pitch) == noErr && pitch == kept)
        }
        let timePitch = try #require(unit as? AVAudioUnitTimePitch)
        #expect(timePitch.pitch == 2400)
        #expect(read(kNewTimePitchParam_Rate) == noErr && pitch == 1)
        #expect(read(kNewTimePitchParam_Overlap) == noErr && pitch == 8)
        #expect(read(99) == kAudioUnitErr_InvalidParameter)
        let varispeed = AVAudioUnitVarispeed()
        #expect(
            AudioUnitSetParameter(
                varispeed.audioUnit, kVarispeedParam_PlaybackRate, kAudioUnitScope_Global, 0, 2, 0) == noErr)
        #expect(varispeed.rate == 2)
    }

    @Test func codesOfAudioToolbox_areApplesNumbers() {
        #expect(kAudioUnitSubType_MatrixMixer == 1_836_608_888)
        #expect((kAudioUnitProperty_ElementCount, kAudioUnitProperty_MatrixLevels) == (11, 3006))
        let units = [
            kAudioUnitErr_FailedInitialization, kAudioUnitErr_InvalidFile, kAudioUnitErr_PropertyNotInUse,
            kAudioUnitErr_InvalidOfflineRender, kAudioUnitErr_Unauthorized,
        ]
        #expect(units == [-10_875, -10_871, -10_850, -10_848, -10_847])
        let graphs = [
            kAUGraphErr_NodeNotFound, kAUGraphErr_InvalidConnection, kAUGraphErr_OutputNodeErr,
            kAUGraphErr_CannotDoInCurrentContext, kAUGraphErr_InvalidAudioUnit,
        ]
        #expect(graphs == [-10_860, -10_861, -10_862, -10_863, -10_864])
        let toolbox = [
            kAudioToolboxErr_InvalidSequenceType, kAudioToolboxErr_InvalidPlayerState,
            kAudioToolboxErr_InvalidEventType,
            kAudioToolboxErr_NoSequence, kAudioToolboxErr_IllegalTrackDestination, kAudioToolboxErr_StartOfTrack,
            kAudioToolboxErr_EndOfTrack, kAudioToolboxErr_TrackNotFound, kAudioToolboxErr_TrackIndexError,
        ]
        #expect(
            toolbox == [-10_846, -10_852, -10_853, -10_854, -10_855, -10_856, -10_857, -10_858, -10_859])
        #expect((DarwinBoolean(true).boolValue, "\(DarwinBoolean(false))") == (true, "false"))
    }
}
