import AudioModel
import Testing

@testable import GuardCore

/// The connection to the server ends while a guard holds, and comes back.
struct ConnectionLossTests {
    private static let headphonesLost = Hold.Reason.lost(uid: "headphones", name: "headphones")

    /// The headphones have left, and these are held.
    private func machine(_ programs: Program...) -> ModelMachine {
        var machine = ModelMachine()
        machine.ask(.fact(.serverNamed(1)))
        machine.plug(.speaker)
        machine.plug(.headphones)
        for program in programs { machine.play(program, role: "Music") }
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 1)
        return machine
    }

    @Test func cut_whileTwoAreHeld_bothAreHeldAgain_andContinueWithTheirOutput() {
        var machine = machine(.mpv, .radio)
        machine.cutGuard(0)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [1, 2])
        #expect(machine.orphans == [])
        #expect(machine.guardMachine.held.map(\.hold.reasons) == [[Self.headphonesLost], [Self.headphonesLost]])
        #expect(
            machine.log.suffix(2) == [GuardReport(.heldAgain, name: "mpv"), GuardReport(.heldAgain, name: "radio")])
        machine.plug(.headphones)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.players == ["pause mpv", "pause radio", "resume mpv", "resume radio"])
    }

    /// Whatever number of facts comes between the loss and the next grant, or between two losses.
    @Test(arguments: 0..<20)
    func cutTwice_afterAnyNumberOfFacts_holdIsNotForgotten(steps: Int) {
        var machine = machine(.mpv)
        machine.cutGuard(0)
        for _ in 0..<steps { machine.step() }
        machine.cutGuard(0)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [1])
        #expect(machine.orphans == [])
        machine.plug(.headphones)
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(1) == .sink("headphones"))
    }

    @Test func outputReturnsMeanwhile_streamContinues() {
        var machine = machine(.mpv)
        machine.cutGuard(0)
        machine.plug(.headphones)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.players == ["pause mpv", "resume mpv"])
    }

    /// What its user has heard for long is not taken away.
    @Test(arguments: [(1.5, true), (3.0, false)])
    func cut_forLong_whatIsHeardIsLetGo(seconds: Double, isHeld: Bool) {
        var machine = machine(.mpv)
        machine.cutGuard(0, awaySeconds: seconds)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == (isHeld ? [1] : []))
        #expect(machine.linkTarget(1) == (isHeld ? .hold : .sink("speaker")))
        #expect(machine.orphans == [])
        #expect(machine.log.last?.kind == (isHeld ? .heldAgain : .released(.connectionLost)))
        // On the speaker: its player, if it shows a pause, stays paused.
        #expect(machine.players == ["pause mpv"])
    }

    @Test func cut_forLong_playerThatIsPaused_isHeldAgain_andContinuesWithItsOutput() {
        var machine = machine(.mpv)
        machine.setPlaying(false, 1)
        machine.wait(seconds: 1)
        machine.cutGuard(0, awaySeconds: 10)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [1])
        machine.plug(.headphones)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.players == ["pause mpv", "resume mpv"])
    }

    @Test func playerThatClosedItsStream_continuesWithItsOutput() {
        var machine = machine(.mpv)
        machine.end(1)
        machine.settle()
        machine.cutGuard(0)
        machine.wait(seconds: 1)
        machine.plug(.headphones)
        machine.wait(seconds: 1)
        #expect(machine.players == ["pause mpv", "resume mpv"])
    }

    @Test func streamEndsMeanwhile_thatIsSaid() {
        var machine = machine(.mpv)
        machine.cutGuard(0)
        machine.end(1)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.ended, name: "mpv"))
    }

    @Test func userActsMeanwhile_isObeyed() {
        for event in [GuardEvent.playerStarted(Program.mpv.identity), .releaseRequested(program: "mpv")] {
            var machine = machine(.mpv)
            machine.cutGuard(0)
            machine.ask(event)
            machine.wait(seconds: 1)
            #expect(machine.heldIDs == [])
            #expect(machine.linkTarget(1) == .sink("speaker"))
            #expect(machine.orphans == [])
        }
    }

    @Test func mixerMovesItMeanwhile_theMixerWins() {
        var machine = machine(.mpv)
        machine.cutGuard(0)
        machine.move(1, to: "speaker")
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.released(.movedByUser), name: "mpv"))
    }

    @Test func callEndsMeanwhile_musicContinues_andOneThatGoesOnHoldsIt() {
        for ends in [true, false] {
            var machine = ModelMachine()
            machine.plug(.speaker)
            let music = machine.play(.mpv, role: "Music")
            let call = machine.play(.phone, role: "Communication")
            machine.wait(seconds: 1)
            machine.cutGuard(0)
            if ends { machine.end(call) }
            machine.wait(seconds: 1)
            #expect(machine.heldIDs == (ends ? [] : [music]))
            #expect(machine.linkTarget(music) == (ends ? .sink("speaker") : .hold))
        }
    }

    /// A guard that has waited takes over: as after a kill, what was held is heard.
    @Test func cut_whileAnotherWaits_thatOneHasTheServer_andNothingIsHeldByNone() {
        var machine = machine(.mpv)
        machine.startGuard()
        machine.settle()
        machine.cutGuard(0)
        machine.wait(seconds: 5)
        #expect(machine.orphans == [])
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(1) == .sink("speaker"))
        machine.killGuard(0)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.log.contains(GuardReport(.released(.connectionLost), name: "mpv")))
    }

    @Test func killed_nextGuardRemovesWhatIsLeft() {
        var machine = machine(.mpv)
        machine.startGuard()
        machine.killGuard(0)
        machine.settle()
        #expect(machine.orphans == [])
        #expect(machine.linkTarget(1) == .sink("speaker"))
    }

    @Test func holdingSinkIsRemoved_heldProgramsAreHeldAgain_andNotSaidToBeMoved() {
        var machine = machine(.mpv)
        machine.wait(seconds: 5)
        machine.loseHold()
        machine.wait(seconds: 5)
        #expect(machine.heldIDs == [1])
        #expect(machine.linkTarget(1) == .hold)
        #expect(machine.log.map(\.kind) == [.held(Self.headphonesLost)])
    }

    @Test func claimIsRemoved_whatIsHeldIsLetGo() {
        var machine = machine(.mpv)
        machine.ask(.fact(.guardsChanged(.failed("gone"))))
        machine.settle()
        #expect(machine.linkTarget(1) == .sink("speaker"))
        #expect(machine.orphans == [])
        #expect(machine.log.contains(GuardReport(.released(.guardEnds(isHeard: true)), name: "mpv")))
    }

    // MARK: Streams that stand still when their output leaves

    /// Opened, and not playing yet; or stopped a moment before.
    @Test func streamThatBeginsToPlayJustAfterTheLoss_isHeldUnheard() {
        for starts in [true, false] {
            var machine = ModelMachine()
            machine.plug(.speaker)
            machine.plug(.headphones)
            let id = machine.play(.mpv)
            machine.setPlaying(false, id)
            machine.wait(seconds: 1)
            machine.unplug("headphones")
            machine.wait(seconds: 0.5)
            #expect(machine.linkTarget(id) == .hold)
            #expect(machine.heldIDs == [] && machine.players == [] && machine.log == [])
            if starts { machine.setPlaying(true, id) }
            machine.wait(seconds: 3)
            #expect(machine.heldIDs == (starts ? [id] : []))
            #expect(machine.linkTarget(id) == (starts ? .hold : .sink("speaker")))
            #expect(machine.players == (starts ? ["pause mpv"] : []))
            #expect(machine.log == (starts ? [GuardReport(.held(Self.headphonesLost), name: "mpv")] : []))
            #expect(machine.heard[id]?.contains("speaker") != true)
        }
    }

    @Test func streamThatItsUserPaused_andPlaysLater_isHeardAndNeverSaidToBeHeld() {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        let id = machine.play(.mpv)
        machine.settle()
        machine.setPlaying(false, id)
        machine.wait(seconds: 1)
        machine.unplug("headphones")
        machine.wait(seconds: 3)
        machine.setPlaying(true, id)
        machine.wait(seconds: 1)
        #expect(machine.heard[id] == ["headphones", "speaker"])
        #expect(machine.log == [] && machine.players == [])
    }

    @Test func outputReturnsBeforeItPlays_streamIsHeardThere() {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        let id = machine.play(.mpv)
        machine.setPlaying(false, id)
        machine.wait(seconds: 1)
        machine.unplug("headphones")
        machine.wait(seconds: 0.2)
        machine.plug(.headphones)
        machine.wait(seconds: 0.2)
        machine.setPlaying(true, id)
        machine.wait(seconds: 3)
        #expect(machine.heard[id] == ["headphones"])
        #expect(machine.log == [] && machine.heldIDs == [])
    }
}
