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

    /// The keeper has the server first, and hands on before it has moved anything.
    @Test func twoGuardsComeAtOnce_whileTheKeeperTakesOver_oneHasEverything_andNothingIsHeard() {
        for steps in 0..<40 {
            var machine = machine()
            machine.startGuard(.keeping)
            machine.settle()
            machine.ask(.handoverRequested)
            for _ in 0..<steps { machine.step() }
            machine.startGuard()
            machine.startGuard()
            machine.settle()
            machine.wait(seconds: 4)
            machine.endGuardsThatLeave()
            machine.wait(seconds: 1)
            #expect(machine.guardMachine.options.scope == .everything, "\(steps)")
            #expect(machine.heldIDs == [machine.newestID], "\(steps)")
            #expect(machine.heard[machine.newestID] == ["headphones"], "\(steps)")
            #expect(machine.orphans == [])
            #expect(machine.intrusions == [])
        }
    }

    /// The second of two that wait behind a keeper ends, and says which one it found.
    @Test func secondGuardBehindAKeeper_isTaken_andTheFirstIsNot() {
        let keeper = GuardRival(serial: 1, name: "keeper", purpose: .keeping)
        let first = GuardRival(serial: 2, name: "first")
        func taken(_ serial: UInt64, _ rivals: [GuardRival]) -> GuardRival? {
            var machine = GuardMachine()
            for rival in rivals { _ = machine.apply(.fact(.guardsChanged(.rivalChanged(rival))), at: .zero) }
            _ = machine.apply(.fact(.guardsChanged(.granted(serial: serial))), at: .zero)
            return machine.takenBy
        }
        #expect(taken(2, [keeper]) == nil)
        #expect(taken(3, [keeper, first]) == first)
        #expect(taken(3, [first]) == first)
        #expect(taken(2, [GuardRival(serial: 3, name: "late")]) == nil)
    }

    /// A guard for the focus alone may be there first; it would hold without end what it does not guard.
    @Test func guardForTheFocus_thatTookOver_letsGoWhenTheOutputReturns_andHandsOnToTheNextGuard() {
        var machine = machine()
        machine.startGuard(.focus)
        let isHandedOver = machine.handOver()
        #expect(isHandedOver)
        #expect(machine.heldIDs == [machine.newestID])
        var returned = machine
        returned.plug(.headphones)
        returned.wait(seconds: 1)
        #expect(returned.heldIDs == [])
        #expect(returned.linkTarget(returned.newestID) == .sink("headphones"))
        machine.startGuard()
        machine.wait(seconds: 1)
        machine.endGuardsThatLeave()
        #expect(machine.guardMachine.options.scope == .everything)
        #expect(machine.heldIDs == [machine.newestID])
        #expect(machine.heard[machine.newestID] == ["headphones"])
    }

    /// What a hostile program announces holds nothing that plays, and never more than the bound.
    @Test func takeover_ofAStreamThatPlays_orThatItsUserMoved_isRefused() {
        let kept = KeptHold(stream: 1, reasons: [Self.headphonesLost], since: .zero)
        func drained(_ stream: ProgramStream, _ kept: KeptHold = kept) -> KeptHold? {
            var takeover = GuardTakeover([(1, GuardHandover(sink: "hold", holds: [kept]))], at: .zero)
            return takeover?.drain(stream, isParked: true)
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
