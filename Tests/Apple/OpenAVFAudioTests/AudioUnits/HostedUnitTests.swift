import CAudioTypes
import Foundation
import RenderCore
import RuntimeTestSupport
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Audio units of an app in an engine: how they are made, and what they render.
@Suite struct HostedUnitTests {
    private func bench(
        _ unit: AVAudioUnit, format: AVAudioFormat = .mono, step: UInt32 = 480
    ) throws -> EffectBench { try EffectBench([unit], format: format, rendering: format, step: step) }

    private func unit(of effect: AVAudioUnit) throws -> GainUnit { try #require(effect.auAudioUnit as? GainUnit) }

    // MARK: Making

    @Test func registeredSubclass_isWhatItsDescriptionMakes() async throws {
        let effect = GainUnit.effect(1)
        #expect((effect.name, effect.manufacturerName, effect.version) == ("GainUnit", "Tests", 0x0002_0103))
        #expect(effect.audioComponentDescription.componentSubType == 1)
        let unit = try unit(of: effect)
        #expect(unit.componentDescription.componentSubType == 1)
        #expect(unit.audioUnitName == "GainUnit")
        #expect(unit.manufacturerName == "Tests")
        #expect(unit.componentName == "Tests: GainUnit")
        #expect(unit.componentVersion == 0x0002_0103)
        #expect(effect.auAudioUnit === unit)
        let made = try await AVAudioUnit.instantiate(with: .test(1))
        #expect(made is AVAudioUnitEffect && made.auAudioUnit is GainUnit)
        let alone = try await AUAudioUnit.instantiate(with: .test(1))
        #expect(alone is GainUnit)
        // One without an initialiser of its own.
        _ = GainUnit.effect(2, PlainUnit.self)
        #expect(try await AUAudioUnit.instantiate(with: .test(2)) is PlainUnit)
    }

    @Test func description_thatNothingHas_isAnError() async {
        let error = await #expect(throws: NSError.self) { _ = try await AUAudioUnit.instantiate(with: .test(99)) }
        #expect(error?.code == -3000)
        #expect(throws: NSError.self) { try AUAudioUnit(componentDescription: .test(99)) }
        await #expect(throws: NSError.self) { _ = try await AVAudioUnit.instantiate(with: .test(99)) }
        await #expect(processExitsWith: .failure) {
            _ = AVAudioUnitEffect(audioComponentDescription: .test(99))
        }
        await #expect(processExitsWith: .failure) {
            AUAudioUnit.registerSubclass(NSObject.self, as: .test(98), name: "no unit", version: 1)
        }
    }

    // MARK: Rendering

    @Test(arguments: [UInt32(64), 480, 4096])
    func unit_rendersInTheCycle_withExactlyItsFrames(step: UInt32) throws {
        let effect = GainUnit.effect(3)
        let bench = try bench(effect, step: step)
        let unit = try unit(of: effect)
        unit.parameterTree?.parameter(withAddress: 0)?.value = 0.5
        let sound = ramp(1, 5000)
        bench.play(sound)
        #expect(Array(try bench.render(5000).prefix(5000)) == sound.map { $0 * 0.5 })
        let cycles = unit.log.withLock { $0.cycles }
        #expect(cycles.allSatisfy { $0.frames == step })
        #expect(cycles.map(\.sampleTime) == cycles.indices.map { Double($0) * Double(step) })
        #expect(unit.maximumFramesToRender == step)
        #expect(unit.renderResourcesAllocated)
    }

    @Test func unit_runsBehindAMixer_andBehindOtherUnits() throws {
        let (first, second) = (GainUnit.effect(4), GainUnit.effect(4))
        let machine = try AppMachine()
        let engine = machine.engine()
        let (player, mixer) = (AVAudioPlayerNode(), AVAudioMixerNode())
        for node in [player, mixer, first, second] { engine.attach(node) }
        engine.connect(player, to: mixer, format: .mono)
        engine.connect(mixer, to: first, format: .mono)
        engine.connect(first, to: second, format: .mono)
        engine.connect(second, to: engine.mainMixerNode, format: .mono)
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 512)
        for effect in [first, second] {
            try unit(of: effect).parameterTree?.parameter(withAddress: 0)?.value = 0.5
        }
        try engine.start()
        let sound = ramp(1, 2048)
        player.scheduleBuffer(AVAudioPCMBuffer([sound]))
        player.play()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 512))
        var rendered: [Float] = []
        while rendered.count < 2048 {
            _ = try engine.renderOffline(512, to: buffer)
            rendered += buffer.channels[0]
        }
        #expect(rendered == sound.map { $0 * 0.25 })
    }

    @Test func unitThatFails_isSilent_andSoIsOneThatSaysSo() throws {
        for behaviour in [GainUnit.Behaviour.error, .silence, .nothing] {
            let effect = GainUnit.effect(5)
            try unit(of: effect).behaviour = behaviour
            let bench = try bench(effect)
            bench.play(ramp(1, 960))
            #expect(try bench.render(960) == silence(960))
        }
    }

    @Test func memoryOfTheUnit_isReadAsFarAsItsSizeSays() throws {
        let effect = GainUnit.effect(6)
        try unit(of: effect).behaviour = .ownMemory(frames: 100)
        let bench = try bench(effect)
        bench.play(ramp(1, 960))
        let cycle = [Float](repeating: 0.25, count: 100) + silence(380)
        #expect(try bench.render(960) == cycle + cycle)
    }

    @Test func input_isPulledInPieces_orNotAtAll() throws {
        let effect = GainUnit.effect(7)
        try unit(of: effect).behaviour = .pieces
        let bench = try bench(effect)
        let sound = ramp(1, 960)
        bench.play(sound)
        #expect(try bench.render(960) == sound)
        // More than the cycle has, and a bus that does not exist.
        let log = try unit(of: effect).log.withLock { $0 }
        #expect(log.statusOfTooMany == kAudioUnitErr_TooManyFramesToProcess)
        #expect(log.statusOfNoBus == kAudioUnitErr_NoConnection)
    }

    @Test func stereo_staysInItsChannels() throws {
        let effect = GainUnit.effect(8)
        let bench = try bench(effect, format: .stereo)
        let channels = [ramp(1, 960), ramp(5001, 960)]
        bench.player.scheduleBuffer(AVAudioPCMBuffer(channels))
        bench.player.play()
        #expect(try bench.renderAll(960) == channels)
    }

    @Test func parameterEvents_comeInTheCycleInWhichTheyAreDue_inOrder() throws {
        let effect = GainUnit.effect(9)
        let unit = try unit(of: effect)
        let schedule = unit.scheduleParameterBlock
        let bench = try bench(effect)
        schedule(700, 32, 2, 0.7)
        schedule(600, 0, 1, 0.6)
        schedule(100, 0, 0, 0.1)
        schedule(AUEventSampleTimeImmediate + 5, 0, 3, 0.3)
        _ = try bench.render(960)
        // It is late, and due with the first frame.
        schedule(50, 0, 0, 0.2)
        schedule(AUEventSampleTimeImmediate, 0, 1, 0.4)
        _ = try bench.render(480)
        #expect(
            unit.log.withLock { $0.events } == [
                "3=0.3 at 5", "0=0.1 at 100", "1=0.6 at 600", "2=0.7 at 700 over 32", "0=0.2 at 960", "1=0.4 at 960",
            ])
    }

    @Test func events_beyondTheRoomForThem_areDropped() throws {
        let effect = GainUnit.effect(10)
        let unit = try unit(of: effect)
        let schedule = unit.scheduleParameterBlock
        for index in 0..<3000 { schedule(AUEventSampleTime(index), 0, 0, Float(index)) }
        let bench = try bench(effect, step: 4096)
        _ = try bench.render(4096)
        #expect(unit.log.withLock { $0.events }.count == 1024)
    }

    @Test func randomEvents_comeOnceEach_inOrderOfTime() throws {
        var random = Seeded(seed: 22)
        let events = UnitEvents()
        let schedule = EventSchedule(events)
        var (time, put, got) = (Int64(0), 0, 0)
        for _ in 0..<20_000 {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let due = Int64.random(in: -2...3000, using: &random)
                let event = UnitEvent(
                    sampleTime: due < 0 ? AUEventSampleTimeImmediate + due : time + due - 1000,
                    .parameter(address: 0, value: 0, rampFrames: 0))
                put += events.put(event) ? 1 : 0
            }
            let frames = Int.random(in: 1...1024, using: &random)
            var (next, last) = (schedule.due(at: time, frames: frames), time)
            while let event = next {
                let at = event.pointee.head.eventSampleTime
                #expect(at >= last && at < time + Int64(frames))
                (last, got) = (at, got + 1)
                next = event.pointee.head.next.map { UnsafePointer($0) }
            }
            time += Int64(frames)
        }
        _ = schedule.due(at: time + 5000, frames: 1).map { _ in }
        #expect(put - got < 1024)
        #expect(got > 30_000)
    }

    @Test func midi_reachesAMusicEffect_andNoOther() throws {
        let description = AudioComponentDescription.test(11, type: kAudioUnitType_MusicEffect)
        AUAudioUnit.registerSubclass(GainUnit.self, as: description, name: "Tests: Music", version: 1)
        let effect = AVAudioUnitEffect(audioComponentDescription: description)
        let unit = try unit(of: effect)
        let schedule = try #require(unit.scheduleMIDIEventBlock)
        let bench = try bench(effect)
        schedule(AUEventSampleTimeImmediate, 0, 3, [0x90, 60, 100])
        schedule(10, 1, 2, [0xc0, 5])
        schedule(10, 1, 9, [0xf0])
        _ = try bench.render(480)
        #expect(unit.log.withLock { $0.events } == ["midi 0: 144 60 100 at 0", "midi 1: 192 5 at 10"])
        #expect(try self.unit(of: GainUnit.effect(3)).scheduleMIDIEventBlock == nil)
    }

    // MARK: Life

    @Test func unit_goesWithItsNode() throws {
        weak var unit: AUAudioUnit?
        try autoreleasing {
            let effect = GainUnit.effect(22)
            unit = effect.auAudioUnit
            let bench = try bench(effect)
            bench.play(ramp(1, 480))
            _ = try bench.render(480)
            bench.engine.stop()
        }
        #expect(unit == nil)
    }

    private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }
}
