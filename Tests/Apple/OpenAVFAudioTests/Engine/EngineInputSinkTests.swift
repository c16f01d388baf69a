import CAudioTypes
import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// What an engine captures, on the simulated host: by sinks, and by channel map.
@Suite struct EngineInputSinkTests {
    // MARK: Sinks

    @Test func sink_receivesWhatTheInputCaptures() throws {
        let machine = try AppMachine.recordingARamp(category: .record, devices: [.builtInSpeaker, .usbAudio])
        let engine = machine.engine()
        let received = History<Received>()
        let receive: AVAudioSinkNodeReceiverBlock = { stamp, frames, list in
            received.append(Received(stamp.pointee, frames, list))
            return noErr
        }
        let sink = AVAudioSinkNode(receiverBlock: receive)
        engine.attach(sink)
        #expect((sink.numberOfInputs, sink.numberOfOutputs) == (1, 0))
        engine.connect(engine.inputNode, to: sink, format: nil)
        #expect(sink.inputFormat(forBus: 0) == engine.inputNode.outputFormat(forBus: 0))
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 480 * 10)
        let entries = received.entries
        #expect(entries.map(\.sampleTime) == (0..<10).map { Double($0 * 480) })
        #expect(entries.allSatisfy { $0.hasHostTime })
        #expect(entries.flatMap { $0.channels[0] } == ramp(start, 4800))
        #expect(entries.flatMap { $0.channels[1] } == ramp(start, 4800).map { -$0 })
    }

    @Test func sink_behindAMixer_receivesWhatThatMakesOfTheInput() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        let (mixer, received) = (AVAudioMixerNode(), History<Received>())
        let sink = AVAudioSinkNode { stamp, frames, list in
            received.append(Received(stamp.pointee, frames, list))
            return noErr
        }
        engine.attach(mixer)
        engine.attach(sink)
        engine.connect(engine.inputNode, to: mixer, format: nil)
        engine.connect(mixer, to: sink, format: .stereo)
        mixer.outputVolume = 0.5
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 480)
        let halved = ramp(start, 480).map { $0 * 0.5 }
        #expect(received.entries.map(\.channels) == [[halved, halved]])
    }

    /// Frame by frame, on the input's clock; a change is heard in its ramp.
    @Test func sink_behindAnEffect_receivesWhatThatMakesOfTheInput() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        let (effect, received) = (AVAudioUnitEQ(numberOfBands: 1), History<Received>())
        let sink = AVAudioSinkNode { stamp, frames, list in
            received.append(Received(stamp.pointee, frames, list))
            return noErr
        }
        engine.attach(effect)
        engine.attach(sink)
        effect.globalGain = -6
        engine.connect(engine.inputNode, to: effect, format: nil)
        let format = engine.inputNode.outputFormat(forBus: 0)
        engine.connect(effect, to: sink, format: format)
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 480)
        let gain = Float(pow(10, -6.0 / 20))
        let (heard, wanted) = (received.entries.flatMap { $0.channels[0] }, ramp(start, 480).map { $0 * gain })
        #expect(heard.count == 480)
        #expect(zip(heard, wanted).allSatisfy { abs($0 - $1) < 1e-5 })
        engine.stop()
        // The same effect on the way to the output: one processor has one clock.
        engine.connect(
            effect,
            to: [
                AVAudioConnectionPoint(node: engine.mainMixerNode, bus: 0), AVAudioConnectionPoint(node: sink, bus: 0),
            ], fromBus: 0, format: format)
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.localizedDescription.contains("connect another processor of the same kind to the sink") == true)
    }

    @Test func sink_fedByAnythingElse_doesNotStart() throws {
        let machine = try AppMachine.recordingARamp(category: .playAndRecord)
        let engine = machine.engine()
        let (player, mixer, sink) = (AVAudioPlayerNode(), AVAudioMixerNode(), AVAudioSinkNode { _, _, _ in noErr })
        for node in [player, mixer, sink] { engine.attach(node) }
        engine.connect(engine.inputNode, to: mixer, format: nil)
        engine.connect(player, to: mixer, format: .mono)
        engine.connect(mixer, to: sink, format: .mono)
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.code == Int(kAudioUnitErr_NoConnection))
        engine.disconnectNodeOutput(player)
        engine.connect(mixer, to: sink, format: .standard(1, rate: 44_100))
        #expect(throws: NSError.self) { try engine.start() }
        engine.connect(mixer, to: sink, format: .mono)
        try engine.start()
    }

    // MARK: Channel map

    @Test func inputMapSizeIsWantedChannels() throws {
        let machine = try AppMachine.recordingARamp(category: .record, devices: [.builtInSpeaker, .usbAudio])
        let engine = machine.engine()
        let unit = try #require(engine.inputNode.audioUnit)
        let inner = engine.inputNode.auAudioUnit
        #expect(inner.channelMap == [0, 1])
        func set(_ map: [Int32], scope: AudioUnitScope = kAudioUnitScope_Input, element: UInt32 = 1) -> OSStatus {
            AudioUnitSetProperty(
                unit, kAudioOutputUnitProperty_ChannelMap, scope, element, map, UInt32(map.count * 4))
        }
        #expect(set([1, -1, 0]) == noErr)
        #expect(inner.channelMap == [1, -1, 0])
        #expect(engine.inputNode.outputFormat(forBus: 0).channelCount == 3)
        #expect(engine.inputNode.inputFormat(forBus: 0).channelCount == 2)
        // Only the documented pair, and only channels that are there; what was set stays.
        #expect(set([0], scope: kAudioUnitScope_Output) == kAudioUnitErr_InvalidScope)
        #expect(set([0], element: 0) == kAudioUnitErr_InvalidElement)
        #expect(set([0, 2]) == kAudioUnitErr_InvalidPropertyValue)
        #expect(set([]) == kAudioUnitErr_InvalidPropertyValue)
        inner.channelMap = [7]
        #expect(inner.channelMap == [1, -1, 0])
        var read = [Int32](repeating: 9, count: 4)
        var size = UInt32(16)
        #expect(
            AudioUnitGetProperty(unit, kAudioOutputUnitProperty_ChannelMap, kAudioUnitScope_Input, 1, &read, &size)
                == noErr)
        #expect((read, size) == ([1, -1, 0, 9], 12))

        let heard = machine.tap(engine.inputNode)
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 5280)
        #expect(heard.entries.map(\.format) == [[48_000, 3]])
        let left = ramp(start, 4800)
        #expect(heard.samples == [left.map { -$0 }, silence(4800), left])

        engine.stop()
        inner.channelMap = [1]
        try engine.start()
        let again = machine.host.frame
        machine.advance(frames: 5280)
        #expect(heard.entries.last?.format == [48_000, 1])
        #expect(heard.entries.last?.channels == [ramp(again, 4800).map { -$0 }])
    }

    @Test func inputMap_ofThousandsOfChannels_isRefused() throws {
        let machine = try AppMachine.recordingARamp(category: .record)
        let engine = machine.engine()
        let unit = engine.inputNode.auAudioUnit
        unit.channelMap = Array(repeating: 0, count: 64)
        #expect(unit.channelMap?.count == 64)
        unit.channelMap = Array(repeating: 0, count: 65)
        #expect(unit.channelMap?.count == 64)
    }

    @Test func inputMap_isTheDefaultAgain_whereTheDeviceHasOtherChannels() throws {
        let machine = try AppMachine.recordingARamp(category: .record, devices: [.builtInSpeaker, .builtInMic])
        let engine = machine.engine()
        let unit = engine.inputNode.auAudioUnit
        #expect((unit.canPerformInput, unit.isInputEnabled, unit.canPerformOutput) == (true, true, false))
        unit.channelMap = [0, 0]
        #expect(unit.channelMap == [0, 0])
        machine.plug(.usbAudio)
        #expect(unit.channelMap == [0, 1])
        unit.channelMap = [1]
        unit.channelMap = nil
        #expect(unit.channelMap == [0, 1])
        try machine.session.setCategory(.playback)
        #expect(unit.channelMap == [])
        unit.channelMap = [0]
        #expect(unit.channelMap == [])
    }
}

/// What a sink's block got in one call.
private struct Received: Sendable {
    var sampleTime: Double
    var hasHostTime: Bool
    var channels: [[Float]]

    init(_ stamp: AudioTimeStamp, _ frames: AVAudioFrameCount, _ list: UnsafePointer<AudioBufferList>) {
        sampleTime = stamp.mSampleTime
        hasHostTime = stamp.mFlags.contains(.hostTimeValid)
        channels = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list)).map { buffer in
            let samples = buffer.mData?.assumingMemoryBound(to: Float.self)
            return (0..<Int(frames)).map { samples?[$0] ?? .nan }
        }
    }
}
