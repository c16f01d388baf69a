import AudioModel
import Testing

@testable import GuardCore

/// Calls of programs that set no role: they play and record at once.
struct FoundCallTests: GuardScenes {
    private func capture(
        _ program: Program, hearsMicrophone: Bool = true, hearsPrograms: Bool = false, id: UInt64 = 90
    ) -> GuardEvent {
        .fact(
            .captureChanged(
                CaptureStream(
                    id: id, program: program, hearsMicrophone: hearsMicrophone, hearsPrograms: hearsPrograms)))
    }

    /// Music on the headphones, and a program that begins to record, and so many seconds later to play.
    private func called(after seconds: Double = 0.5, role: String? = nil, _ options: GuardOptions = GuardOptions())
        -> (machine: ModelMachine, call: UInt64)
    {
        var machine = playing(.mpv, options)
        machine.wait(seconds: 1)
        machine.ask(capture(.phone))
        machine.wait(seconds: seconds)
        let call = machine.play(.phone, role: role)
        machine.settle()
        return (machine, call)
    }

    @Test func programThatPlaysAndRecordsAtOnce_hasACall() {
        var (machine, call) = called()
        machine.wait(seconds: 0.6)
        #expect(machine.heldIDs == [], "a short test of a microphone is none")
        machine.wait(seconds: 0.2)
        #expect(machine.heldIDs == [1])
        #expect(machine.log.last == GuardReport(.held(.call(stream: call, name: "linphone")), name: "mpv"))
        #expect(machine.focusClaim == .pause, "for sessions, which see no recordings")
        // Its user mutes the microphone, and the program ends its recording.
        machine.ask(capture(.phone, hearsMicrophone: false))
        machine.wait(seconds: 60)
        #expect(machine.heldIDs == [1])
        machine.end(call)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [] && machine.focusClaim == nil)
        #expect(machine.log.last == GuardReport(.released(.callEnded), name: "mpv"))
    }

    @Test func playingFirst_andRecordingASecondLater_isACallToo() {
        var machine = playing(.mpv)
        machine.play(.phone)
        machine.wait(seconds: 1)
        machine.ask(capture(.phone))
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [1])
    }

    @Test func call_isLoweredForNoAlert_andHeldForNoOtherCall() {
        var (machine, call) = called()
        machine.wait(seconds: 2)
        machine.play(.radio, role: "Alarm")
        machine.play(.browser, role: "Communication")
        machine.wait(seconds: 2)
        #expect(machine.linkTarget(call) == .sink("headphones"))
        #expect(machine.heldIDs == [1])
    }

    @Test func callThatPauses_isOver_andIsNoCallWhenItGoesOn() {
        var (machine, call) = called()
        machine.wait(seconds: 2)
        machine.setPlaying(false, call)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        machine.setPlaying(true, call)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [])
    }

    // MARK: What is no call

    /// A browser is one process: a film in one tab, and later a meter, a voice search or a game in another.
    @Test(arguments: [2.1, 30])
    func directionsThatBeginApart_areNoCall(seconds: Double) {
        var (machine, _) = called(after: seconds)
        machine.wait(seconds: 10)
        #expect(machine.heldIDs == [])
        var film = playing(.mpv)
        film.play(.browser)
        film.wait(seconds: seconds)
        film.ask(capture(.browser))
        film.wait(seconds: 10)
        #expect(film.heldIDs == [])
    }

    /// OBS hears its microphone and the desktop, and plays what it hears.
    @Test func recorderOfTheDesktop_isNoCall() {
        var machine = playing(.mpv)
        machine.ask(capture(.phone))
        machine.ask(capture(.phone, hearsMicrophone: false, hearsPrograms: true, id: 91))
        machine.play(.phone)
        machine.wait(seconds: 5)
        #expect(machine.heldIDs == [])
        machine.ask(.fact(.captureEnded(91)))
        machine.wait(seconds: 5)
        #expect(machine.heldIDs == [1], "without the desktop nothing tells it from a call")
    }

    /// The prompt of a dictation.
    @Test func beepThatIsOverSoon_isNoCall() {
        var (machine, beep) = called(after: 0)
        machine.wait(seconds: 0.5)
        machine.end(beep)
        machine.wait(seconds: 5)
        #expect(machine.heldIDs == [])
    }

    @Test(arguments: ["Game", "Production", "Music"])
    func roleThatSaysSomethingElse_isBelieved(role: String) {
        var (machine, _) = called(role: role)
        machine.wait(seconds: 5)
        #expect(machine.heldIDs == [])
    }

    @Test func streamThatWasThereBeforeTheGuard_isNoCall() {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.play(.mpv)
        machine.play(.phone)
        machine.killGuard(0)
        machine.startGuard()
        machine.ask(capture(.phone))
        machine.wait(seconds: 5)
        #expect(machine.heldIDs == [])
    }

    @Test func callsOff_excluded_orOtherwiseNamed_holdNobody() {
        var options = GuardOptions()
        options.holdsForCalls = false
        var (machine, _) = called(after: 0.5, options)
        machine.wait(seconds: 3)
        #expect(machine.heldIDs == [])
        machine.configure(GuardConfiguration.rule("linphone", ["guard.action": "leave-alone"]))
        machine.wait(seconds: 3)
        #expect(machine.heldIDs == [])
        options = GuardOptions()
        options.roles.setEffect(.ignored, ofRole: "none")
        machine.configure(options)
        machine.wait(seconds: 3)
        #expect(machine.heldIDs == [])
        machine.configure(GuardOptions())
        machine.wait(seconds: 3)
        #expect(machine.heldIDs == [1], "nothing else kept it from being one")
        options.holdsForCalls = false
        machine.configure(options)
        machine.settle()
        #expect(machine.heldIDs == [] && machine.focusClaim == nil)
    }
}
