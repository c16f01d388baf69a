import AudioModel
import TestSupport
import Testing

@testable import GuardCore

/// What files say, and what programs and outputs get of it.
struct GuardConfigurationTests {
    private typealias Kind = ConfigurationValue.Kind

    private static func value(_ kind: Kind, line: Int = 1) -> ConfigurationValue {
        ConfigurationValue(kind, line: line)
    }

    private static func field(_ key: String, _ kind: Kind, line: Int = 1) -> ConfigurationField {
        ConfigurationField(key: key, line: line, value: value(kind, line: line))
    }

    private static func table(_ texts: KeyValuePairs<String, String>, line: Int = 1) -> Kind {
        .table(texts.map { field($0, .text($1), line: line) })
    }

    private static func rule(
        _ matches: [KeyValuePairs<String, String>], _ actions: KeyValuePairs<String, String>, line: Int = 1
    ) -> ConfigurationValue {
        let all = Kind.list(matches.map { value(table($0, line: line), line: line) })
        let change = Kind.table([field("update-props", table(actions, line: line), line: line)])
        return value(.table([field("matches", all, line: line), field("actions", change, line: line)]), line: line)
    }

    private static func settings(_ texts: KeyValuePairs<String, String>, line: Int = 1) -> [ConfigurationField] {
        [field("guard.settings", table(texts, line: line), line: line)]
    }

    private func configuration(_ fields: [ConfigurationField]...) -> GuardConfiguration {
        var configuration = GuardConfiguration()
        for (index, fields) in fields.enumerated() { configuration.add("\(index).conf", fields, .test) }
        return configuration
    }

    private func programRules(_ rules: ConfigurationValue...) -> GuardConfiguration {
        configuration([Self.field("guard.programs.rules", .list(rules))])
    }

    // MARK: Settings

    @Test func laterFile_wins_andTheCommandLineOverAll() {
        var configuration = configuration(
            Self.settings(["on-return": "stay", "calls": "off", "return-within": "20"]),
            Self.settings(["on-return": "resume", "while-recording": "pause", "one-at-a-time": "true"], line: 7))
        #expect(configuration.options.onReturn == .resume(withinSeconds: 20))
        #expect(!configuration.options.holdsForCalls)
        #expect(configuration.options.whileRecording == .pause)
        #expect(configuration.options.oneAtATime)
        #expect(throws: Never.self) { try configuration.set(.calls, to: "on", origin: "the command line") }
        #expect(configuration.options.holdsForCalls)
        #expect(configuration.problems == [])
        #expect(
            configuration.lines.map { "\($0.setting.rawValue) \($0.text) \($0.origin ?? "-")" } == [
                "on-return resume 1.conf:7", "return-within 20 0.conf:1", "calls on the command line", "alerts on -",
                "while-recording pause 1.conf:7", "one-at-a-time true 1.conf:7", "arm-jack off -",
                "headset switch -", "tray held -",
            ])
    }

    @Test func always_isAnyTime() {
        #expect(
            configuration(Self.settings(["return-within": "always"])).options.onReturn
                == .resume(withinSeconds: .infinity))
    }

    @Test func wrongWords_areNamed_andTheRestStaysInForce() {
        let configuration = configuration(
            Self.settings(["on-return": "soon", "return-within": "-1", "calls": "o\u{7}", "volume": "1"], line: 3)
                + Self.settings(["arm-jack": "on"])
                + [Self.field("guard.settings", .text("x"), line: 9), Self.field("stream.rules", .list([]), line: 12)])
        #expect(configuration.options.armsJacks)
        #expect(configuration.options.onReturn == .resume(withinSeconds: 600))
        #expect(
            configuration.problems == [
                "0.conf:3: on-return is 'soon', and must be resume or stay",
                "0.conf:3: return-within is '-1', and must be a number of seconds from 0 to 86400 or always",
                "0.conf:3: calls is 'o\u{FFFD}', and must be false, off, on or true",
                "0.conf:3: volume is not known; the keys are on-return, return-within, calls, alerts, while-recording, "
                    + "one-at-a-time, arm-jack, headset or tray",
                "0.conf:9: guard.settings is 'x', and must be { on-return = resume ... }",
                "0.conf:12: stream.rules is not known; the keys are guard.settings, guard.programs.rules or "
                    + "guard.outputs.rules",
            ])
    }

    // MARK: Rules

    private func action(
        _ configuration: GuardConfiguration, _ name: String = "mpv", binary: String? = "mpv", role: String? = nil
    ) -> ProgramPolicy.Action {
        let program = Program(identity: .process(1), name: name, binary: binary)
        return configuration.options.policy(of: program, role: role, .test).action
    }

    @Test func matches_anyOf_andAllWithinOne() {
        let configuration = programRules(
            Self.rule(
                [["application.name": "mpv", "media.role": "Music"], ["application.process.binary": "vlc"]],
                ["guard.action": "leave-alone"]))
        #expect(action(configuration, role: "Music") == .leaveAlone)
        #expect(action(configuration, role: "Movie") == .hold)
        #expect(action(configuration) == .hold)
        #expect(action(configuration, "VLC media player", binary: "vlc") == .leaveAlone)
    }

    @Test(arguments: [
        ("mpv", true), ("MPV", false), ("~pv", true), ("~x", false), ("!mpv", false), ("!other", true), ("!~pv", false),
        ("!~x", true), ("!null", true),
    ])
    func comparisons_areThoseOfPipeWiresRules(text: String, applies: Bool) {
        let configuration = programRules(
            Self.rule([["application.name": text]], ["guard.action": "leave-alone"]))
        #expect(action(configuration) == (applies ? .leaveAlone : .hold))
    }

    @Test func null_isAPropertyThatIsNotThere() {
        let match = Self.value(.table([Self.field("media.role", .null)]))
        let change = Self.field("update-props", Self.table(["guard.action": "mpris-only"]))
        let configuration = programRules(
            Self.value(.table([Self.field("matches", .list([match])), Self.field("actions", .table([change]))])))
        #expect(configuration.problems == [])
        #expect(action(configuration) == .mprisOnly)
        #expect(action(configuration, role: "Music") == .hold)
    }

    @Test func laterRule_wins_forWhatItSays() {
        let configuration = programRules(
            Self.rule(
                [["application.name": "mpv"]], ["guard.action": "leave-alone", "guard.while-recording": "never"]),
            Self.rule([["application.name": "mpv"]], ["guard.action": "hold"]))
        let program = Program(identity: .process(1), name: "mpv")
        #expect(
            configuration.options.policy(of: program, role: nil, .test)
                == ProgramPolicy(action: .hold, whileRecording: .never))
    }

    @Test func commandLinesExclusion_outranksARule() {
        var configuration = programRules(Self.rule([["application.name": "mpv"]], ["guard.action": "hold"]))
        configuration.exclude(["MPV"])
        #expect(action(configuration) == .leaveAlone)
    }

    /// Without one of its conditions, it would apply to more than its author meant.
    @Test func ruleWithAFault_isLeftOutAsAWhole_andTheOthersApply() {
        let configuration = programRules(
            Self.rule([["application.name": "a", "application.nme": "b"]], ["guard.action": "leave-alone"], line: 2),
            Self.rule([["application.name": "~("]], ["guard.action": "leave-alone"], line: 3),
            Self.rule([["application.name": "a"]], ["guard.action": "mute"], line: 4),
            Self.rule([["application.name": "a"]], ["guard.volume": "1"], line: 5), Self.rule([], [:], line: 6),
            Self.value(.text("x"), line: 7),
            Self.rule([["application.name": "mpv"]], ["guard.action": "leave-alone"], line: 8))
        #expect(action(configuration, "a") == .hold)
        #expect(action(configuration) == .leaveAlone)
        #expect(
            configuration.problems == [
                "0.conf:2: application.nme is not known; the keys are application.name, application.process.binary or "
                    + "media.role",
                "0.conf:3: application.name has the regular expression '(', which cannot be used: Unmatched (",
                "0.conf:4: guard.action is 'mute', and must be hold, leave-alone or mpris-only",
                "0.conf:5: guard.volume is not known; the keys are guard.action or guard.while-recording",
                "0.conf:6: guard.programs.rules has a rule without matches or actions, or with more than 64 matches",
                "0.conf:7: guard.programs.rules has 'x', and must have rules: { matches = [ ... ] actions = { ... } }",
            ])
    }

    @Test func rules_areBounded_andFaultsToo() {
        let rule = Self.rule([["application.name": "a"]], ["guard.action": "hold"])
        let many = configuration([Self.field("guard.programs.rules", .list(Array(repeating: rule, count: 300)))])
        #expect(many.options.programRules.count == GuardConfiguration.mostRules)
        #expect(many.problems.count == 1)
        let wrong = Self.rule([["application.name": "~("]], ["guard.action": "hold"])
        let faults = configuration([Self.field("guard.programs.rules", .list(Array(repeating: wrong, count: 300)))])
        #expect(faults.problems.count == GuardConfiguration.mostProblems)
        #expect(faults.problems.last == "there are more such faults")
    }

    @Test func outputRules_sayWhatALossAndAReturnMean() {
        let configuration = configuration([
            Self.field(
                "guard.outputs.rules",
                .list([
                    Self.rule([["device.bus": "usb"]], ["guard.on-loss": "continue"]),
                    Self.rule([["node.name": "~hdmi"]], ["guard.on-loss": "hold", "guard.return-within": "always"]),
                ]))
        ])
        func policy(_ sink: String, _ kind: PortKind, bus: String? = nil) -> OutputPolicy {
            configuration.options.policy(
                of: GuardOutput(sink: sink, uid: sink, name: sink, kind: kind, priority: 1, bus: bus), .test)
        }
        #expect(configuration.problems == [])
        #expect(policy("usb", .headphones, bus: "usb").onLoss == .continue)
        #expect(policy("jack", .headphones, bus: "pci").onLoss == .hold)
        #expect(policy("speaker", .builtInSpeaker).onLoss == .continue)
        #expect(policy("jack", .headphones).onReturn == .resume(withinSeconds: 600))
        #expect(
            policy("alsa.hdmi.1", .hdmi) == OutputPolicy(onLoss: .hold, onReturn: .resume(withinSeconds: .infinity)))
    }

    // MARK: The machine

    private func playing(_ options: GuardOptions) -> ModelMachine {
        var machine = ModelMachine(options: options)
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.settle()
        machine.play(.mpv)
        machine.settle()
        return machine
    }

    @Test func programThatIsLeftAlone_isNeitherHeldNorTold() {
        var machine = playing(GuardConfiguration.rule("mpv", ["guard.action": "leave-alone"]))
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.players == [])
        #expect(machine.linkTarget(machine.newestID) == .sink("speaker"))
    }

    @Test func mprisOnly_isTold_andItsStreamIsNotMoved() {
        var machine = playing(GuardConfiguration.rule("mpv", ["guard.action": "mpris-only"]))
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.players == ["pause mpv"])
        #expect(machine.linkTarget(machine.newestID) == .sink("speaker"))
        #expect(!machine.commands.contains { if case .hold = $0 { true } else { false } })
        // Its player does as it was told, and after long the headphones come back.
        machine.setPlaying(false, machine.newestID)
        machine.wait(seconds: 20)
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause mpv", "resume mpv"])
        #expect(!machine.commands.contains { if case .release = $0 { true } else { false } })
    }

    @Test func mprisOnly_whoseUserPressesPlay_isNotHeldAnyMore() {
        var machine = playing(GuardConfiguration.rule("mpv", ["guard.action": "mpris-only"]))
        machine.unplug("headphones")
        machine.settle()
        machine.setPlaying(false, machine.newestID)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [machine.newestID])
        machine.setPlaying(true, machine.newestID)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last?.kind == .released(.playedByUser))
    }

    @Test(arguments: ProgramPolicy.Action.allCases)
    func rule_thatComesWhileAProgramIsHeld_isFollowedAtOnce(action: ProgramPolicy.Action) {
        var machine = playing(GuardOptions())
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.parkedIDs == [machine.newestID])
        machine.configure(GuardConfiguration.rule("mpv", ["guard.action": action.rawValue]))
        machine.settle()
        #expect(machine.heldIDs == (action == .hold ? [machine.newestID] : []))
        #expect(machine.linkTarget(machine.newestID) == (action == .hold ? .hold : .sink("speaker")))
        if action != .hold { #expect(machine.log.last?.kind == .released(.configured)) }
    }

    private static func output(_ name: String, _ actions: KeyValuePairs<String, String>) -> GuardOptions {
        var configuration = GuardConfiguration()
        configuration.add(
            "test.conf", [field("guard.outputs.rules", .list([rule([["node.name": name]], actions)]))], .test)
        return configuration.options
    }

    @Test func outputThatMayContinue_isNotCaught_andNothingIsHeld() {
        var machine = playing(Self.output("headphones", ["guard.on-loss": "continue"]))
        #expect(machine.catchPriority == nil)
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(machine.newestID) == .sink("speaker"))
    }

    @Test func ruleForAnOutput_thatComesLater_makesTheCatch() {
        var machine = playing(Self.output("headphones", ["guard.on-loss": "continue"]))
        machine.configure(GuardOptions())
        #expect(machine.catchPriority == 501)
        machine.configure(Self.output("headphones", ["guard.on-loss": "continue"]))
        #expect(machine.catchPriority == nil)
    }

    @Test func outputInTheRoom_thatIsToBeHeld_isHeld() {
        let hdmi = ModelMachine.Sink(name: "hdmi", kind: .hdmi, priority: 2000)
        var machine = ModelMachine(options: Self.output("hdmi", ["guard.on-loss": "hold"]))
        machine.plug(.speaker)
        machine.plug(hdmi)
        machine.settle()
        machine.play(.mpv)
        machine.settle()
        machine.unplug("hdmi")
        machine.settle()
        #expect(machine.heldIDs == [machine.newestID])
        #expect(machine.heard[machine.newestID] == ["hdmi"])
    }

    @Test(arguments: [("20", 30.0, false), ("20", 10, true), ("always", 100_000, true)])
    func outputsOwnTime_countsWhenItReturns(within: String, seconds: Double, resumes: Bool) {
        var machine = playing(Self.output("headphones", ["guard.return-within": within]))
        machine.unplug("headphones")
        machine.settle()
        machine.wait(seconds: seconds)
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.heldIDs.isEmpty == resumes)
    }

    // MARK: Recordings

    private func recording(_ options: GuardOptions) -> ModelMachine {
        var options = options
        options.whileRecording = .pause
        var machine = playing(options)
        machine.ask(.fact(.captureChanged(CaptureStream(id: 900, program: .dictation, hearsMicrophone: true))))
        machine.wait(seconds: 1)
        return machine
    }

    @Test func recording_holdsNoProgramThatNeverYieldsToIt() {
        #expect(recording(GuardOptions()).heldIDs.count == 1)
        #expect(recording(GuardConfiguration.rule("mpv", ["guard.while-recording": "never"])).heldIDs == [])
        #expect(recording(GuardConfiguration.rule("dictation", ["guard.action": "leave-alone"])).heldIDs == [])
    }

    @Test func settingThatChanges_whileAProgramRecords_countsAtOnce() {
        var machine = recording(GuardOptions())
        machine.configure(GuardOptions())
        #expect(machine.heldIDs == [])
        var options = GuardOptions()
        options.whileRecording = .pause
        machine.settle()
        machine.configure(options)
        #expect(machine.heldIDs.count == 1)
        machine.ask(.fact(.captureEnded(900)))
        #expect(machine.heldIDs == [])
    }
}
