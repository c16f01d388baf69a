import CAudioTypes
import Foundation
import OpenLV2
import RuntimeTestSupport
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Which audio units there are, and plug-ins in an engine.
@Suite struct ComponentTests {
    init() { LV2Plugins.register() }

    private var manager: AVAudioUnitComponentManager { .shared() }

    private func component(_ name: String) throws -> AVAudioUnitComponent {
        try #require(manager.components { component, _ in component.name == name }.first)
    }

    @Test func manager_listsUnitsOfTheLibrary_ofTheApp_andPlugins() throws {
        let timePitch = try component("AUNewTimePitch")
        #expect(timePitch.typeName == AVAudioUnitTypeFormatConverter)
        #expect(timePitch.localizedTypeName == "Format Converter")
        #expect(
            (timePitch.manufacturerName, timePitch.versionString, timePitch.version) == (
                "open-avfaudio", "1.0.0", 65_536
            ))
        #expect(timePitch.audioComponentDescription.componentSubType == kAudioUnitSubType_NewTimePitch)
        AUAudioUnit.registerSubclass(
            GainUnit.self, as: .test(40, type: kAudioUnitType_MusicEffect), name: "Tests: Listed", version: 0x0003_0201)
        let own = try component("Listed")
        #expect(
            (own.manufacturerName, own.versionString, own.typeName) == ("Tests", "3.2.1", AVAudioUnitTypeMusicEffect))
        #expect(own.hasMIDIInput)
        let delay = try component("MDA Delay")
        #expect((delay.manufacturerName, delay.typeName) == ("David Robillard", AVAudioUnitTypeEffect))
        #expect(delay.allTagNames == ["Delay Plugin"])
        #expect(manager.tagNames.contains("Delay Plugin"))
        #expect(manager.standardLocalizedTagNames == manager.tagNames)
        #expect(
            (delay.isSandboxSafe, delay.hasCustomView, delay.hasMIDIInput, delay.hasMIDIOutput) == (
                false, false, false, false
            ))
    }

    /// A program of its own, as what is registered stays registered.
    @Test func plugins_withoutTheirRegistration_areNotListed_andTheErrorNamesTheProduct() async {
        await #expect(processExitsWith: .success) {
            let manager = AVAudioUnitComponentManager.shared()
            let description = AudioComponentDescription(
                componentType: 0, componentSubType: 0, componentManufacturer: 0x6c76_3220, componentFlags: 0,
                componentFlagsMask: 0)
            let names = { manager.components(matching: description).map(\.name) }
            #expect(names().isEmpty)
            let wanted = AudioComponentDescription(
                componentType: kAudioUnitType_Effect, componentSubType: 1, componentManufacturer: 0x6c76_3220,
                componentFlags: 0, componentFlagsMask: 0)
            let product = "LV2Plugins.register() of the product OpenLV2"
            #expect(NSError.unknownComponent(wanted).localizedDescription.contains(product))
            LV2Plugins.register()
            let registered = names()
            #expect(registered.contains("MDA Delay"))
            #expect(!NSError.unknownComponent(wanted).localizedDescription.contains(product))
            LV2Plugins.register()
            #expect(names() == registered)
        }
    }

    @Test func unitWithoutAComponent_passesTheSoundOn() throws {
        let unit = AVAudioUnit()
        #expect((unit.name, unit.version, unit.audioComponentDescription.componentType) == ("", 0, 0))
        let engine = AVAudioEngine()
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 256)
        let source = AVAudioSourceNode(format: format) { _, _, frames, list in
            let samples = UnsafeMutableAudioBufferListPointer(list)[0].mData?.assumingMemoryBound(to: Float.self)
            for frame in 0..<Int(frames) { samples?[frame] = 0.25 }
            return noErr
        }
        for node in [source, unit] { engine.attach(node) }
        engine.connect(source, to: unit, format: format)
        engine.connect(unit, to: engine.mainMixerNode, format: format)
        try engine.start()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 256))
        // The first blocks have the fade of a new source.
        for _ in 0..<8 { #expect(try engine.renderOffline(256, to: buffer) == .success) }
        let samples = try #require(buffer.floatChannelData)
        #expect((0..<256).allSatisfy { samples[0][$0] == 0.25 })
    }

    @Test func components_areFoundByDescription_byTestAndByPredicate() throws {
        let effects = manager.components(
            matching: AudioComponentDescription(
                componentType: kAudioUnitType_Effect, componentSubType: 0, componentManufacturer: 0, componentFlags: 0,
                componentFlagsMask: 0))
        #expect(effects.contains { $0.name == "MDA Delay" })
        #expect(!effects.contains { $0.name == "AUNewTimePitch" })
        let delay = try component("MDA Delay")
        #expect(manager.components(matching: delay.audioComponentDescription).map(\.name) == ["MDA Delay"])
        let apple = AudioComponentDescription(
            componentType: kAudioUnitType_FormatConverter, componentSubType: kAudioUnitSubType_Varispeed,
            componentManufacturer: kAudioUnitManufacturer_Apple, componentFlags: 0, componentFlagsMask: 0)
        #expect(manager.components(matching: apple).map(\.name) == ["AUVarispeed"])
        #expect(AVAudioUnitComponentManager().components(matching: apple).map(\.name) == ["AUVarispeed"])
        let named = manager.components(
            matching: NSPredicate { object, _ in (object as? AVAudioUnitComponent)?.name == "AUVarispeed" })
        #expect(named.map(\.name) == ["AUVarispeed"])
        var asked = 0
        let first = manager.components { _, stop in
            asked += 1
            stop.pointee = true
            return true
        }
        #expect((first.count, asked) == (1, 1))
    }

    /// As AudioKit describes its units.
    @Test func flags_haveApplesBits() {
        let description = AudioComponentDescription(
            componentType: kAudioUnitType_Effect, componentSubType: 0, componentManufacturer: 0,
            componentFlags: AudioComponentFlags.sandboxSafe.rawValue, componentFlagsMask: 0)
        #expect(AudioComponentFlags(rawValue: description.componentFlags) == .sandboxSafe)
        let all: AudioComponentFlags = [
            .unsearchable, .sandboxSafe, .isV3AudioUnit, .requiresAsyncInstantiation, .canLoadInProcess,
        ]
        #expect(all.rawValue == 31)
    }

    @Test func typesOfUnits_haveApplesCodesAndNames() {
        let codes: [(UInt32, String)] = [
            (kAudioUnitType_Output, "auou"), (kAudioUnitType_MusicDevice, "aumu"), (kAudioUnitType_MusicEffect, "aumf"),
            (kAudioUnitType_FormatConverter, "aufc"), (kAudioUnitType_Effect, "aufx"), (kAudioUnitType_Mixer, "aumx"),
            (kAudioUnitType_Generator, "augn"), (kAudioUnitManufacturer_Apple, "appl"),
            (kAudioUnitSubType_RemoteIO, "rioc"), (kAudioUnitSubType_MultiChannelMixer, "mcmx"),
            (kAudioUnitSubType_ScheduledSoundPlayer, "sspl"),
        ]
        for (code, letters) in codes {
            #expect(letters.utf8.reduce(0 as OSType) { $0 << 8 | OSType($1) } == code)
        }
        #expect(
            [
                AVAudioUnitTypeOutput, AVAudioUnitTypeMusicDevice, AVAudioUnitTypeMusicEffect,
                AVAudioUnitTypeFormatConverter, AVAudioUnitTypeEffect, AVAudioUnitTypeMixer, AVAudioUnitTypeGenerator,
            ] == ["Output", "Music Device", "Music Effect", "Format Converter", "Effect", "Mixer", "Generator"])
        #expect(
            [
                kAudioUnitErr_Initialized, kAudioUnitErr_PropertyNotWritable, kAudioUnitErr_Uninitialized,
                kAudioUnitErr_TooManyFramesToProcess,
            ] == [-10849, -10865, -10867, -10874])
        let flags: [(AudioUnitRenderActionFlags, UInt32)] = [
            (.unitRenderAction_PreRender, 2), (.unitRenderAction_PostRender, 3),
            (.unitRenderAction_OutputIsSilence, 4), (.offlineUnitRenderAction_Preflight, 5),
            (.offlineUnitRenderAction_Render, 6), (.offlineUnitRenderAction_Complete, 7),
            (.unitRenderAction_PostRenderError, 8), (.unitRenderAction_DoNotCheckRenderArgs, 9),
        ]
        for (flag, bit) in flags { #expect(flag.rawValue == 1 << bit) }
        #expect(AUEventSampleTimeImmediate == Int64(bitPattern: 0xffff_ffff_0000_0000))
        #expect([AUAudioUnitBusType.input, .output].map(\.rawValue) == [1, 2])
    }

    // MARK: Plug-ins in an engine

    @Test func plugin_runsInAnEngine_andItsParametersAreATree() throws {
        let description = try component("x42-eq - Parametric Equalizer Mono").audioComponentDescription
        let effect = AVAudioUnitEffect(audioComponentDescription: description)
        #expect(effect.name == "x42-eq - Parametric Equalizer Mono")
        #expect(effect.manufacturerName == "Robin Gareus")
        let tree = try #require(effect.auAudioUnit.parameterTree)
        let gain = try #require(tree.value(forKey: "gain") as? AUParameter)
        #expect((gain.minValue, gain.maxValue, gain.unit, gain.value) == (-18, 18, .decibels, 0))
        #expect(gain.flags.contains([.flag_IsReadable, .flag_IsWritable]))
        let peak = try #require(tree.value(forKey: "peak") as? AUParameter)
        #expect(peak.flags.contains(.flag_MeterReadOnly) && !peak.flags.contains(.flag_IsWritable))
        gain.value = -18
        #expect(
            AudioUnitSetParameter(effect.audioUnit, UInt32(gain.address), kAudioUnitScope_Global, 0, 99, 0) == noErr)
        #expect(gain.value == 18)
        gain.value = -12
        let bench = try EffectBench([effect])
        bench.play(tone(1000, frames: 24_000))
        let heard = try bench.render(24_000)
        let loudness = heard[12_000...].map { abs($0) }.max() ?? 0
        // 12 dB are a factor of 3.98.
        #expect(abs(loudness - 0.5 * 0.2512) < 0.005)
        effect.bypass = true
        #expect(effect.auAudioUnit.shouldBypassEffect)
        _ = try bench.render(4800)
        #expect(effect.auAudioUnit.tailTime == 10)
    }

    @Test func scheduledParameterOfAPlugin_takesEffectAtOnce() throws {
        let description = try component("MDA Limiter").audioComponentDescription
        let unit = AVAudioUnitEffect(audioComponentDescription: description).auAudioUnit
        let threshold = try #require(unit.parameterTree?.value(forKey: "thresh") as? AUParameter)
        unit.scheduleParameterBlock(AUEventSampleTimeImmediate, 0, threshold.address, 0.25)
        #expect(threshold.value == 0.25)
        #expect(unit.fullState != nil)
    }

    // MARK: Sources

    @Test func generatorOfTheApp_isHeard_fromEachCycle() throws {
        let description = AudioComponentDescription.test(41, type: kAudioUnitType_Generator)
        AUAudioUnit.registerSubclass(NoteUnit.self, as: description, name: "Tests: Generator", version: 1)
        let generator = AVAudioUnitGenerator(audioComponentDescription: description)
        #expect(generator.numberOfInputs == 0)
        let unit = try #require(generator.auAudioUnit as? NoteUnit)
        let bench = try EffectBench([], source: generator)
        #expect(try bench.render(480) == silence(480))
        unit.level.store(0.5.bitPattern32, ordering: .relaxed)
        #expect(try bench.render(480) == [Float](repeating: 0.5, count: 480))
        generator.volume = 0.5
        #expect((generator.volume, generator.pan) == (0.5, 0))
        generator.bypass = true
        #expect(unit.shouldBypassEffect)
        #expect(generator.destination(forMixer: bench.engine.mainMixerNode, bus: 0) != nil)
    }

    @Test func instrumentOfTheApp_playsItsNotes_inTheNextCycle() async throws {
        let description = AudioComponentDescription.test(42, type: kAudioUnitType_MusicDevice)
        AUAudioUnit.registerSubclass(NoteUnit.self, as: description, name: "Tests: Instrument", version: 1)
        let instrument = AVAudioUnitMIDIInstrument(audioComponentDescription: description)
        let bench = try EffectBench([], source: instrument)
        #expect(try bench.render(480) == silence(480))
        instrument.startNote(60, withVelocity: 127, onChannel: 1)
        #expect(try bench.render(480) == [Float](repeating: 1, count: 480))
        instrument.stopNote(60, onChannel: 1)
        #expect(try bench.render(480) == silence(480))
        instrument.sendController(7, withValue: 200, onChannel: 17)
        instrument.sendPitchBend(8192, onChannel: 0)
        instrument.sendPressure(5, onChannel: 0)
        instrument.sendPressure(forKey: 60, withValue: 6, onChannel: 0)
        instrument.sendProgramChange(3, bankMSB: 1, bankLSB: 2, onChannel: 0)
        instrument.sendMIDIEvent(0xf2, data1: 1, data2: 2)
        instrument.sendMIDIEvent(0xc4, data1: 9)
        _ = try bench.render(480)
        let unit = try #require(instrument.auAudioUnit as? NoteUnit)
        let expected: [[UInt8]] = [
            [0x91, 60, 127], [0x81, 60, 0], [0xb1, 7, 72], [0xe0, 0, 64], [0xd0, 5], [0xa0, 60, 6], [0xb0, 0, 1],
            [0xb0, 32, 2], [0xc0, 3], [0xf2, 1, 2], [0xc4, 9],
        ]
        #expect(unit.messages.withLock { $0 } == expected)
        var busses = unit.outputBusses.makeIterator()
        #expect(busses.next() != nil && busses.next() == nil)
        #expect(try await AVAudioUnit.instantiate(with: description) is AVAudioUnitMIDIInstrument)
        instrument.volume = 0.25
        instrument.pan = -1
        #expect((instrument.volume, instrument.pan) == (0.25, -1))
        #expect(instrument.destination(forMixer: bench.engine.mainMixerNode, bus: 0) != nil)
    }
}

extension Double {
    fileprivate var bitPattern32: UInt32 { Float(self).bitPattern }
}

/// A unit without inputs: its output is the velocity of the last note.
private final class NoteUnit: AUAudioUnit {
    let level = Atomic<UInt32>(0)
    let messages = Mutex<[[UInt8]]>([])
    private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [output])
    private let output: AUAudioUnitBus

    override init(
        componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) throws {
        output = try AUAudioUnitBus(format: .mono)
        try super.init(componentDescription: componentDescription, options: options)
    }

    override var outputBusses: AUAudioUnitBusArray { outputs }

    override var internalRenderBlock: AUInternalRenderBlock {
        { [unowned self] _, _, frames, _, output, event, _ in
            var next = event
            while let event = next, event.pointee.head.eventType == .MIDI {
                let midi = event.pointee.MIDI
                let bytes = Array([midi.data.0, midi.data.1, midi.data.2].prefix(Int(midi.length)))
                messages.withLock { $0.append(bytes) }
                if bytes[0] & 0xe0 == 0x80 {
                    level.store((Float(bytes[2]) / 127).bitPattern, ordering: .relaxed)
                }
                next = event.pointee.head.next.map { UnsafePointer($0) }
            }
            let value = Float(bitPattern: level.load(ordering: .relaxed))
            let samples = UnsafeMutableAudioBufferListPointer(output)[0].mData?.assumingMemoryBound(to: Float.self)
            samples?.update(repeating: value, count: Int(frames))
            return noErr
        }
    }
}
