import CAudioTypes
import Foundation
import RenderCore
import RuntimeTestSupport
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Audio units of an app in an engine.
@Suite struct HostedUnitTests {
    private func bench(
        _ unit: AVAudioUnit, format: AVAudioFormat = .mono, step: UInt32 = 480
    ) throws -> EffectBench { try EffectBench([unit], format: format, rendering: format, step: step) }

    private func effect(_ subType: UInt32, _ unitClass: AUAudioUnit.Type) -> AVAudioUnitEffect {
        let description = AudioComponentDescription.test(subType)
        AUAudioUnit.registerSubclass(unitClass, as: description, name: "Tests: \(unitClass)", version: 0x0002_0103)
        return AVAudioUnitEffect(audioComponentDescription: description)
    }

    private func unit(of effect: AVAudioUnit) throws -> GainUnit { try #require(effect.auAudioUnit as? GainUnit) }

    // MARK: Making

    @Test func registeredSubclass_isWhatItsDescriptionMakes() async throws {
        let effect = effect(1, GainUnit.self)
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
        _ = self.effect(2, PlainUnit.self)
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
        let effect = effect(3, GainUnit.self)
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
        let (first, second) = (effect(4, GainUnit.self), effect(4, GainUnit.self))
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
            let effect = effect(5, GainUnit.self)
            try unit(of: effect).behaviour = behaviour
            let bench = try bench(effect)
            bench.play(ramp(1, 960))
            #expect(try bench.render(960) == silence(960))
        }
    }

    @Test func memoryOfTheUnit_isReadAsFarAsItsSizeSays() throws {
        let effect = effect(6, GainUnit.self)
        try unit(of: effect).behaviour = .ownMemory(frames: 100)
        let bench = try bench(effect)
        bench.play(ramp(1, 960))
        let cycle = [Float](repeating: 0.25, count: 100) + silence(380)
        #expect(try bench.render(960) == cycle + cycle)
    }

    @Test func input_isPulledInPieces_orNotAtAll() throws {
        let effect = effect(7, GainUnit.self)
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
        let effect = effect(8, GainUnit.self)
        let bench = try bench(effect, format: .stereo)
        let channels = [ramp(1, 960), ramp(5001, 960)]
        bench.player.scheduleBuffer(AVAudioPCMBuffer(channels))
        bench.player.play()
        #expect(try bench.renderAll(960) == channels)
    }

    @Test func parameterEvents_comeInTheCycleInWhichTheyAreDue_inOrder() throws {
        let effect = effect(9, GainUnit.self)
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
        let effect = effect(10, GainUnit.self)
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
        #expect(try self.unit(of: self.effect(3, GainUnit.self)).scheduleMIDIEventBlock == nil)
    }

    // MARK: Formats

    @Test func engine_givesTheUnitItsFormats_andAnotherShapeNewResources() throws {
        let effect = effect(12, GainUnit.self)
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
        let effect = effect(13, GainUnit.self)
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
        #expect(throws: Never.self) {
            try engine.connectNode(player, to: effect, format: .stereo)
            try engine.connectNode(effect, to: engine.mainMixerNode, format: .stereo)
        }
    }

    @Test func unitThatThrowsWhileItIsPrepared_stopsTheStart() throws {
        let effect = effect(14, GainUnit.self)
        try unit(of: effect).behaviour = .refuse
        let error = #expect(throws: NSError.self) { try bench(effect) }
        #expect(error?.localizedDescription.contains("not today") ?? false)
    }

    // MARK: Settings

    @Test func bypassAndReset_areTheUnits() throws {
        let effect = effect(15, GainUnit.self)
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
        let effect = effect(16, GainUnit.self)
        let unit = try unit(of: effect)
        unit.claimedLatency = 0.01
        let bench = try bench(effect)
        #expect(effect.latency == 0.01)
        #expect(unit.tailTime == 0)
        for (claimed, expected) in [(-1.0, 0.0), (1e9, 10), (.nan, 0)] {
            let effect = self.effect(16, GainUnit.self)
            try self.unit(of: effect).claimedLatency = claimed
            let bench = try self.bench(effect)
            #expect(effect.latency == expected)
            withExtendedLifetime(bench) {}
        }
        withExtendedLifetime(bench) {}
    }

    @Test func fullState_bringsValuesBack_andIgnoresWhatIsWrong() throws {
        let unit = try unit(of: effect(17, GainUnit.self))
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
        let unit = try unit(of: effect(18, GainUnit.self))
        let presets = try #require(unit.factoryPresets)
        #expect(presets.map(\.name) == ["quiet"])
        #expect(presets.map(\.number) == [0])
        unit.currentPreset = presets[0]
        #expect(unit.currentPreset === presets[0])
        #expect(unit.parameterTree?.parameter(withAddress: 0)?.value == 0.125)
    }

    @Test func parametersOfTheCFunctions_areThoseOfTheTree() throws {
        let effect = effect(19, GainUnit.self)
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
        let output = PlanarBuffers(channels: 1, frames: 512)
        let sound = ramp(1, 256)
        let input: AURenderPullInputBlock = { _, _, frames, _, list in
            UnsafeMutableAudioBufferListPointer(list)[0].mData?.copyMemory(from: sound, byteCount: Int(frames) * 4)
            return noErr
        }
        var (flags, stamp) = (AudioUnitRenderActionFlags(), AudioTimeStamp())
        stamp.mFlags = .sampleTimeValid
        let list = output.list(256)
        #expect(render(&flags, &stamp, 256, 0, list, input) == noErr)
        let data = try #require(UnsafeMutableAudioBufferListPointer(list)[0].mData)
        let rendered = Array(UnsafeBufferPointer(start: data.assumingMemoryBound(to: Float.self), count: 256))
        #expect(rendered == sound.map { $0 * 2 })
        #expect(unit.log.withLock { $0.events } == ["0=0.5 at 10"])
        #expect(render(&flags, &stamp, 257, 0, list, input) == kAudioUnitErr_TooManyFramesToProcess)
        unit.deallocateRenderResources()
        #expect(!unit.renderResourcesAllocated)
    }

    @Test func plainUnit_answersThatItHasNoImplementation() throws {
        let unit = try PlainUnit(componentDescription: .test(2))
        var (flags, stamp) = (AudioUnitRenderActionFlags(), AudioTimeStamp())
        let output = PlanarBuffers(channels: 1, frames: 16)
        #expect(unit.renderBlock(&flags, &stamp, 16, 0, output.list(16), nil) == kAudioUnitErr_Uninitialized)
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

    // MARK: Life

    @Test func unit_goesWithItsNode() throws {
        weak var unit: AUAudioUnit?
        try autoreleasing {
            let effect = effect(22, GainUnit.self)
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

extension AudioComponentDescription {
    static func test(_ subType: UInt32, type: UInt32 = kAudioUnitType_Effect) -> AudioComponentDescription {
        AudioComponentDescription(
            componentType: type, componentSubType: subType, componentManufacturer: 0x7465_7374, componentFlags: 0,
            componentFlagsMask: 0)
    }

    /// Of a `GainUnit`.
    fileprivate static func registered(_ subType: UInt32) -> AudioComponentDescription {
        AUAudioUnit.registerSubclass(GainUnit.self, as: .test(subType), name: "Tests: Gain", version: 1)
        return .test(subType)
    }
}

/// As an app would write it: nothing of its own.
private final class PlainUnit: AUAudioUnit {}

/// Multiplies its input, and notes what it is given.
final class GainUnit: AUAudioUnit {
    enum Behaviour: Sendable {
        case gain, error, silence, nothing, pieces, refuse
        case ownMemory(frames: Int)
    }

    struct Log: Sendable {
        var cycles: [(sampleTime: Double, frames: UInt32)] = []
        var events: [String] = []
        var resources: [String] = []
        var statusOfTooMany: OSStatus = 0
        var statusOfNoBus: OSStatus = 0
    }

    let log = Mutex(Log())
    var behaviour = Behaviour.gain
    var claimedLatency = 0.0
    var capabilities: [NSNumber]?
    private let gain = Mutex<Float>(1)
    private lazy var inputs = AUAudioUnitBusArray(audioUnit: self, busType: .input, busses: [input])
    private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [output])
    private let input: AUAudioUnitBus
    private let output: AUAudioUnitBus
    private let memory = UnsafeMutablePointer<Float>.allocate(capacity: 4096)

    override init(
        componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) throws {
        input = try AUAudioUnitBus(format: .mono)
        output = try AUAudioUnitBus(format: .mono)
        memory.initialize(repeating: 0.25, count: 4096)
        try super.init(componentDescription: componentDescription, options: options)
        let parameters = (0..<4).map { address in
            AUParameterTree.createParameter(
                withIdentifier: address == 0 ? "gain" : "other\(address)", name: "Gain", address: UInt64(address),
                min: 0, max: 2, unit: .linearGain, unitName: nil, flags: [.flag_IsReadable, .flag_IsWritable],
                valueStrings: nil, dependentParameters: nil)
        }
        let tree = AUParameterTree.createTree(withChildren: parameters)
        tree.implementorValueObserver = { [unowned self] parameter, value in
            if parameter.address == 0 { gain.withLock { $0 = value } }
        }
        tree.implementorValueProvider = { [unowned self] parameter in
            parameter.address == 0 ? gain.withLock { $0 } : 0
        }
        parameterTree = tree
    }

    deinit { memory.deallocate() }

    override var inputBusses: AUAudioUnitBusArray { inputs }
    override var outputBusses: AUAudioUnitBusArray { outputs }
    override var latency: TimeInterval { claimedLatency }
    override var channelCapabilities: [NSNumber]? { capabilities }

    override func allocateRenderResources() throws {
        if case .refuse = behaviour { throw NSError.audio(kAudioUnitErr_InvalidParameter, "not today") }
        try super.allocateRenderResources()
        log.withLock { $0.resources.append("allocate") }
    }

    override func deallocateRenderResources() {
        super.deallocateRenderResources()
        log.withLock { $0.resources.append("deallocate") }
    }

    override func reset() { log.withLock { $0.resources.append("reset") } }

    override var factoryPresets: [AUAudioUnitPreset]? {
        let preset = AUAudioUnitPreset()
        preset.name = "quiet"
        return [preset]
    }

    override var currentPreset: AUAudioUnitPreset? {
        get { super.currentPreset }
        set {
            super.currentPreset = newValue
            if newValue?.number == 0 { parameterTree?.parameter(withAddress: 0)?.value = 0.125 }
        }
    }

    override var internalRenderBlock: AUInternalRenderBlock {
        let behaviour = behaviour
        return { [unowned self] flags, stamp, frames, _, output, event, pull in
            note(stamp.pointee, frames, event)
            let buffers = UnsafeMutableAudioBufferListPointer(output)
            switch behaviour {
            case .gain, .refuse:
                let status = pull?(flags, stamp, frames, 0, output) ?? kAudioUnitErr_NoConnection
                guard status == noErr else { return status }
                let gain = gain.withLock { $0 }
                for buffer in buffers {
                    guard let samples = buffer.mData?.assumingMemoryBound(to: Float.self) else { continue }
                    for frame in 0..<Int(frames) { samples[frame] *= gain }
                }
            case .error:
                buffers[0].mData?.assumingMemoryBound(to: Float.self)[0] = 1
                return -1
            case .silence:
                buffers[0].mData?.assumingMemoryBound(to: Float.self)[0] = 1
                flags.pointee.insert(.unitRenderAction_OutputIsSilence)
            case .nothing: buffers[0].mData = nil
            case .ownMemory(let own):
                buffers[0].mData = UnsafeMutableRawPointer(memory)
                buffers[0].mDataByteSize = UInt32(own * 4)
            case .pieces: return pullInPieces(flags, stamp.pointee, frames, buffers, pull)
            }
            return noErr
        }
    }

    private func pullInPieces(
        _ flags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ stamp: AudioTimeStamp, _ frames: UInt32,
        _ buffers: UnsafeMutableAudioBufferListPointer, _ pull: AURenderPullInputBlock?
    ) -> OSStatus {
        guard let pull, let target = buffers[0].mData else { return kAudioUnitErr_NoConnection }
        var list = AudioBufferList(
            mNumberBuffers: 1, mBuffers: AudioBuffer(mNumberChannels: 1, mDataByteSize: 0, mData: nil))
        var stamp = stamp
        var done: UInt32 = 0
        while done < frames {
            let count = min(100, frames - done)
            // Ours has no memory: the host lends its own.
            list.mBuffers.mData = nil
            let status = pull(flags, &stamp, count, 0, &list)
            guard status == noErr, let data = list.mBuffers.mData else { return status }
            (target + Int(done) * 4).copyMemory(from: data, byteCount: Int(count) * 4)
            done += count
            stamp.mSampleTime += Double(count)
        }
        stamp.mSampleTime -= Double(done)
        let (many, none) = (pull(flags, &stamp, frames + 1, 0, &list), pull(flags, &stamp, frames, 1, &list))
        log.withLock { ($0.statusOfTooMany, $0.statusOfNoBus) = (many, none) }
        return noErr
    }

    private func note(_ stamp: AudioTimeStamp, _ frames: UInt32, _ first: UnsafePointer<AURenderEvent>?) {
        var texts: [String] = []
        var next = first
        while let event = next {
            let head = event.pointee.head
            if head.eventType == .MIDI {
                let midi = event.pointee.MIDI
                let bytes = [midi.data.0, midi.data.1, midi.data.2].prefix(Int(midi.length))
                texts.append(
                    "midi \(midi.cable): \(bytes.map(String.init).joined(separator: " ")) at \(head.eventSampleTime)")
            } else {
                let parameter = event.pointee.parameter
                let ramp = parameter.rampDurationSampleFrames
                texts.append(
                    "\(parameter.parameterAddress)=\(parameter.value) at \(head.eventSampleTime)"
                        + (head.eventType == .parameterRamp ? " over \(ramp)" : ""))
            }
            next = head.next.map { UnsafePointer($0) }
        }
        log.withLock {
            $0.cycles.append((stamp.mSampleTime, frames))
            $0.events += texts
        }
    }
}
