import AudioModel
import Testing

@testable import GuardCore

/// What the guard does when an output leaves, and with streams that do not move.
struct GuardLossTests: GuardScenes {
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
