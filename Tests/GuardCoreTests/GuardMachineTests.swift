import AudioModel
import Testing

@testable import GuardCore

struct GuardMachineTests {
    private func machine(_ options: GuardOptions = GuardOptions()) -> ModelMachine {
        var machine = ModelMachine(options: options)
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.settle()
        return machine
    }

    private static let lost = Hold.Reason.lost(uid: "headphones", name: "headphones")

    // MARK: Loss

    @Test func headphonesAreTheDefault_catchRanksJustAboveTheNext() {
        #expect(machine().catchPriority == 501)
    }

    @Test func headphonesLeave_whileAStreamSounds_itIsHeldAndTheSpeakerHearsNothing() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 5)
        #expect(machine.place(id) == .hold)
        #expect(machine.heard[id] == ["headphones"])
        #expect(machine.log == [GuardReport(.held(Self.lost), name: "mpv")])
        #expect(machine.catchPriority == nil)
    }

    @Test func newStream_afterALoss_soundsOnTheSpeaker() {
        var machine = machine()
        machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        let new = machine.play(.browser)
        machine.settle()
        #expect(machine.place(new) == .sink("speaker"))
    }

    @Test func newStream_betweenTheLossAndItsReport_isNotSwallowed() {
        var machine = machine()
        let old = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        let new = machine.play(.browser)
        #expect(machine.place(new) == .catch)
        machine.settle()
        #expect(machine.place(new) == .sink("speaker"))
        #expect(machine.place(old) == .hold)
        #expect(machine.heard[old] == ["headphones"])
    }

    @Test func pausedStream_whenItsOutputLeaves_isNotHeld() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.setPlaying(false, id)
        machine.wait(seconds: 2)
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.place(id) == .sink("speaker"))
    }

    @Test func stream_thatStoppedBecauseItsOutputLeft_isHeld() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.setPlaying(false, id)
        machine.wait(seconds: 0.05)
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [id])
    }

    @Test func stream_onTheSpeakerBesideTheHeadphones_playsOn() {
        var machine = machine()
        let id = machine.play(.mpv, target: "speaker")
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.place(id) == .sink("speaker"))
    }

    @Test func speakerLeaves_nothingIsHeld() {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(ModelMachine.Sink(name: "hdmi", kind: .hdmi, priority: 400))
        let id = machine.play(.mpv)
        machine.settle()
        #expect(machine.catchPriority == nil)
        machine.unplug("speaker")
        machine.settle()
        #expect(machine.place(id) == .sink("hdmi"))
    }

    @Test(arguments: [ProgramStream.Standing.leftAlone])
    func streamOfASession_isNeverHeld(standing: ProgramStream.Standing) {
        var machine = GuardMachine()
        let output = GuardOutput(
            sink: "headphones", uid: "headphones", name: "headphones", kind: .headphones, priority: 1500)
        _ = machine.apply(
            .fact(.outputsChanged(GuardOutputs(outputs: [output], defaultSink: .sink("headphones")))), at: .zero)
        let stream = ProgramStream(
            id: 1, program: .mpv, isRunning: true, place: .sink("headphones"), standing: standing)
        _ = machine.apply(.fact(.streamChanged(stream)), at: .zero)
        #expect(machine.apply(.fact(.outputsChanged(GuardOutputs())), at: .zero) == [])
    }

    @Test(arguments: ["MPV", "1"])
    func excludedProgram_isNeverHeld(word: String) {
        var options = GuardOptions()
        options.excluded = [word]
        var machine = machine(options)
        machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    @Test func screenReader_isNeverHeld() {
        var machine = machine()
        machine.play(.radio, role: "Accessibility")
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    // MARK: The jack

    @Test func jackLeaves_streamsOfThatSinkAreHeldAndTheirLinksCut() {
        var machine = ModelMachine()
        machine.plug(.card)
        let id = machine.play(.mpv)
        machine.settle()
        machine.setJack(of: "card", isPlugged: false)
        machine.settle()
        #expect(machine.commands.contains(.hold(stream: id, cutsLinks: true)))
        #expect(machine.place(id) == .hold)
        let new = machine.play(.browser)
        machine.settle()
        #expect(machine.place(new) == .sink("card"))
        machine.setJack(of: "card", isPlugged: true)
        machine.settle()
        #expect(machine.place(id) == .sink("card"))
        #expect(machine.log.last == GuardReport(.released(.outputReturned), name: "mpv"))
    }

    // MARK: Return

    @Test func headphonesReturnInTime_streamsResumeInTheOrderOfHolding() {
        var machine = machine()
        let ids = [machine.play(.mpv), machine.play(.browser), machine.play(.radio)]
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 29)
        machine.plug(.headphones)
        machine.settle()
        #expect(ids.map { machine.place($0) } == Array(repeating: .sink("headphones"), count: 3))
        let released = machine.commands.compactMap { if case .release(let id, _) = $0 { id } else { nil } }
        #expect(released == ids)
        #expect(machine.catchPriority == 501)
        #expect(ids.allSatisfy { machine.heard[$0] == ["headphones"] })
    }

    @Test func headphonesReturnLate_streamsStayHeld() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 31)
        machine.plug(.headphones)
        machine.wait(seconds: 5)
        #expect(machine.place(id) == .hold)
    }

    @Test func headphonesReturn_withStay_streamsStayHeld() {
        var options = GuardOptions()
        options.onReturn = .stay
        var machine = machine(options)
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 1)
        machine.plug(.headphones)
        machine.wait(seconds: 5)
        #expect(machine.place(id) == .hold)
    }

    @Test func headphonesReturn_whileAnotherOutputIsTheDefault_streamsStayHeld() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.ranking.configured = "speaker"
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.place(id) == .hold)
        machine.ranking.configured = nil
        machine.plug(ModelMachine.Sink(name: "other", kind: .lineOut, priority: 1))
        machine.settle()
        #expect(machine.place(id) == .sink("headphones"))
    }

    @Test func streamWithAChosenTarget_onReturn_goesBackToIt() {
        var machine = machine()
        machine.ranking.configured = "speaker"
        let id = machine.play(.mpv, target: "headphones")
        machine.settle()
        #expect(machine.place(id) == .sink("headphones"))
        machine.unplug("headphones")
        machine.settle()
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.commands.contains(.release(stream: id, target: "headphones")))
        #expect(machine.place(id) == .sink("headphones"))
    }

    // MARK: The user

    @Test func programPausesAndPlays_whileHeld_goesOnOnTheSpeaker() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 2)
        machine.setPlaying(false, id)
        machine.wait(seconds: 1)
        #expect(machine.place(id) == .hold)
        machine.setPlaying(true, id)
        machine.settle()
        #expect(machine.place(id) == .sink("speaker"))
        #expect(machine.log.last == GuardReport(.released(.playedByUser), name: "mpv"))
    }

    @Test func shortStop_whileHeld_isNoPause() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 2)
        machine.setPlaying(false, id)
        machine.wait(seconds: 0.2)
        machine.setPlaying(true, id)
        machine.wait(seconds: 2)
        #expect(machine.place(id) == .hold)
    }

    @Test func newStreamInAHeldProgram_releasesIt() {
        var machine = machine()
        let id = machine.play(.browser)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 5)
        machine.play(.browser)
        machine.settle()
        #expect(machine.place(id) == .sink("speaker"))
    }

    @Test(arguments: ["Notification", "event"])
    func shortSoundOfAHeldProgram_releasesNothing(role: String) {
        var machine = machine()
        let id = machine.play(.browser)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 5)
        machine.play(.browser, role: role)
        machine.settle()
        #expect(machine.place(id) == .hold)
    }

    @Test func programReopensItsStreamOnTheLoss_theOldOneStaysHeld() {
        var machine = machine()
        let id = machine.play(.browser)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 0.3)
        machine.play(.browser)
        machine.wait(seconds: 3)
        #expect(machine.place(id) == .hold)
    }

    @Test func playerStarts_programGoesOn() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.ask(.playerStarted(processID: 99))
        machine.settle()
        #expect(machine.place(id) == .hold)
        machine.ask(.playerStarted(processID: 1))
        machine.settle()
        #expect(machine.place(id) == .sink("speaker"))
    }

    @Test(arguments: ["MPV", "1", nil])
    func releaseRequested_thatProgramGoesOn(word: String?) {
        var machine = machine()
        let (id, other) = (machine.play(.mpv), machine.play(.browser))
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.ask(.releaseRequested(program: word))
        machine.settle()
        #expect(machine.place(id) == .sink("speaker"))
        #expect(machine.place(other) == (word == nil ? .sink("speaker") : .hold))
    }

    @Test func mixerMovesAHeldStream_guardLetsGoOfIt() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.move(id, to: "speaker")
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.place(id) == .sink("speaker"))
        #expect(machine.log.last == GuardReport(.released(.movedByUser), name: "mpv"))
    }

    @Test func heldStreamEnds_isReportedAndForgotten() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.end(id)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.ended, name: "mpv"))
    }

    @Test func mixerLiftsTheGuardsChoice_guardLetsGoOfIt() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 2)
        machine.move(id, to: nil)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.place(id) == .sink("speaker"))
    }

    // MARK: Calls

    @Test func call_holdsMusicOfOthersAndReleasesItWhenItEnds() {
        var machine = machine()
        let music = machine.play(.mpv, role: "Music")
        let tab = machine.play(.browser)
        let ownMusic = machine.play(.phone, role: "Music")
        let game = machine.play(.radio, role: "Game")
        machine.wait(seconds: 1)
        let call = machine.play(.phone, role: "Communication")
        machine.settle()
        #expect(machine.heldIDs == [music, tab])
        #expect(machine.place(ownMusic) == .sink("headphones"))
        #expect(machine.place(game) == .sink("headphones"))
        machine.end(call)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.released(.callEnded), name: "firefox"))
    }

    @Test func callIsPaused_musicGoesOnAfterTheBlip() {
        var machine = machine()
        let music = machine.play(.mpv)
        machine.settle()
        let call = machine.play(.phone, role: "phone")
        machine.settle()
        machine.setPlaying(false, call)
        machine.wait(seconds: 0.4)
        #expect(machine.heldIDs == [music])
        machine.wait(seconds: 0.2)
        #expect(machine.heldIDs == [])
    }

    @Test func callAndLoss_musicWaitsForBoth() {
        var machine = machine()
        let music = machine.play(.mpv)
        machine.settle()
        let call = machine.play(.phone, role: "Communication")
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [music, call])
        machine.end(call)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [music])
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.heard[music] == ["headphones"])
    }

    @Test(arguments: ["Alarm", "Notification", "Music", "Accessibility"])
    func otherSounds_holdNobody(role: String) {
        var machine = machine()
        machine.play(.mpv)
        machine.settle()
        machine.play(.radio, role: role)
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    @Test func callsOff_holdsNobody() {
        var options = GuardOptions()
        options.holdsForCalls = false
        var machine = machine(options)
        machine.play(.mpv)
        machine.settle()
        machine.play(.phone, role: "Communication")
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    // MARK: One at a time

    @Test func oneAtATime_newestMusicHoldsTheOlderUntilItEnds() {
        var options = GuardOptions()
        options.oneAtATime = true
        var machine = machine(options)
        let old = machine.play(.mpv)
        machine.wait(seconds: 1)
        let new = machine.play(.radio, role: "Music")
        machine.settle()
        #expect(machine.heldIDs == [old])
        machine.setPlaying(false, new)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [old])
        machine.end(new)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.released(.newerEnded), name: "mpv"))
    }

    // MARK: The session manager and the server

    @Test func sessionManagerRestarts_heldStreamsStaySilent() {
        var machine = machine()
        let id = machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.killManager()
        machine.settle()
        machine.startManager()
        machine.settle()
        #expect(machine.place(id) == .hold)
        #expect(machine.heard[id] == ["headphones"])
        #expect(machine.catchPriority == nil)
    }

    @Test func sessionManagerOfOtherRules_makesTheCatchTheDefault_itIsWithdrawn() {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.settle()
        // As if the priority were wrong.
        var guardMachine = machine.guardMachine
        var outputs = guardMachine.outputs
        outputs.defaultSink = .catch
        let start = HostTime(nanoseconds: 1)
        _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: start)
        let later = start.advanced(bySeconds: 0.2)
        #expect(guardMachine.apply(.fact(.settled), at: start) == [.host(.wake(at: later))])
        #expect(
            guardMachine.apply(.fact(.timeReached), at: later)
                == [.host(.setCatch(priority: nil)), .report(GuardReport(.cannotCatch, name: ""))])
        outputs.defaultSink = .sink("headphones")
        _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: later)
        #expect(guardMachine.apply(.fact(.settled), at: later) == [])
    }

    @Test func serverEnds_everythingIsForgotten() {
        var machine = machine()
        machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.ask(.fact(.connectionLost))
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.ended, name: "mpv"))
    }
}
