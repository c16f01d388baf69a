import AudioModel
import Testing

@testable import GuardCore

/// Streams whose role lowers the others while they are heard.
struct AlertTests: GuardScenes {
    private static let reader = Program.test("orca", 20)

    /// Music on the headphones, and a second later an alert.
    private func alerted(
        _ role: String = "Accessibility", by program: Program = reader, isSilent: Bool = false,
        _ options: GuardOptions = GuardOptions()
    ) -> (machine: ModelMachine, alert: UInt64) {
        var machine = playing(.mpv, options)
        machine.wait(seconds: 1)
        let alert = machine.play(program, role: role, isSilent: isSilent)
        machine.settle()
        return (machine, alert)
    }

    @Test(arguments: ["Accessibility", "a11y", "Navigation", "assistant", "Alarm", "Notification"])
    func alert_lowersTheOthers_onceItHasLasted_andUntilItEnds(role: String) {
        var (machine, alert) = alerted(role)
        machine.wait(seconds: 0.25)
        #expect(machine.duckOutput == nil)
        machine.wait(seconds: 0.75)
        #expect(machine.levels[1] == [0, 14])
        #expect(machine.linkTarget(alert) == .sink("headphones"))
        #expect(machine.guardMachine.holders.map(\.reason) == [role])
        machine.end(alert)
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14, 0])
        machine.wait(seconds: 5)
        #expect(machine.linkTarget(1) == .sink("headphones") && machine.duckOutput == nil)
        // Sessions see the role themselves; the log would be full of sentences.
        #expect(machine.focusClaim == nil && machine.log == [] && machine.heldIDs == [])
    }

    @Test func soundThatIsOverSoon_lowersNothing() {
        var (machine, alert) = alerted("Notification")
        machine.wait(seconds: 0.2)
        machine.end(alert)
        machine.wait(seconds: 5)
        #expect(!machine.commands.contains { if case .openDuck = $0 { true } else { false } })
        // Most sounds of the desktop are over within a second.
        let event = machine.play(.radio, role: "Event")
        machine.wait(seconds: 0.9)
        #expect(machine.duckOutput == nil)
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14], "a ring")
        withExtendedLifetime(event) {}
    }

    /// A screen reader pauses between two sentences; each move of a stream is a click.
    @Test func sentences_areOneLowering_andTheNextOneMovesNothing() {
        var (machine, alert) = alerted()
        machine.wait(seconds: 1)
        machine.setPlaying(false, alert)
        machine.wait(seconds: 0.4)
        machine.setPlaying(true, alert)
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14])
        machine.setPlaying(false, alert)
        machine.wait(seconds: 1.5)
        machine.setPlaying(true, alert)
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14, 0, 14])
        #expect(machine.commands.filter { $0 == .duck(stream: 1) }.count == 1)
        #expect(!machine.commands.contains { if case .release = $0 { true } else { false } })
    }

    @Test func whatBeginsUnderAnAlert_isLoweredToo_butNoCallAndNoOtherAlert() {
        var (machine, _) = alerted("Alarm")
        machine.wait(seconds: 1)
        let film = machine.play(.browser, role: "Movie")
        let call = machine.play(.phone, role: "Communication")
        let alarm = machine.play(.radio, role: "Alarm")
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [1, film], "for the call")
        #expect(machine.linkTarget(call) == .sink("headphones") && machine.linkTarget(alarm) == .sink("headphones"))
        machine.end(call)
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(1) == .duck && machine.linkTarget(film) == .duck)
    }

    @Test func ownMusic_ofTheProgramThatAlerts_isNotLowered() {
        var (machine, _) = alerted("Notification", by: .mpv)
        machine.wait(seconds: 2)
        #expect(machine.levels[1] == [0])
    }

    // MARK: What limits it

    @Test func silentAlert_lowersNothing_andAMuteEndsIt() {
        var (machine, alert) = alerted(isSilent: true)
        machine.wait(seconds: 3)
        #expect(machine.duckOutput == nil)
        machine.setSilent(false, alert)
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14])
        machine.setSilent(true, alert)
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14, 0])
    }

    /// A stream that plays silence after its sentence runs on; a program may also set the role to be heard alone.
    @Test func alertWithoutEnd_lowersForAMinute_andAgainAfterAStop() {
        var (machine, alert) = alerted()
        machine.wait(seconds: 59)
        #expect(machine.guardMachine.holders.count == 1 && machine.levels[1] == [0, 14])
        machine.wait(seconds: 2)
        #expect(machine.guardMachine.holders == [] && machine.levels[1] == [0, 14, 0])
        machine.wait(seconds: 600)
        #expect(machine.levels[1] == [0, 14, 0])
        machine.setPlaying(false, alert)
        machine.wait(seconds: 0.1)
        machine.setPlaying(true, alert)
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14, 0, 14], "a stop, however short, begins another minute")
    }

    @Test func manyAlerts_areBounded() {
        var machine = playing(.mpv)
        for process in 0..<40 { machine.play(.test("evil\(process)", 100 + UInt32(process)), role: "Alarm") }
        machine.wait(seconds: 2)
        #expect(machine.guardMachine.holders.count == Alert.mostAlerts)
        for id in machine.streams.keys.sorted() where id != 1 { machine.end(id) }
        machine.wait(seconds: 5)
        #expect(machine.guardMachine.holders == [] && machine.linkTarget(1) == .sink("headphones"))
    }

    @Test func excludedProgram_andAlertsOff_lowerNothing() {
        var (machine, _) = alerted()
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14])
        machine.configure(GuardConfiguration.rule("orca", ["guard.action": "leave-alone"]))
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14, 0])
        machine.configure(GuardOptions())
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14, 0, 14])
        var off = GuardOptions()
        off.lowersForAlerts = false
        machine.configure(off)
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14, 0, 14, 0])
    }

    /// A guard that serves 'audiosession focus' alone, and ends with it.
    @Test func guardForTheFocusAlone_lowersForNoAlert() {
        var options = GuardOptions()
        options.scope = .focus
        var (machine, _) = alerted("Alarm", options)
        machine.wait(seconds: 2)
        #expect(machine.duckOutput == nil)
    }

    /// A dry run makes no sink, and a server may never make it: the guard does not wake for it again and again.
    @Test(arguments: [false, true])
    func sinkThatNeverComes_isWaitedForWithoutAWakeInThePast(isDryRun: Bool) {
        var machine = GuardMachine(isDryRun: isDryRun)
        let output = GuardOutput(sink: "speaker", uid: "speaker", name: "speaker", kind: .builtInSpeaker, priority: 500)
        func stream(_ id: UInt64, _ program: Program, _ role: String) -> GuardEvent {
            .fact(
                .streamChanged(
                    ProgramStream(id: id, program: program, role: role, isRunning: true, linkTarget: .sink("speaker"))))
        }
        let events = [
            GuardEvent.fact(.guardsChanged(.granted(serial: 1))),
            .fact(.outputsChanged(GuardOutputs(outputs: [output], defaultSink: .sink("speaker")))), .fact(.settled),
            stream(1, .mpv, "Music"), stream(2, Self.reader, "Alarm"),
        ]
        var hasOpened = false
        for (step, event) in (events + Array(repeating: .fact(.timeReached), count: 200)).enumerated() {
            let now = HostTime.zero.advanced(bySeconds: Double(step) / 10)
            for case .host(let command) in machine.apply(event, at: now) {
                if case .openDuck = command { hasOpened = true }
                if case .wake(let time?) = command { #expect(time > now) }
            }
        }
        #expect(hasOpened == !isDryRun)
        #expect(machine.holders.count == 1)
    }

    @Test func heldAlert_lowersNothing() {
        var (machine, alert) = alerted("Alarm")
        machine.wait(seconds: 1)
        machine.unplug("headphones")
        machine.wait(seconds: 1)
        #expect(machine.heldIDs.contains(alert) && machine.guardMachine.holders == [])
        let film = machine.play(.browser, role: "Movie")
        machine.wait(seconds: 3)
        #expect(machine.linkTarget(film) == .sink("speaker"))
    }
}
