import AudioModel
import Testing

@testable import GuardCore

/// A guard that its user has turned off, and on again.
struct GuardOffTests: GuardScenes {
    private func off(_ options: GuardOptions = GuardOptions()) -> GuardOptions { options.turnedOff(until: nil) }

    @Test func headphonesLeave_whileTheGuardIsOff_programsPlayOn() {
        var machine = playing(.mpv, off())
        #expect(machine.guardMachine.watch == .notNeeded)
        #expect(machine.guardMachine.watchedOutput == nil)
        machine.unplug("headphones")
        machine.wait(seconds: 3)
        #expect(machine.heard[machine.newestID] == ["headphones", "speaker"])
        #expect(machine.players == [])
    }

    @Test func guardIsTurnedOff_whileItHolds_programsContinueOnce() {
        var machine = lost(.mpv, after: 1)
        machine.configure(off())
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.released(.turnedOff), name: "mpv"))
        #expect(machine.log.count { if case .released = $0.kind { true } else { false } } == 1)
        #expect(machine.players == ["pause mpv", "resume mpv"])
        #expect(machine.heard[machine.newestID] == ["headphones", "speaker"])
        machine.plug(.headphones)
        machine.wait(seconds: 3)
        #expect(machine.log.last == GuardReport(.released(.turnedOff), name: "mpv"))
    }

    @Test func guardIsTurnedOn_everythingIsGuardedAgain() {
        var machine = playing(.mpv, off())
        machine.configure(GuardOptions())
        machine.settle()
        #expect(machine.guardMachine.watch == .watched)
        #expect(machine.guardMachine.watchedOutput == "headphones")
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [machine.newestID])
        #expect(machine.heard[machine.newestID] == ["headphones"])
    }

    /// What was lost while the guard was off counts no more.
    @Test func outputLeavesBeforeOff_andReturnsAfterOn_nothingIsHeld() {
        var machine = lost(.mpv, after: 1)
        machine.configure(off())
        machine.settle()
        machine.configure(GuardOptions())
        machine.wait(seconds: 700)
        machine.plug(.headphones)
        machine.wait(seconds: 3)
        #expect(machine.heldIDs == [])
        #expect(!machine.log.contains { if case .returnedLate = $0.kind { true } else { false } })
    }

    @Test(arguments: ["Communication", "Music"])
    func callsAndNewerPrograms_whileTheGuardIsOff_holdNothing(role: String) {
        var options = GuardOptions()
        options.oneAtATime = true
        var machine = playing(.mpv, role: "Music", off(options))
        machine.play(.phone, role: role)
        machine.wait(seconds: 3)
        #expect(machine.heldIDs == [])
        machine.configure(options)
        machine.play(.radio, role: role)
        machine.wait(seconds: 3)
        #expect(!machine.heldIDs.isEmpty)
        machine.configure(off(options))
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last?.kind == .released(.turnedOff))
    }

    @Test func focus_whileTheGuardIsOff_isServed() {
        var machine = playing(.mpv, off())
        machine.ask(.fact(.holderChanged(FocusHolder(id: .bus(cookie: 1), kind: .pause, program: .dictation))))
        machine.settle()
        #expect(machine.heldIDs == [machine.newestID])
        machine.unplug("headphones")
        machine.settle()
        machine.ask(.fact(.holderLeft(.bus(cookie: 1))))
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    @Test func guardIsTurnedOff_whileAProgramIsHeldForTheFocusToo_itStaysHeld() {
        var machine = lost(.mpv, after: 1)
        machine.ask(.fact(.holderChanged(FocusHolder(id: .bus(cookie: 1), kind: .pause, program: .dictation))))
        machine.settle()
        machine.configure(off())
        machine.settle()
        #expect(machine.heldIDs == [machine.newestID])
        machine.ask(.fact(.holderLeft(.bus(cookie: 1))))
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    @Test func recordings_whileTheGuardIsOff_holdNothing_andCountAgainAfterOn() {
        var options = GuardOptions()
        options.whileRecording = .pause
        var machine = playing(.mpv, off(options))
        machine.ask(
            .fact(.captureChanged(CaptureStream(id: 900, program: .dictation, hearsMicrophone: true))))
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [])
        machine.configure(options)
        machine.settle()
        #expect(machine.heldIDs == [machine.newestID])
        machine.configure(off(options))
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    /// The connection is away when its user turns the guard off.
    @Test func guardIsTurnedOff_whileItHasNoServer_nothingIsHeldAgain() {
        var guardian = GuardMachine(options: GuardOptions())
        var time = HostTime(nanoseconds: 1_000_000_000)
        var reports: [GuardReport] = []
        func tell(_ event: GuardEvent) {
            time = time.advanced(bySeconds: 0.01)
            for case .report(let report) in guardian.apply(event, at: time) { reports.append(report) }
        }
        let headphones = GuardOutput(sink: "h", uid: "h", name: "Headphones", kind: .headphones, priority: 1500)
        let speaker = GuardOutput(sink: "s", uid: "s", name: "Speaker", kind: .builtInSpeaker, priority: 500)
        let stream = ProgramStream(id: 1, program: .mpv, isRunning: true, linkTarget: .sink("h"))
        func connect(_ serial: UInt64) {
            tell(.fact(.serverNamed(1)))
            tell(.fact(.guardsChanged(.granted(serial: serial))))
            tell(.fact(.outputsChanged(GuardOutputs(outputs: [speaker, headphones], defaultSink: .sink("h")))))
        }
        connect(1)
        tell(.fact(.streamChanged(stream)))
        tell(.fact(.settled))
        tell(.fact(.outputsChanged(GuardOutputs(outputs: [speaker], defaultSink: .sink("s")))))
        #expect(guardian.held.count == 1)
        tell(.fact(.connectionLost))
        tell(.optionsChanged(off()))
        #expect(reports.last == GuardReport(.released(.turnedOff), name: "mpv"))
        connect(2)
        tell(.fact(.streamChanged(stream)))
        tell(.fact(.settled))
        #expect(guardian.held.isEmpty)
        #expect(reports.last == GuardReport(.released(.turnedOff), name: "mpv"))
    }

    /// The desktop shows printable names.
    @Test func program_isReleasedByTheNameThatIsShown() {
        var machine = lost(Program(identity: .process(7), name: "m\u{7}v", binary: "player"), after: 1)
        machine.ask(.releaseRequested(program: "m\u{FFFD}v"))
        #expect(machine.heldIDs == [])
    }
}
