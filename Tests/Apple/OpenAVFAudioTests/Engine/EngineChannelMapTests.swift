import AudioModel
import EngineCore
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// Which channel goes where: by `AUAudioUnit.channelMap` and by `AudioUnitSetProperty`, which are the same map.
@Suite struct EngineChannelMapTests {
    /// On a television of eight channels.
    private func machineWithHDMI() throws -> (AppMachine, AVAudioEngine, AVAudioPlayerNode) {
        let machine = try AppMachine(devices: [.hdmi])
        let (engine, player) = try machine.engineWithPlayer()
        return (machine, engine, player)
    }

    private func play(_ machine: AppMachine, _ player: AVAudioPlayerNode) -> [[Float]] {
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 480), ramp(1001, 480)]))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 480)
        return machine.heard(on: SimulatedDevice.hdmi.uid, since: start)
    }

    private func numbers(_ map: [Int]) -> [NSNumber] { map.map { NSNumber(value: $0) } }

    @Test func withoutAMap_stereoSoundsOnTheFirstTwo() throws {
        let (machine, engine, player) = try machineWithHDMI()
        #expect(engine.outputNode.outputFormat(forBus: 0).channelCount == 8)
        #expect(engine.mainMixerNode.outputFormat(forBus: 0).channelCount == 8)
        #expect(engine.outputNode.auAudioUnit.channelMap?.map(\.intValue) == Array(0..<8))
        #expect(
            play(machine, player) == [ramp(1, 480), ramp(1001, 480)] + Array(repeating: silence(480), count: 6))
    }

    @Test func withoutAMap_aSmallerConnection_leavesTheRestSilent() throws {
        let (machine, engine, player) = try machineWithHDMI()
        engine.connect(engine.mainMixerNode, to: engine.outputNode, format: .stereo)
        #expect(engine.outputNode.auAudioUnit.channelMap?.map(\.intValue) == [0, 1, -1, -1, -1, -1, -1, -1])
        #expect(
            play(machine, player) == [ramp(1, 480), ramp(1001, 480)] + Array(repeating: silence(480), count: 6))
    }

    @Test func mapSteersChannels_andRepeatsThem() throws {
        let (machine, engine, player) = try machineWithHDMI()
        engine.outputNode.auAudioUnit.channelMap = numbers([-1, -1, 1, 0, -1, -1, 1, 1])
        #expect(
            play(machine, player) == [
                silence(480), silence(480), ramp(1001, 480), ramp(1, 480), silence(480), silence(480), ramp(1001, 480),
                ramp(1001, 480),
            ])
        engine.outputNode.auAudioUnit.channelMap = nil
        #expect(engine.outputNode.auAudioUnit.channelMap?.map(\.intValue) == Array(0..<8))
    }

    @Test func mapWrongSizeRejected() throws {
        let (_, engine, _) = try machineWithHDMI()
        let unit = engine.outputNode.auAudioUnit
        let map = [7, 6, 5, 4, 3, 2, 1, 0]
        unit.channelMap = numbers(map)
        for wrong in [[], [0, 1], Array(repeating: 0, count: 9), [0, 1, 2, 3, 4, 5, 6, 8]] {
            unit.channelMap = numbers(wrong)
            #expect(unit.channelMap?.map(\.intValue) == map)
        }
    }

    @Test func map_withoutADevice_saysThatThereIsNothingToMap() throws {
        let engine = try AppMachine(devices: []).engine()
        let unit = engine.outputNode.auAudioUnit
        #expect(unit.channelMap == [])
        #expect(throws: GraphError.nothingToMap(node: "the output")) { try unit.core?.setChannelMap([0, 1]) }
        #expect(throws: Never.self) { try unit.core?.setChannelMap(nil) }
    }

    @Test func audioUnitProperty_isTheSameMap() throws {
        let (_, engine, player) = try machineWithHDMI()
        let unit: AudioComponentInstance = try #require(engine.outputNode.audioUnit)
        let map: [Int32] = [-1, 0, -1, 1, -1, -1, -1, -1]
        func set(
            _ map: [Int32], _ id: AudioUnitPropertyID = kAudioOutputUnitProperty_ChannelMap,
            scope: AudioUnitScope = kAudioUnitScope_Output, element: AudioUnitElement = 0
        ) -> OSStatus {
            AudioUnitSetProperty(unit, id, scope, element, map, UInt32(map.count * 4))
        }
        #expect(set(map) == noErr)
        #expect(engine.outputNode.auAudioUnit.channelMap?.map(\.int32Value) == map)
        #expect(set([0, 1]) == kAudioUnitErr_InvalidPropertyValue)
        #expect(set(map, scope: kAudioUnitScope_Input) == kAudioUnitErr_InvalidScope)
        #expect(set(map, scope: kAudioUnitScope_Global) == kAudioUnitErr_InvalidScope)
        #expect(set(map, element: 1) == kAudioUnitErr_InvalidElement)
        #expect(set(map, 2003) == kAudioUnitErr_InvalidProperty)
        var read = [Int32](repeating: 9, count: 10)
        var size = UInt32(40)
        #expect(
            AudioUnitGetProperty(unit, kAudioOutputUnitProperty_ChannelMap, kAudioUnitScope_Output, 0, &read, &size)
                == noErr)
        #expect(size == 32)
        #expect(Array(read.prefix(8)) == map)
        size = 31
        #expect(
            AudioUnitGetProperty(unit, kAudioOutputUnitProperty_ChannelMap, kAudioUnitScope_Output, 0, &read, &size)
                == kAudioUnitErr_InvalidPropertyValue)
        // Mixers have no map; a player has one of its own channels.
        #expect(engine.mainMixerNode.auAudioUnit.channelMap == nil)
        #expect(player.auAudioUnit.channelMap?.map(\.intValue) == [0, 1])
    }

    @Test func audioUnit_ofAnEngineThatIsGone_isAnError() throws {
        let handle: AudioUnit? = try {
            let machine = try AppMachine()
            let engine = machine.engine()
            return engine.outputNode.audioUnit
        }()
        let unit = try #require(handle)
        let map: [Int32] = [0, 1]
        #expect(
            AudioUnitSetProperty(unit, kAudioOutputUnitProperty_ChannelMap, kAudioUnitScope_Output, 0, map, 8)
                == kAudio_ParamError)
    }

    @Test func playersMap_swapsItsChannels() throws {
        let (machine, engine, player) = try machineWithHDMI()
        player.auAudioUnit.channelMap = numbers([1, 0])
        #expect(play(machine, player).prefix(2) == [ramp(1001, 480), ramp(1, 480)])
        withExtendedLifetime(engine) {}
    }

    @Test func monoDeviceGetsOneChannel() throws {
        let machine = try AppMachine(devices: [.builtInReceiver])
        try machine.session.setCategory(.playAndRecord)
        let (engine, player) = try machine.engineWithPlayer()
        #expect(engine.outputNode.outputFormat(forBus: 0).channelCount == 1)
        let unit = engine.outputNode.auAudioUnit
        // Two entries would write past the device's end.
        unit.channelMap = numbers([0, 1])
        #expect(unit.channelMap?.map(\.intValue) == [0])
        engine.connect(engine.mainMixerNode, to: engine.outputNode, format: .stereo)
        unit.channelMap = numbers([1])
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 480), ramp(1001, 480)]))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 480)
        #expect(machine.heard(on: SimulatedDevice.builtInReceiver.uid, since: start) == [ramp(1001, 480)])
    }

    @Test func map_isTheDefaultAgain_whenTheChannelCountChanges() throws {
        let machine = try AppMachine()
        let (engine, _) = try machine.engineWithPlayer()
        let unit = engine.outputNode.auAudioUnit
        unit.channelMap = numbers([1, 0])
        machine.host.plug(.hdmi)
        machine.runtime.drain()
        #expect(unit.channelMap?.map(\.intValue) == Array(0..<8))
        unit.channelMap = numbers([0, 0, 0, 0, 0, 0, 0, 0])
        machine.host.unplug(.hdmi)
        machine.runtime.drain()
        #expect(unit.channelMap?.map(\.intValue) == [0, 1])
    }
}
