import CAudioTypes
import Foundation
import OpenLV2
import RuntimeTestSupport
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Plug-ins in an engine: their state as an app keeps it, and what rude ones do to the rest.
@Suite struct PluginStateTests {
    init() { LV2Plugins.register() }

    private static func effect(named name: String) throws -> AVAudioUnitEffect {
        let components = AVAudioUnitComponentManager.shared().components { component, _ in component.name == name }
        let component = try #require(components.first, "install mda-lv2 (dev/install-packages test)")
        return AVAudioUnitEffect(audioComponentDescription: component.audioComponentDescription)
    }

    private func parameters(_ effect: AVAudioUnitEffect) -> [AUParameter] {
        (effect.auAudioUnit.parameterTree?.allParameters ?? []).filter { $0.flags.contains(.flag_IsWritable) }
    }

    private func heard(_ effect: AVAudioUnitEffect) throws -> [Float] {
        let bench = try EffectBench([effect])
        bench.play(tone(440, frames: 9600))
        return try bench.render(9600)
    }

    // MARK: State

    @Test(arguments: ["MDA Overdrive", "MDA Limiter", "MDA Degrade"])
    func fullState_readByAnotherUnit_isTheSameSound(name: String) throws {
        var random = Seeded(seed: 94)
        let effect = try Self.effect(named: name)
        let plain = try heard(Self.effect(named: name))
        for _ in 0..<3 {
            for parameter in parameters(effect) {
                parameter.value = .random(in: parameter.minValue...parameter.maxValue, using: &random)
            }
            let state = try #require(effect.auAudioUnit.fullState)
            let data = try PropertyListSerialization.data(fromPropertyList: state, format: .binary, options: 0)
            let other = try Self.effect(named: name)
            other.auAudioUnit.fullState =
                try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            #expect(parameters(other).map(\.value) == parameters(effect).map(\.value))
            let (one, another) = (try heard(effect), try heard(other))
            #expect(one == another && one != plain)
        }
    }

    @Test func stateOfAnotherPlugin_orOfNone_changesNothing() throws {
        let (overdrive, limiter) = (try Self.effect(named: "MDA Overdrive"), try Self.effect(named: "MDA Limiter"))
        for parameter in parameters(overdrive) + parameters(limiter) { parameter.value = parameter.maxValue }
        let before = parameters(limiter).map(\.value)
        limiter.auAudioUnit.fullState = overdrive.auAudioUnit.fullState
        limiter.auAudioUnit.fullState = nil
        var state = try #require(limiter.auAudioUnit.fullState)
        let first = String(parameters(limiter)[0].address)
        for values in [[first: "much"], [first: Double.nan], ["99999999999": 1.0], ["-1": 1.0]] as [[String: Any]] {
            state["values"] = values
            limiter.auAudioUnit.fullState = state
        }
        #expect(parameters(limiter).map(\.value) == before)
        // LV2's presets are files of other bundles, which are not read.
        #expect(limiter.auAudioUnit.factoryPresets?.isEmpty ?? true)
    }

    @Test func valuesBeyondTheirRange_areTheNearerEnd_andWhatIsNoNumberIsNone() throws {
        let effect = try Self.effect(named: "MDA Limiter")
        for parameter in parameters(effect) {
            for (value, expected) in [
                (Float.greatestFiniteMagnitude, parameter.maxValue), (-.infinity, parameter.minValue),
                (.nan, parameter.minValue), (.infinity, parameter.maxValue),
            ] {
                parameter.value = value
                #expect(parameter.value == expected, "\(parameter.identifier)")
            }
        }
    }

    @Test func valueThatChangesWhileItPlays_isHeardFromThenOn_withoutAPause() throws {
        let effect = try Self.effect(named: "MDA Overdrive")
        let drive = try #require(parameters(effect).first { $0.identifier == "drive" })
        drive.value = drive.minValue
        let bench = try EffectBench([effect])
        bench.play(tone(440, frames: 28_800))
        let before = try bench.render(9600)
        drive.value = drive.maxValue
        let after = try bench.render(9600)
        #expect(Listening.quietestPeak(before.dropFirst(480)) > 0.1 && Listening.quietestPeak(after) > 0.1)
        #expect(before.suffix(4800) != after.suffix(4800))
        // It is taken out of the engine while that runs.
        bench.engine.disconnectNodeOutput(bench.player)
        bench.engine.detach(effect)
        bench.engine.connect(bench.player, to: bench.engine.mainMixerNode, format: .mono)
        #expect(try bench.render(960).allSatisfy(\.isFinite))
    }

    // MARK: Rude plug-ins

    /// An effect of this code; the process has no plug-ins but this one.
    private static func compiled(
        _ code: PluginBundle.Code, named name: String
    ) throws -> (bundle: PluginBundle, effect: AVAudioUnit) {
        let bundle = try PluginBundle(PluginBundle.description(name: name, [.input, .output]))
        try bundle.compile(code)
        setenv("LV2_PATH", bundle.directory.path, 1)
        LV2Plugins.register()
        return (bundle, try effect(named: name))
    }

    @Test func pluginThatWritesNoNumbers_isSilent_andOthersAreHeard() async {
        await #expect(processExitsWith: .success) {
            var code = PluginBundle.Code()
            code.run = "for (u32 frame = 0; frame < frames; frame++) self->port[1][frame] = __builtin_nanf(\"\");"
            let (bundle, effect) = try PluginStateTests.compiled(code, named: "Rude")
            let bench = try EffectBench([effect])
            let other = AVAudioPlayerNode()
            bench.engine.attach(other)
            bench.engine.connect(other, to: bench.engine.mainMixerNode, format: .mono)
            let sound = ramp(1, 4800)
            bench.play(tone(440, frames: 4800))
            other.scheduleBuffer(AVAudioPCMBuffer([sound]))
            other.play()
            #expect(try bench.render(4800) == sound)
            withExtendedLifetime(bundle) {}
        }
    }

    @Test func pluginThatMakesNoInstance_stopsTheStart_withASentence_andNothingElse() async {
        await #expect(processExitsWith: .success) {
            var code = PluginBundle.Code()
            code.instantiate = "return 0;"
            let (bundle, effect) = try PluginStateTests.compiled(code, named: "Refuses")
            let error = #expect(throws: NSError.self) { try EffectBench([effect]) }
            let reason = "The plug-in urn:test makes no instance for 48000.0 Hz (it refuses)"
            #expect(error?.localizedDescription.contains(reason) == true, "\(String(describing: error))")
            // Without it the engine plays.
            let bench = try EffectBench([])
            bench.play(ramp(1, 480))
            #expect(try bench.render(480) == ramp(1, 480))
            withExtendedLifetime(bundle) {}
        }
    }
}
