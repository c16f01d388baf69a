import OpenLV2
import ProgramRuntime
import Testing

@testable import audiosession

/// `--effect` and `audiosession effects`, with Debian's mda-lv2 and x42-plugins.
@Suite struct EffectTests {
    init() { LV2Plugins.register() }

    private func play(_ arguments: String...) throws -> PlayCommand {
        try #require(try AudioSessionTool.command(from: ["play", "a.wav"] + arguments) as? PlayCommand)
    }

    private func value(_ identifier: String, of choice: EffectChoice) throws -> Float? {
        let parameter = try #require(choice.unit.parameters.first { $0.identifier == identifier })
        return choice.unit.value(at: parameter.address)
    }

    @Test func effects_areTakenInTheirOrder_withTheirSettings() throws {
        let command = try play(
            "--effect", "mda-limiter:thresh=0.25:knee=soft", "--effect", "MDA Delay", "--effect",
            "http://gareus.org/oss/lv2/fil4#stereo:gain=-6")
        #expect(command.effect.count == 3)
        #expect(try value("thresh", of: command.effect[0]) == 0.25)
        #expect(try value("knee", of: command.effect[0]) == 1)
        #expect(try value("output", of: command.effect[0]) == 0.6)
        #expect(command.effect[1].unit.parameters.first?.identifier == "l_delay")
        #expect(try value("gain", of: command.effect[2]) == -6)
        #expect(try play().effect.isEmpty)
    }

    @Test(arguments: [
        ("mda-limitr", "there is no effect 'mda-limitr'. Did you mean 'mda-limiter'? 'audiosession effects' lists"),
        ("", "there is no effect ''."),
        ("eq\u{1b}[2J:x=1", "there is no effect 'eq\u{FFFD}[2J'."),
        ("mda-limiter:thrsh=1", "the effect 'mda-limiter' has no setting 'thrsh'. Did you mean 'thresh'?"),
        ("mda-limiter:thresh=2", "'2' is no value of 'thresh' of the effect 'mda-limiter': give a number from 0 to 1."),
        ("mda-limiter:thresh=loud", "'loud' is no value of 'thresh'"),
        ("mda-limiter:thresh=nan", "'nan' is no value of 'thresh'"),
        ("mda-limiter:knee=x", "give a number from 0 to 1, or 'Hard', 'Soft'."),
        (
            "x42-eq",
            "'x42-eq' may be 'x42-eq-parametric-equalizer-mono', 'x42-eq-parametric-equalizer-stereo'. Give more"
        ),
        ("x42-eq-parametric-equalizer-mono:peak=0", "has no setting 'peak'"),
    ]) func wrongEffect_isExplained(text: String, expected: String) {
        let error = #expect(throws: (any Error).self) { try play("--effect", text) }
        #expect(
            AudioSessionTool.fullMessage(for: error!).contains(expected), "\(AudioSessionTool.fullMessage(for: error!))"
        )
    }

    @Test func list_hasEachEffect_andDetailsHaveItsSettings() throws {
        let all = EffectText(listings: EffectListing.all, isDetailed: false, missing: nil).lines
        #expect(all[0].hasPrefix("EFFECT"))
        #expect(all.contains { $0.hasPrefix("mda-delay ") && $0.contains("David Robillard") && $0.hasSuffix("LV2") })
        let one = EffectText(
            listings: [try EffectChoice.listing("mda-limiter")], isDetailed: true, missing: nil)
        #expect(one.lines.prefix(3) == ["MDA Limiter, David Robillard", "http://drobilla.net/plugins/mda/Limiter", ""])
        #expect(one.lines.contains { $0.hasPrefix("knee") && $0.hasSuffix("0 Hard, 1 Soft") })
        #expect(one.json.text.contains(#""setting":"thresh","name":"Thresh","least":0.000000,"most":1.000000"#))
    }

    @Test func withoutLilv_theListSaysWhatToInstall() {
        let lines = EffectText(listings: [], isDetailed: false, missing: "liblilv-0.so.0: cannot open").lines
        #expect(lines.last?.contains("apt-get install liblilv-0-0") ?? false)
        let empty = EffectText(listings: [], isDetailed: false, missing: nil).lines
        #expect(empty.last?.contains("mda-lv2") ?? false)
    }
}
