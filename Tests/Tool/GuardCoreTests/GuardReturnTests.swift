import AudioModel
import Testing

@testable import GuardCore

/// What becomes of held streams when their output returns, when their user acts, and on request.
struct GuardReturnTests: GuardScenes {
    // MARK: Return

    @Test func headphonesReturnInTime_streamsResumeInTheOrderOfHolding() {
        var machine = machine()
        let ids = [machine.play(.mpv), machine.play(.browser), machine.play(.radio)]
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 29)
        machine.plug(.headphones)
        machine.settle()
        #expect(ids.map { machine.linkTarget($0) } == Array(repeating: .sink("headphones"), count: 3))
        let released = machine.commands.compactMap { if case .release(let id, _) = $0 { id } else { nil } }
        #expect(released == ids)
        #expect(machine.catchPriority == 501)
        #expect(ids.allSatisfy { machine.heard[$0] == ["headphones"] })
    }

    @Test func headphonesReturnLate_streamsStayHeld_andItsUserIsTold() {
        var machine = lost(.mpv, after: 601)
        let id = machine.newestID
        machine.plug(.headphones)
        machine.wait(seconds: 5)
        #expect(machine.linkTarget(id) == .hold)
        #expect(machine.log.last == GuardReport(.returnedLate(output: "headphones"), name: "mpv"))
        machine.ask(.releaseRequested(program: nil))
        machine.settle()
        #expect(machine.linkTarget(id) == .sink("headphones"))
    }

    @Test func headphonesReturn_withinTenMinutes_streamsContinue() {
        var machine = lost(.mpv, after: 599)
        let id = machine.newestID
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.linkTarget(id) == .sink("headphones"))
    }

    /// What a person has heard stop does not start because a program ends; what held for the focus does.
    @Test(arguments: [true, false])
    func guardEnds_playersThatHeldForALossStayPaused(isForFocus: Bool) {
        var machine = isForFocus ? playing(.mpv) : lost(.mpv, after: 1)
        if isForFocus {
            machine.ask(.fact(.holderChanged(FocusHolder(id: .bus(cookie: 1), kind: .pause, program: .dictation))))
        }
        machine.settle()
        machine.ask(.endRequested)
        machine.ask(.releaseRequested(program: nil))
        machine.settle()
        #expect(machine.players == (isForFocus ? ["pause mpv", "resume mpv"] : ["pause mpv"]))
        #expect(machine.heldIDs == [])
    }

    @Test func sessionManagerLeavesAndComesBack_itsUserIsTold() {
        var machine = machine()
        machine.killManager()
        machine.settle()
        machine.startManager()
        machine.settle()
        #expect(machine.log.map(\.kind) == [.managerLeft, .managerCame])
    }

    @Test func headphonesReturn_withStay_streamsStayHeld() {
        var options = GuardOptions()
        options.onReturn = .stay
        var machine = lost(.mpv, after: 1, options)
        let id = machine.newestID
        machine.plug(.headphones)
        machine.wait(seconds: 5)
        #expect(machine.linkTarget(id) == .hold)
    }

    @Test func headphonesReturn_whileAnotherOutputIsTheDefault_streamsStayHeld() {
        var machine = lost(.mpv)
        let id = machine.newestID
        machine.ranking.configured = "speaker"
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.linkTarget(id) == .hold)
        machine.ranking.configured = nil
        machine.plug(ModelMachine.Sink(name: "other", kind: .lineOut, priority: 1))
        machine.settle()
        #expect(machine.linkTarget(id) == .sink("headphones"))
    }

    @Test func streamWithAChosenTarget_onReturn_goesBackToIt() {
        var machine = machine()
        machine.ranking.configured = "speaker"
        let id = machine.play(.mpv, target: "headphones")
        machine.settle()
        #expect(machine.linkTarget(id) == .sink("headphones"))
        machine.unplug("headphones")
        machine.settle()
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.commands.contains(.release(stream: id, target: "headphones")))
        #expect(machine.linkTarget(id) == .sink("headphones"))
    }

    // MARK: The user

    @Test func programPausesAndPlays_whileHeld_goesOnOnTheSpeaker() {
        var machine = lost(.mpv, after: 2)
        let id = machine.newestID
        machine.setPlaying(false, id)
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(id) == .hold)
        machine.setPlaying(true, id)
        machine.settle()
        #expect(machine.linkTarget(id) == .sink("speaker"))
        #expect(machine.log.last == GuardReport(.released(.playedByUser), name: "mpv"))
    }

    @Test func shortStop_whileHeld_isNoPause() {
        var machine = lost(.mpv, after: 2)
        let id = machine.newestID
        machine.setPlaying(false, id)
        machine.wait(seconds: 0.2)
        machine.setPlaying(true, id)
        machine.wait(seconds: 2)
        #expect(machine.linkTarget(id) == .hold)
    }

    @Test func newStreamInAHeldProgram_releasesIt() {
        var machine = lost(.browser, after: 5)
        let id = machine.newestID
        machine.play(.browser)
        machine.settle()
        #expect(machine.linkTarget(id) == .sink("speaker"))
    }

    @Test(arguments: ["Notification", "event"])
    func shortSoundOfAHeldProgram_releasesNothing(role: String) {
        var machine = lost(.browser, after: 5)
        let id = machine.newestID
        machine.play(.browser, role: role)
        machine.settle()
        #expect(machine.linkTarget(id) == .hold)
    }

    @Test(arguments: [false, true])
    func programReopensItsStreamOnTheLoss_bothStayHeld_untilTheOutputIsBack(closesOld: Bool) {
        var machine = lost(.browser, after: 0.3)
        let id = machine.newestID
        if closesOld { machine.end(id) }
        let new = machine.play(.browser)
        machine.wait(seconds: 3)
        #expect(closesOld || machine.linkTarget(id) == .hold)
        #expect(machine.linkTarget(new) == .hold)
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.linkTarget(new) == .sink("headphones"))
    }

    @Test func anotherProgramBeginsOnTheLoss_itIsHeard() {
        var machine = lost(.browser, after: 0.3)
        let new = machine.play(.mpv)
        machine.wait(seconds: 3)
        #expect(machine.linkTarget(new) == .sink("speaker"))
    }

    @Test func playerStarts_programGoesOn() {
        var machine = lost(.mpv)
        let id = machine.newestID
        machine.ask(.playerStarted(.process(99)))
        machine.settle()
        #expect(machine.linkTarget(id) == .hold)
        machine.ask(.playerStarted(.process(1)))
        machine.settle()
        #expect(machine.linkTarget(id) == .sink("speaker"))
    }

    // MARK: Requests

    @Test(arguments: ["MPV", "1", nil])
    func releaseRequested_thatProgramGoesOn(word: String?) {
        var machine = machine()
        let (id, other) = (machine.play(.mpv), machine.play(.browser))
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.ask(.releaseRequested(program: word))
        machine.settle()
        #expect(machine.linkTarget(id) == .sink("speaker"))
        #expect(machine.linkTarget(other) == (word == nil ? .sink("speaker") : .hold))
    }

    @Test func mixerMovesAHeldStream_guardLetsGoOfIt() {
        var machine = lost(.mpv)
        let id = machine.newestID
        machine.move(id, to: "speaker")
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(id) == .sink("speaker"))
        #expect(machine.log.last == GuardReport(.released(.movedByUser), name: "mpv"))
    }

    @Test func heldStreamEnds_isReportedAndForgotten() {
        var machine = lost(.mpv)
        let id = machine.newestID
        machine.end(id)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.ended, name: "mpv"))
    }

    @Test func mixerLiftsTheGuardsChoice_guardLetsGoOfIt() {
        var machine = lost(.mpv, after: 2)
        let id = machine.newestID
        machine.move(id, to: nil)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(id) == .sink("speaker"))
    }
}
