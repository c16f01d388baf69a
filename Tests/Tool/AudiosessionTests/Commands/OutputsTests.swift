import AudioModel
import Foundation
import GuardCore
import GuardRuntime
import Testing

@testable import audiosession

@Suite struct OutputsTests {
    private static let speaker = "alsa_output.pci-0000_00_1f.3.analog-stereo"
    private static let hdmi = "alsa_output.pci-0000_01_00.1.hdmi-stereo"
    private static let headset = "bluez_output.AC_12_2F_00_00_01.1"

    private static func report(_ ranking: SinkRanking = SinkRanking(), rules: OutputRules = OutputRules())
        -> OutputsReport
    {
        let outputs = [
            GuardOutput(sink: speaker, uid: "speaker", name: "Built-in Audio", kind: .builtInSpeaker, priority: 1009),
            GuardOutput(sink: hdmi, uid: "hdmi", name: "HDMI", kind: .hdmi, priority: 750),
            GuardOutput(sink: "virtual", uid: "virtual", name: "Virtual", kind: .virtual, priority: 1),
        ]
        return OutputsReport(
            outputs: GuardOutputs(outputs: outputs, defaultSink: .sink(speaker), ranking: ranking), rules: rules)
    }

    @Test func table_hasThePlacesAndWhy() {
        let report = Self.report(SinkRanking(configured: Self.headset, stored: [Self.headset]))
        #expect(
            report.lines == [
                "Sound goes to the first of these that is connected.", "",
                "      OUTPUT          WHY HERE       SINK",
                "1     not connected   chosen last    bluez_output.AC_12_2F_00_00_01.1",
                "2  >  Built-in Audio  priority 1009  alsa_output.pci-0000_00_1f.3.analog-stereo",
                "3     HDMI            priority 750   alsa_output.pci-0000_01_00.1.hdmi-stereo",
                "4     Virtual         priority 1     virtual", "", "> current output",
                "What was chosen in a mixer is above the others. To take it back: audiosession outputs --forget",
            ])
    }

    @Test func preferred_isPendingUntilConnectedAgain() throws {
        let rules = try Self.report().rules(for: ["hdmi", "built-in audio"])
        let report = Self.report(rules: rules)
        #expect(rules.priorities == [Self.hdmi: 1590, Self.speaker: 1588])
        #expect(report.lines.contains("1     HDMI            preferred   alsa_output.pci-0000_01_00.1.hdmi-stereo"))
        #expect(report.lines.last?.hasSuffix("systemctl --user restart wireplumber") == true)
        var inForce = report
        inForce.outputs.outputs[0].priority = 1588
        inForce.outputs.outputs[1].priority = 1590
        #expect(inForce.lines.last == "> current output")
    }

    @Test func choice_isAboveThePreferred() throws {
        let rules = OutputRules([Self.hdmi, Self.speaker])
        for version in SinkRanking.Rules.allCases {
            let ranking = SinkRanking(rules: version, configured: Self.speaker, stored: [Self.speaker])
            #expect(Self.report(ranking, rules: rules).lines[3].hasPrefix("1  >  Built-in Audio  chosen last"))
        }
    }

    @Test(arguments: [
        ("nosuch", "there is no output 'nosuch'."), ("HDMI,hdmi", "'hdmi' is an output that --prefer names twice"),
        ("Virtual", "'Virtual' (virtual) is not an output of a card or a Bluetooth device"),
    ])
    func word_thatHasNoPlace_isRefused(words: String, message: String) {
        let error = #expect(throws: BackendError.self) {
            try Self.report().rules(for: words.split(separator: ",").map(String.init))
        }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: SinkRanking.Rules.allCases)
    func files_areReadBack(version: SinkRanking.Rules) throws {
        let rules = OutputRules([Self.headset, Self.hdmi, Self.speaker])
        let files = rules.files(version)
        #expect(files.count == (version == .wirePlumber04 ? 2 : 1))
        var read = OutputRules()
        for text in files.values { read.add(text) }
        #expect(read == rules)
    }

    /// What is in the files may be someone else's.
    @Test(arguments: [
        "\"alsa_output.x\" priority.session = 999999", "\"alsa_output.\u{1B}[31m\" priority.session = 1", "{{{{",
        "\"virtual\" priority.session = 12",
    ])
    func otherLines_areNoRules(text: String) {
        var read = OutputRules()
        read.add(text)
        #expect(read == OutputRules())
    }

    /// An output is found a place below every microphone, and above what has none.
    @Test func everyRule_isBelowMicrophonesAndAboveOtherOutputs() {
        let priorities = OutputRules((0..<OutputRules.mostSinks).map { "alsa_output.\($0)" }).priorities.values
        #expect(priorities.max()! < 1600 && priorities.min()! > 1509)
    }
}
