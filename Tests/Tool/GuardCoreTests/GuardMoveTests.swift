import AudioModel
import Testing

@testable import GuardCore

/// What a guard holds is linked to its sink, whatever else the session manager or other guards do.
struct GuardMoveTests {
    private static let headphonesLost = Hold.Reason.lost(uid: "headphones", name: "headphones")

    /// mpv plays, and a call begins: the output stays.
    private func call(forgetting links: Int) -> ModelMachine {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.play(.mpv, role: "Music")
        machine.settle()
        machine.linksToForget = links
        machine.play(.phone, role: "Communication")
        machine.wait(seconds: 0.3)
        return machine
    }

    /// The headphones have left, and mpv is held.
    private func machine() -> ModelMachine {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.wait(seconds: 5)
        return machine
    }

    private func holds(_ machine: ModelMachine) -> Int {
        machine.commands.count { if case .hold = $0 { true } else { false } }
    }

    @Test func linkIsForgotten_whileTheStreamIsMoved_itIsCutHalfASecondLater() {
        var machine = call(forgetting: 1)
        #expect(machine.strays == [1: "speaker"])
        #expect(machine.heldIDs == [1])
        machine.wait(seconds: 0.3)
        #expect(machine.strays == [:])
        #expect(holds(machine) == 2)
        #expect(machine.commands.contains(.cutStrays(stream: 1)))
        machine.wait(seconds: 5)
        #expect(machine.guardMachine.held.map(\.hold.isHeard) == [false])
        #expect(holds(machine) == 2)
    }

    @Test func linksAreForgotten_againAndAgain_streamIsSaidNotToBeHeld_after2Seconds() {
        var machine = call(forgetting: 10)
        machine.wait(seconds: 1.5)
        #expect(!machine.log.map(\.kind).contains(.notMoved))
        machine.wait(seconds: 0.5)
        #expect(machine.log.last?.kind == .notMoved)
        #expect(machine.guardMachine.held.map(\.hold.isHeard) == [true])
        #expect(holds(machine) == 4)
        machine.wait(seconds: 60)
        #expect(holds(machine) == 4)
    }

    @Test func outputLeaves_whileAStreamIsSaidNotToBeHeld_itsMoveIsAskedForOnceMore() {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.play(.mpv, role: "Music")
        machine.settle()
        machine.refusesTargets = true
        machine.play(.phone, role: "Communication")
        machine.wait(seconds: 3)
        #expect(machine.log.last?.kind == .notMoved)
        machine.refusesTargets = false
        machine.unplug("headphones")
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(1) == .hold)
        #expect(machine.heard[1] == ["headphones"])
        #expect(!machine.guardMachine.held.map(\.hold.isHeard).contains(true))
        #expect(machine.log.count { if case .held = $0.kind { $0.name == "mpv" } else { false } } == 2)
    }

    /// Its move stopped it, and on a busy machine it runs again much later.
    @Test(arguments: [(1.9, true), (2.1, false)])
    func streamRunsAgain_afterItsArrival_isNotTakenForPlay(seconds: Double, isHeld: Bool) {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.setPlaying(false, 1)
        machine.wait(seconds: seconds)
        machine.setPlaying(true, 1)
        machine.settle()
        #expect(machine.heldIDs == (isHeld ? [1] : []))
        #expect(machine.log.map(\.kind).contains(.released(.playedByUser)) != isHeld)
    }

    /// A guard that ended may have asked for that after this one had set its target.
    @Test(arguments: [(1.9, true), (2.1, false)])
    func targetIsLifted_afterAnotherGuardHasEnded_streamIsHeldAgain(seconds: Double, isHeld: Bool) {
        var machine = machine()
        machine.startGuard()
        machine.wait(seconds: 5)
        machine.killGuard(1)
        machine.wait(seconds: seconds)
        machine.liftTargets(of: [1])
        machine.settle()
        #expect(machine.heldIDs == (isHeld ? [1] : []))
        #expect(machine.linkTarget(1) == (isHeld ? .hold : .sink("speaker")))
        // Else a mixer has lifted it.
        #expect(machine.log.map(\.kind).contains(.released(.movedByUser)) != isHeld)
    }

    @Test(arguments: 0..<12)
    func targetsAreLifted_afterATakeover_nextGuardHoldsThemAgain(steps: Int) {
        var machine = machine()
        machine.startGuard()
        let isHandedOver = machine.handOver()
        #expect(isHandedOver)
        machine.liftTargets(of: [1])
        for _ in 0..<steps { machine.step() }
        machine.liftTargets(of: [1])
        machine.wait(seconds: 3)
        #expect(machine.heldIDs == [1])
        #expect(machine.linkTarget(1) == .hold)
        #expect(machine.log.last?.kind == .handedOver)
        machine.plug(.headphones)
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(1) == .sink("headphones"))
    }

    @Test func mixerMovesIt_afterATakeover_theMixerWins() {
        var machine = machine()
        machine.startGuard()
        let isHandedOver = machine.handOver()
        #expect(isHandedOver)
        machine.move(1, to: "speaker")
        machine.wait(seconds: 3)
        #expect(machine.heldIDs == [])
        #expect(machine.log.last?.kind == .released(.movedByUser))
    }
}
