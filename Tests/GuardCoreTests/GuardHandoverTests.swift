import AudioModel
import Testing

@testable import GuardCore

/// A guard that ends, and the next one, which goes on with what it held.
struct GuardHandoverTests {
    private static let headphonesLost = Hold.Reason.lost(uid: "headphones", name: "headphones")

    /// The headphones have left, and mpv is held.
    private func machine(_ options: GuardOptions = GuardOptions()) -> ModelMachine {
        var machine = ModelMachine(options: options)
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 1)
        return machine
    }

    @Test func handOver_whileTheNextWaits_streamIsSilent_andContinuesWhenTheOutputReturns() {
        var machine = machine()
        machine.startGuard()
        let isHandedOver = machine.handOver()
        #expect(isHandedOver)
        #expect(machine.guardCount == 1)
        #expect(machine.heldIDs == [machine.newestID])
        #expect(machine.guardMachine.held.first?.hold.reasons == [Self.headphonesLost])
        #expect(machine.heard[machine.newestID] == ["headphones"])
        #expect(machine.log.suffix(2) == [GuardReport(.keptHeld, name: "mpv"), GuardReport(.handedOver, name: "")])
        machine.plug(.headphones)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.heard[machine.newestID] == ["headphones"])
        #expect(machine.log.last == GuardReport(.released(.outputReturned), name: "mpv"))
    }

    @Test func handOver_whileTheOutputReturns_streamContinues() {
        var machine = machine()
        machine.startGuard()
        machine.settle()
        machine.ask(.handoverRequested)
        machine.plug(.headphones)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.heard[machine.newestID] == ["headphones"])
    }

    @Test func handOver_callEndsMeanwhile_musicContinues() {
        var machine = ModelMachine()
        machine.plug(.speaker)
        let music = machine.play(.mpv, role: "Music")
        let call = machine.play(.phone, role: "Communication")
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [music])
        machine.startGuard()
        machine.settle()
        machine.ask(.handoverRequested)
        machine.end(call)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(music) == .sink("speaker"))
    }

    @Test func handOver_playerWasPaused_nextGuardStartsIt() {
        var machine = machine()
        machine.ask(.playerPaused(Program.mpv.identity))
        machine.startGuard()
        let isHandedOver = machine.handOver()
        #expect(isHandedOver)
        machine.plug(.headphones)
        machine.wait(seconds: 1)
        #expect(machine.players == ["pause mpv", "adopt mpv", "resume mpv"])
    }

    @Test func handOver_withoutANextGuard_endsAsBefore() {
        var machine = machine()
        let isHandedOver = machine.handOver()
        #expect(!isHandedOver)
        machine.ask(.endRequested)
        machine.ask(.releaseRequested(program: nil))
        machine.settle()
        #expect(machine.linkTarget(machine.newestID) == .sink("speaker"))
        #expect(machine.log.last == GuardReport(.released(.guardEnds(isHeard: true)), name: "mpv"))
    }

    @Test func guardEnds_programThatIsPaused_isNotSaidToBeHeard() {
        var machine = machine()
        machine.setPlaying(false, machine.newestID)
        machine.wait(seconds: 1)
        machine.ask(.endRequested)
        machine.ask(.releaseRequested(program: nil))
        #expect(machine.log.last == GuardReport(.released(.guardEnds(isHeard: false)), name: "mpv"))
    }

    @Test func keeper_takesOver_andHandsOverToTheFirstGuardThatComes() {
        var machine = machine()
        machine.startGuard(.keeping)
        let isHandedOver = machine.handOver()
        #expect(isHandedOver)
        #expect(machine.heldIDs == [machine.newestID])
        machine.startGuard()
        machine.wait(seconds: 1)
        #expect(machine.guardMachine.options.scope == .everything)
        machine.killGuard(0)
        machine.settle()
        #expect(machine.heldIDs == [machine.newestID])
        #expect(machine.heard[machine.newestID] == ["headphones"])
    }

    /// What a hostile program announces holds nothing that plays, and never more than the bound.
    @Test func takeover_ofAStreamThatPlays_orThatItsUserMoved_isRefused() {
        let kept = KeptHold(stream: 1, reasons: [Self.headphonesLost], since: .zero)
        func drained(_ stream: ProgramStream, _ kept: KeptHold = kept) -> KeptHold? {
            var takeover = GuardTakeover(GuardHandover(sink: "hold", holds: [kept]), from: 1, at: .zero)
            return takeover.drain(stream, isParked: true)
        }
        #expect(drained(ProgramStream(id: 1, program: .mpv)) == kept)
        #expect(drained(ProgramStream(id: 1, program: .mpv, linkTarget: .sink("hold"))) == kept)
        #expect(drained(ProgramStream(id: 2, program: .mpv)) == nil)
        #expect(drained(ProgramStream(id: 1, program: .mpv, linkTarget: .sink("speaker"))) == nil)
        #expect(drained(ProgramStream(id: 1, program: .mpv, chosenTarget: "speaker")) == nil)
        #expect(drained(ProgramStream(id: 1, program: .mpv, standing: .leftAlone)) == nil)
        #expect(drained(ProgramStream(id: 1, program: .mpv), KeptHold(stream: 1, reasons: [], since: .zero)) == nil)
        let many = (0..<1000).map { KeptHold(stream: $0, reasons: [Self.headphonesLost], since: .zero) }
        #expect(GuardHandover(sink: "hold", holds: many).holds.count == GuardHandover.mostHolds)
    }
}
