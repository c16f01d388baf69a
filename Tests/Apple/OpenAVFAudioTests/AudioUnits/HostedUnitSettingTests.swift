import CAudioTypes
import Foundation
import RenderCore
import RuntimeTestSupport
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Audio units of an app: the formats and busses they take, their settings, and a host of an app's own.
@Suite struct HostedUnitSettingTests {
    private func bench(
        _ unit: AVAudioUnit, format: AVAudioFormat = .mono, step: UInt32 = 480
    ) throws -> EffectBench { try EffectBench([unit], format: format, rendering: format, step: step) }

    private func unit(of effect: AVAudioUnit) throws -> GainUnit { try #require(effect.auAudioUnit as? GainUnit) }

    // MARK: Formats

    @Test func engine_givesTheUnitItsFormats_andAnotherShapeNewResources() throws {
        let effect = GainUnit.effect(12)
        let unit = try unit(of: effect)
        #expect(!unit.renderResourcesAllocated)
        let bench = try bench(effect, format: .stereo)
        #expect(unit.inputBusses[0].format == .stereo)
        #expect(unit.outputBusses[0].format == .stereo)
        #expect(unit.log.withLock { $0.resources } == ["allocate"])
        bench.engine.stop()
        bench.engine.connect(bench.player, to: effect, format: .mono)
        bench.engine.connect(effect, to: bench.engine.mainMixerNode, format: .mono)
        try bench.engine.start()
        #expect(unit.inputBusses[0].format == .mono)
        bench.play(ramp(1, 480))
        #expect(try bench.renderAll(480)[0] == ramp(1, 480))
        #expect(unit.log.withLock { $0.resources }.suffix(2) == ["deallocate", "allocate"])
    }

    @Test func unitThatRefusesAFormat_saysSoAtTheConnection() throws {
        let effect = GainUnit.effect(13)
        let unit = try unit(of: effect)
        unit.inputBusses[0].supportedChannelCounts = [1]
        let machine = try AppMachine()
        let engine = machine.engine()
        let player = AVAudioPlayerNode()
        for node in [player, effect] { engine.attach(node) }
        let error = #expect(throws: NSError.self) {
            try engine.connectNode(player, to: effect, format: .stereo)
            try engine.connectNode(effect, to: engine.mainMixerNode, format: .stereo)
        }
        #expect(error?.code == Int(kAudioUnitErr_FormatNotSupported))
        #expect(error?.localizedDescription.contains("does not take 2 channels: give 1.") ?? false)
        unit.inputBusses[0].supportedChannelCounts = nil
        unit.capabilities = [1, 1, -1, 6]
        #expect(throws: NSError.self) {
            try engine.connectNode(player, to: effect, format: .stereo)
            try engine.connectNode(effect, to: engine.mainMixerNode, format: .stereo)
        }
        unit.capabilities = [1, 1, -1, 2]
        #expect(unit.channelCapabilities == [1, 1, -1, 2])
        #expect(throws: Never.self) {
            try engine.connectNode(player, to: effect, format: .stereo)
            try engine.connectNode(effect, to: engine.mainMixerNode, format: .stereo)
        }
    }

    @Test func unitThatThrowsWhileItIsPrepared_stopsTheStart() throws {
        let effect = GainUnit.effect(14)
        try unit(of: effect).behaviour = .refuse
        let error = #expect(throws: NSError.self) { try bench(effect) }
        #expect(error?.localizedDescription.contains("not today") ?? false)
    }

    // MARK: Settings

    @Test func bypassAndReset_areTheUnits() throws {
        let effect = GainUnit.effect(15)
        let unit = try unit(of: effect)
        #expect(!effect.bypass)
        effect.bypass = true
        #expect(unit.shouldBypassEffect)
        effect.reset()
        #expect(unit.log.withLock { $0.resources } == ["reset"])
        #expect(!unit.canProcessInPlace)
        #expect(!unit.isRenderingOffline)
        unit.isRenderingOffline = true
        unit.contextName = "track 1"
        #expect(unit.isRenderingOffline)
        #expect(unit.contextName == "track 1")
        #expect(unit.parametersForOverview(withCount: 2) == [0, 1])
    }

    @Test func latencyAndTail_areWhatTheUnitSays_withinBounds() throws {
        let effect = GainUnit.effect(16)
        let unit = try unit(of: effect)
        unit.claimedLatency = 0.01
        let bench = try bench(effect)
        #expect(effect.latency == 0.01)
        #expect(unit.tailTime == 0)
        for (claimed, expected) in [(-1.0, 0.0), (1e9, 10), (.nan, 0)] {
            let effect = GainUnit.effect(16)
            try self.unit(of: effect).claimedLatency = claimed
            let bench = try self.bench(effect)
            #expect(effect.latency == expected)
            withExtendedLifetime(bench) {}
        }
        withExtendedLifetime(bench) {}
    }

    @Test func fullState_bringsValuesBack_andIgnoresWhatIsWrong() throws {
        let unit = try unit(of: GainUnit.effect(17))
        let gain = try #require(unit.parameterTree?.parameter(withAddress: 0))
        gain.value = 0.75
        let state = try #require(unit.fullState)
        let data = try PropertyListSerialization.data(fromPropertyList: state, format: .xml, options: 0)
        gain.value = 0.1
        let read = try #require(
            PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        unit.fullStateForDocument = read
        #expect(gain.value == 0.75)
        for values in [["0": Double.infinity], ["0": "much"], ["x": 1.0], ["77": 1.0]] as [[String: Any]] {
            var wrong = state
            wrong["values"] = values
            unit.fullState = wrong
            #expect(gain.value == 0.75)
        }
        var high = state
        high["values"] = ["0": 1e9]
        unit.fullState = high
        #expect(gain.value == gain.maxValue)
        var other = state
        other["subtype"] = 1234
        unit.fullState = other
        unit.fullState = nil
        #expect(gain.value == gain.maxValue)
    }

    @Test func presets_areTheUnits() throws {
        let unit = try unit(of: GainUnit.effect(18))
        let presets = try #require(unit.factoryPresets)
        #expect(presets.map(\.name) == ["quiet"])
        #expect(presets.map(\.number) == [0])
        unit.currentPreset = presets[0]
        #expect(unit.currentPreset === presets[0])
        #expect(unit.parameterTree?.parameter(withAddress: 0)?.value == 0.125)
        // One of an app's own, which the unit does not know.
        let own = AUAudioUnitPreset()
        own.number = -1
        unit.currentPreset = own
        #expect(unit.currentPreset === own && unit.parameterTree?.parameter(withAddress: 0)?.value == 0.125)
    }

    @Test func parametersOfTheCFunctions_areThoseOfTheTree() throws {
        let effect = GainUnit.effect(19)
        let unit = effect.audioUnit
        #expect(AudioUnitSetParameter(unit, 0, kAudioUnitScope_Global, 0, 0.5, 0) == noErr)
        var value: AudioUnitParameterValue = 0
        #expect(AudioUnitGetParameter(unit, 0, kAudioUnitScope_Global, 0, &value) == noErr)
        #expect(value == 0.5)
        #expect(try self.unit(of: effect).parameterTree?.parameter(withAddress: 0)?.value == 0.5)
        #expect(AudioUnitSetParameter(unit, 0, kAudioUnitScope_Global, 0, .nan, 0) == noErr)
        #expect(AudioUnitSetParameter(unit, 0, kAudioUnitScope_Global, 0, 99, 0) == noErr)
        #expect(AudioUnitGetParameter(unit, 0, kAudioUnitScope_Global, 0, &value) == noErr)
        #expect(value == 2)
        #expect(AudioUnitSetParameter(unit, 55, kAudioUnitScope_Global, 0, 0, 0) == kAudioUnitErr_InvalidParameter)
        #expect(AudioUnitSetParameter(unit, 0, kAudioUnitScope_Input, 0, 0, 0) == kAudioUnitErr_InvalidScope)
        #expect(AudioUnitGetParameter(unit, 0, kAudioUnitScope_Global, 1, &value) == kAudioUnitErr_InvalidElement)
        #expect(AudioUnitReset(unit, kAudioUnitScope_Global, 0) == noErr)
        #expect(try self.unit(of: effect).log.withLock { $0.resources } == ["reset"])
    }

    // MARK: A host of its own

    @Test func renderBlock_rendersWithoutAnEngine() throws {
        let unit = try #require(try AUAudioUnit.make(.registered(20)) as? GainUnit)
        unit.maximumFramesToRender = 256
        try unit.allocateRenderResources()
        unit.scheduleParameterBlock(10, 0, 0, 0.5)
        unit.parameterTree?.parameter(withAddress: 0)?.value = 2
        let render = unit.renderBlock
        let output = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 256))
        let sound = ramp(1, 256)
        let input: AURenderPullInputBlock = { _, _, frames, _, list in
            UnsafeMutableAudioBufferListPointer(list)[0].mData?.copyMemory(from: sound, byteCount: Int(frames) * 4)
            return noErr
        }
        var (flags, stamp) = (AudioUnitRenderActionFlags(), AudioTimeStamp())
        stamp.mFlags = .sampleTimeValid
        let list = output.mutableAudioBufferList
        #expect(render(&flags, &stamp, 256, 0, list, input) == noErr)
        let data = try #require(UnsafeMutableAudioBufferListPointer(list)[0].mData)
        let rendered = Array(UnsafeBufferPointer(start: data.assumingMemoryBound(to: Float.self), count: 256))
        #expect(rendered == sound.map { $0 * 2 })
        #expect(unit.log.withLock { $0.events } == ["0=0.5 at 10"])
        #expect(render(&flags, &stamp, 257, 0, list, input) == kAudioUnitErr_TooManyFramesToProcess)
        // No times, and nothing that events could be due at.
        for time in [.nan, .infinity, -1e300] {
            stamp.mSampleTime = time
            #expect(render(&flags, &stamp, 256, 0, list, input) == noErr)
        }
        unit.deallocateRenderResources()
        #expect(!unit.renderResourcesAllocated)
    }

    @Test func plainUnit_answersThatItHasNoImplementation() throws {
        let unit = try PlainUnit(componentDescription: .test(2))
        var (flags, stamp) = (AudioUnitRenderActionFlags(), AudioTimeStamp())
        let output = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 16))
        let status = unit.renderBlock(&flags, &stamp, 16, 0, output.mutableAudioBufferList, nil)
        #expect(status == kAudioUnitErr_Uninitialized)
        #expect(unit.parameterTree == nil)
        #expect(unit.inputBusses.count == 0)
        #expect((unit.latency, unit.tailTime) == (0, 0))
    }

    // MARK: Busses

    @Test func busses_knowTheirPlace_andCheckFormats() throws {
        let unit = try #require(try AUAudioUnit.make(.registered(21)) as? GainUnit)
        let inputs = unit.inputBusses
        #expect(inputs.ownerAudioUnit === unit)
        #expect((inputs.busType, unit.outputBusses.busType) == (.input, .output))
        #expect((inputs.count, inputs.isCountChangeable) == (1, false))
        #expect((inputs[0].index, inputs[0].busType) == (0, .input))
        #expect(inputs[0].ownerAudioUnit === unit)
        #expect(Array(inputs).count == 1)
        #expect(throws: NSError.self) { try inputs.setBusCount(2) }
        #expect(throws: Never.self) { try inputs.setBusCount(1) }
        #expect(throws: NSError.self) { try AUAudioUnitBus(format: .noDevice) }
        try inputs[0].setFormat(.stereo)
        #expect(inputs[0].format == .stereo)
        inputs[0].name = "in"
        inputs[0].isEnabled = false
        inputs[0].shouldAllocateBuffer = false
        inputs[0].maximumChannelCount = 1
        #expect((inputs[0].name, inputs[0].isEnabled, inputs[0].shouldAllocateBuffer) == ("in", false, false))
        #expect(inputs[0].maximumChannelCount == 1)
        try unit.allocateRenderResources()
        let error = #expect(throws: NSError.self) { try inputs[0].setFormat(.mono) }
        #expect(error?.code == Int(kAudioUnitErr_FormatNotSupported))
        let other = try AUAudioUnitBus(format: .mono)
        inputs.replaceBusses([other, try AUAudioUnitBus(format: .mono)])
        #expect((inputs.count, inputs[1].index) == (2, 1))
        #expect(other.ownerAudioUnit === unit)
    }

    @Test func nodesOfAnEngine_haveBussesAndADescription() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: .mono)
        let unit = engine.mainMixerNode.auAudioUnit
        #expect(unit.componentDescription.componentType == kAudioUnitType_Mixer)
        #expect(engine.outputNode.auAudioUnit.componentDescription.componentType == kAudioUnitType_Output)
        #expect(player.auAudioUnit.componentDescription.componentType == kAudioUnitType_Generator)
        #expect(unit.inputBusses.count == 1)
        #expect(unit.inputBusses[0].format == .mono)
        #expect(player.auAudioUnit.outputBusses[0].format == .mono)
        #expect(player.auAudioUnit.inputBusses.count == 0)
        #expect(throws: NSError.self) { try unit.inputBusses[0].setFormat(.stereo) }
        #expect(unit.parameterTree == nil)
    }
}
