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

    /// The machine where this program plays on the headphones.
    private func playing(
        _ program: Program, role: String? = nil, target: String? = nil, _ options: GuardOptions = GuardOptions()
    ) -> ModelMachine {
        var machine = machine(options)
        machine.play(program, role: role, target: target)
        machine.settle()
        return machine
    }

    /// The same, so long after the headphones have left.
    private func lost(
        _ program: Program, role: String? = nil, target: String? = nil, after seconds: Double = 0,
        _ options: GuardOptions = GuardOptions()
    ) -> ModelMachine {
        var machine = playing(program, role: role, target: target, options)
        machine.unplug("headphones")
        machine.wait(seconds: seconds)
        return machine
    }

    private static let headphonesLost = Hold.Reason.lost(uid: "headphones", name: "headphones")

    // MARK: Loss

    @Test func headphonesAreTheDefault_catchRanksJustAboveTheNext() {
        #expect(machine().catchPriority == 501)
    }

    @Test func headphonesLeave_whileAStreamSounds_itIsHeldAndTheSpeakerHearsNothing() {
        let machine = lost(.mpv, after: 5)
        let id = machine.newestID
        #expect(machine.linkTarget(id) == .hold)
        #expect(machine.heard[id] == ["headphones"])
        #expect(machine.log == [GuardReport(.held(Self.headphonesLost), name: "mpv")])
        #expect(machine.catchPriority == nil)
    }

    @Test func newStream_afterALoss_soundsOnTheSpeaker() {
        var machine = lost(.mpv)
        let new = machine.play(.browser)
        machine.settle()
        #expect(machine.linkTarget(new) == .sink("speaker"))
    }

    @Test func newStream_betweenTheLossAndItsReport_isNotSwallowed() {
        var machine = playing(.mpv)
        let old = machine.newestID
        machine.unplug("headphones")
        let new = machine.play(.browser)
        #expect(machine.linkTarget(new) == .catch)
        machine.settle()
        #expect(machine.linkTarget(new) == .sink("speaker"))
        #expect(machine.linkTarget(old) == .hold)
        #expect(machine.heard[old] == ["headphones"])
    }

    /// WirePlumber 0.4 would lose track of it if the catch went now.
    @Test(arguments: [true, false])
    func newStream_whoseLinkIsUnderWay_keepsTheCatch_halfASecondAtMost(arrives: Bool) {
        var machine = playing(.mpv)
        var new = ProgramStream(id: 99, program: .browser)
        machine.unplug("headphones")
        machine.ask(.fact(.streamChanged(new)))
        machine.settle()
        #expect(machine.catchPriority != nil)
        new.linkTarget = .sink("speaker")
        if arrives { machine.ask(.fact(.streamChanged(new))) } else { machine.wait(seconds: 0.6) }
        #expect(machine.catchPriority == nil)
    }

    @Test func pausedStream_whenItsOutputLeaves_isNotHeld() {
        var machine = playing(.mpv)
        let id = machine.newestID
        machine.setPlaying(false, id)
        machine.wait(seconds: 3)
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(id) == .sink("speaker"))
    }

    @Test func stream_thatStoppedBecauseItsOutputLeft_isHeld() {
        var machine = playing(.mpv)
        let id = machine.newestID
        machine.setPlaying(false, id)
        machine.wait(seconds: 0.05)
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [id])
    }

    @Test func stream_onTheSpeakerBesideTheHeadphones_playsOn() {
        let machine = lost(.mpv, target: "speaker")
        let id = machine.newestID
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(id) == .sink("speaker"))
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
        #expect(machine.linkTarget(id) == .sink("hdmi"))
    }

    @Test(arguments: [ProgramStream.Standing.leftAlone])
    func streamOfASession_isNeverHeld(standing: ProgramStream.Standing) {
        var machine = GuardMachine()
        let output = GuardOutput(
            sink: "headphones", uid: "headphones", name: "headphones", kind: .headphones, priority: 1500)
        _ = machine.apply(
            .fact(.outputsChanged(GuardOutputs(outputs: [output], defaultSink: .sink("headphones")))), at: .zero)
        let stream = ProgramStream(
            id: 1, program: .mpv, isRunning: true, linkTarget: .sink("headphones"), standing: standing)
        _ = machine.apply(.fact(.streamChanged(stream)), at: .zero)
        #expect(machine.apply(.fact(.outputsChanged(GuardOutputs())), at: .zero) == [])
    }

    @Test(arguments: ["MPV", "1"])
    func excludedProgram_isNeverHeld(word: String) {
        var options = GuardOptions()
        options.excluded = [word]
        let machine = lost(.mpv, options)
        #expect(machine.heldIDs == [])
    }

    @Test func screenReader_isNeverHeld() {
        let machine = lost(.radio, role: "Accessibility")
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
        #expect(machine.linkTarget(id) == .hold)
        let new = machine.play(.browser)
        machine.settle()
        #expect(machine.linkTarget(new) == .sink("card"))
        machine.setJack(of: "card", isPlugged: true)
        machine.settle()
        #expect(machine.linkTarget(id) == .sink("card"))
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

    // MARK: Players

    @Test func player_isPausedOnceAndResumedWithTheLastStream() {
        var machine = playing(.mpv)
        machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.players == ["pause mpv"])
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause mpv", "resume mpv"])
    }

    @Test func playerClosesItsStreamWhileItIsHeld_andIsResumedAllTheSame() {
        var machine = lost(.browser, after: 5)
        machine.end(machine.newestID)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(!machine.guardMachine.needsWatching)
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause firefox", "resume firefox"])
        machine.unplug("headphones")
        machine.settle()
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause firefox", "resume firefox"])
    }

    @Test func playerClosesItsStreamDuringACall_andIsResumedAfterIt() {
        var machine = playing(.browser)
        let music = machine.newestID
        let call = machine.play(.phone, role: "Communication")
        machine.settle()
        machine.end(music)
        machine.settle()
        machine.end(call)
        machine.settle()
        #expect(machine.players == ["pause firefox", "resume firefox"])
    }

    @Test func playerThatHasClosedItsStream_andPlaysAgain_isNotResumed() {
        var machine = lost(.browser, after: 5)
        machine.end(machine.newestID)
        machine.settle()
        machine.ask(.playerStarted(.process(2)))
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause firefox"])
    }

    @Test func playerThatHasClosedItsStream_isForgottenWhenTheHeadphonesReturnTooLate() {
        var machine = lost(.browser, after: 5)
        machine.end(machine.newestID)
        machine.wait(seconds: 601)
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause firefox"])
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
        #expect(machine.linkTarget(ownMusic) == .sink("headphones"))
        #expect(machine.linkTarget(game) == .sink("headphones"))
        machine.end(call)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.released(.callEnded), name: "firefox"))
    }

    @Test func callThatIsSilentFromItsStart_holdsWhenItIsHeard_andUntilItEnds() {
        var machine = playing(.mpv)
        let music = machine.newestID
        let call = machine.play(.phone, role: "Communication", isSilent: true)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [] && machine.log == [])
        machine.setSilent(false, call)
        machine.settle()
        #expect(machine.heldIDs == [music])
        // A person mutes the others in the middle of it.
        machine.setSilent(true, call)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [music])
        machine.end(call)
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    /// Programs and session managers set the volume of a stream as soon as it runs.
    @Test func callWhoseVolumeIsSetAsItBegins_holdsNobody() {
        var machine = playing(.mpv)
        let call = machine.play(.phone, role: "Communication", isPlaying: false)
        machine.settle()
        machine.setPlaying(true, call)
        machine.wait(seconds: 0.05)
        machine.setSilent(true, call)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [])
        let other = machine.play(.radio, role: "Communication", isPlaying: false)
        machine.settle()
        machine.setPlaying(true, other)
        machine.wait(seconds: 0.2)
        #expect(machine.heldIDs == [1])
    }

    @Test func descriptorsRanOut_whatIsHeldIsLetGoInItsOrder() {
        var machine = playing(.mpv)
        machine.play(.browser)
        machine.wait(seconds: 1)
        machine.unplug("headphones")
        machine.settle()
        let held = machine.heldIDs
        #expect(held.count == 2)
        machine.ask(.fact(.descriptorsRanOut))
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(
            machine.log.suffix(3).map(\.kind) == [
                .descriptorsRanOut, .released(.descriptorsRanOut(isHeard: true)),
                .released(.descriptorsRanOut(isHeard: true)),
            ])
        // As at the end of the guard: a player that shows a pause stays paused.
        #expect(!machine.players.contains { $0.hasPrefix("resume") })
    }

    @Test func nameOfTheFocusService_thatAnotherProgramHas_isTold_andItsReturnOnce() {
        var machine = GuardMachine()
        func reports(_ owner: String?) -> [GuardReport] {
            machine.apply(.focusNameChanged(owner: owner), at: .zero).compactMap {
                if case .report(let report) = $0 { report } else { nil }
            }
        }
        #expect(reports(nil) == [])
        #expect(reports("squatter") == [GuardReport(.focusNameTaken, name: "squatter")])
        #expect(reports(nil) == [GuardReport(.focusNameReturned, name: "")])
        #expect(reports(nil) == [])
    }

    @Test func callIsPaused_musicGoesOnAfterTheBlip() {
        var machine = playing(.mpv)
        let music = machine.newestID
        let call = machine.play(.phone, role: "phone")
        machine.settle()
        machine.setPlaying(false, call)
        machine.wait(seconds: 0.4)
        #expect(machine.heldIDs == [music])
        machine.wait(seconds: 0.2)
        #expect(machine.heldIDs == [])
    }

    @Test func callAndLoss_musicWaitsForBoth() {
        var machine = playing(.mpv)
        let music = machine.newestID
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
        var machine = playing(.mpv)
        machine.play(.radio, role: role)
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    @Test func callsOff_holdsNobody() {
        var options = GuardOptions()
        options.holdsForCalls = false
        var machine = playing(.mpv, options)
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
        var machine = lost(.mpv)
        let id = machine.newestID
        machine.killManager()
        machine.settle()
        machine.startManager()
        machine.settle()
        #expect(machine.linkTarget(id) == .hold)
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
        let retry = later.advanced(bySeconds: 2)
        #expect(
            guardMachine.apply(.fact(.timeReached), at: later)
                == [
                    .host(.setCatch(priority: nil)), .report(GuardReport(.cannotCatch, name: "")),
                    .host(.wake(at: retry)),
                ])
        (outputs.defaultSink, outputs.hasCatch) = (.sink("headphones"), false)
        _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: later)
        #expect(guardMachine.apply(.fact(.settled), at: later) == [])
        #expect(guardMachine.watch == .misranked)
        // The session manager may have been slow.
        #expect(guardMachine.apply(.fact(.timeReached), at: retry).first == .host(.setCatch(priority: 501)))
        outputs.hasCatch = true
        _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: retry)
        _ = guardMachine.apply(.fact(.settled), at: retry)
        #expect(guardMachine.watch == .watched)
    }

    /// A session manager that knows a rule that we do not is not tried without end.
    @Test func catchThatIsAlwaysTheDefault_isTriedFourTimes() {
        var guardMachine = machine().guardMachine
        var outputs = guardMachine.outputs
        var (now, tries) = (HostTime(nanoseconds: 1), 1)
        while tries < 10 {
            outputs.defaultSink = .catch
            _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: now)
            _ = guardMachine.apply(.fact(.settled), at: now)
            now = now.advanced(bySeconds: 0.2)
            _ = guardMachine.apply(.fact(.timeReached), at: now)
            outputs.defaultSink = .sink("headphones")
            _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: now)
            now = now.advanced(bySeconds: 100)
            guard guardMachine.apply(.fact(.timeReached), at: now).contains(.host(.setCatch(priority: 501))) else {
                break
            }
            tries += 1
        }
        #expect(tries == 4)
        #expect(guardMachine.watch == .misranked)
    }

    @Test func catchThatTheServerLoses_isMadeAgain() {
        var machine = machine()
        machine.loseCatch()
        #expect(machine.catchPriority == nil)
        machine.settle()
        #expect(machine.catchPriority == 501)
        // Some program ends it each time: not without a pause.
        machine.loseCatch()
        machine.settle()
        #expect(machine.catchPriority == nil)
        #expect(machine.guardMachine.watch == .pending)
        machine.wait(seconds: 4)
        #expect(machine.catchPriority == 501)
        #expect(machine.guardMachine.watch == .watched)
    }

    /// The session manager was too slow to name the default: the catch of the first loss serves the second too.
    @Test func outputReturnsAndLeaves_whileTheCatchEnds_itStaysForTheSecondLoss() {
        var machine = playing(.mpv)
        let new = ProgramStream(id: 99, program: .browser)
        machine.unplug("headphones")
        machine.ask(.fact(.streamChanged(new)))
        machine.settle()
        machine.wait(seconds: 0.4)
        machine.plug(.headphones)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.wait(seconds: 0.2)
        #expect(machine.catchPriority != nil)
        machine.wait(seconds: 0.4)
        #expect(machine.catchPriority == nil)
        #expect(machine.heard[1] == ["headphones"])
    }

    @Test func outputsOfEqualRank_areSaidNotToBeWatched() {
        var machine = ModelMachine()
        machine.plug(.headphones)
        machine.plug(ModelMachine.Sink(name: "card", kind: .builtInSpeaker, priority: 1500))
        machine.settle()
        #expect(machine.guardMachine.watch == .noRoom)
        machine.unplug("card")
        machine.settle()
        #expect(machine.guardMachine.watch == .watched)
        machine.unplug("headphones")
        machine.plug(.speaker)
        machine.settle()
        machine.wait(seconds: 1)
        #expect(machine.guardMachine.watch == .notNeeded)
    }

    // MARK: What does not obey

    /// A guard may lack the right to set targets.
    @Test func streamThatNothingMoves_isSaidToBeHeard() {
        var machine = playing(.mpv)
        let id = machine.newestID
        machine.refusesTargets = true
        machine.unplug("headphones")
        machine.wait(seconds: 1.9)
        #expect(machine.guardMachine.held.map(\.hold.isHeard) == [false])
        machine.wait(seconds: 0.2)
        #expect(machine.linkTarget(id) == .sink("speaker"))
        #expect(machine.guardMachine.held.map(\.hold.isHeard) == [true])
        #expect(machine.log.last == GuardReport(.notMoved, name: "mpv"))
        // It was slow, and not refused.
        var stream = ProgramStream(id: id, program: .mpv, isRunning: true, linkTarget: .hold)
        machine.ask(.fact(.streamChanged(stream)))
        #expect(machine.guardMachine.held.map(\.hold.isHeard) == [false])
        #expect(machine.log.last == GuardReport(.held(Self.headphonesLost), name: "mpv"))
        stream.isRunning = false
        machine.ask(.fact(.streamChanged(stream)))
        machine.ask(.releaseRequested(program: nil))
        #expect(machine.heldIDs == [])
    }

    @Test func streamThatNothingMoves_continuesWithItsOutput() {
        var machine = playing(.mpv)
        machine.refusesTargets = true
        machine.unplug("headphones")
        machine.wait(seconds: 3)
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.released(.outputReturned), name: "mpv"))
    }

    /// WirePlumber's volumes for roles: programs play to a loopback, and this plays on the headphones.
    @Test func streamBehindARolesLoopback_isHeldWithTheLoopbacksOutput() {
        var machine = machine()
        var stream = ProgramStream(
            id: 99, program: .mpv, role: "Music", isRunning: true, linkTarget: .role(output: "headphones"))
        machine.ask(.fact(.streamChanged(stream)))
        // The loopback is moved first.
        stream.linkTarget = .role(output: nil)
        machine.ask(.fact(.streamChanged(stream)))
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.commands.contains(.hold(stream: 99, cutsLinks: false)))
        #expect(machine.heldIDs == [99])
    }

    @Test func streamBehindALoopbackOnTheSpeaker_playsOn() {
        var machine = machine()
        let stream = ProgramStream(
            id: 99, program: .mpv, role: "Music", isRunning: true, linkTarget: .role(output: "speaker"))
        machine.ask(.fact(.streamChanged(stream)))
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    @Test func serverEnds_andAnotherIsThere_everythingIsForgotten() {
        var machine = lost(.mpv)
        machine.ask(.fact(.serverNamed(1)))
        machine.ask(.fact(.connectionLost))
        machine.ask(.fact(.serverNamed(2)))
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.ended, name: "mpv"))
    }
}
