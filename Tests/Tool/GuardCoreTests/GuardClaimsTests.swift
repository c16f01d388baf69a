import AudioModel
import Testing

@testable import GuardCore

/// Which of several guards acts.
struct GuardClaimsTests {
    private static func rival(_ serial: UInt64) -> GuardRival {
        GuardRival(serial: serial, name: "other\(serial)", processID: 7)
    }

    private func claims(_ changes: GuardClaimChange...) -> GuardClaims {
        changes.reduce(into: GuardClaims()) { $0.apply($1) }
    }

    @Test func noClaimIsGranted_noGuardOfOursHasTheServer() {
        #expect(!claims().isOwner)
        #expect(!claims(.rivalChanged(Self.rival(1)), .rivalLeft(serial: 1)).isOwner)
        #expect(claims(.rivalChanged(Self.rival(2)), .rivalChanged(Self.rival(1))).owner == Self.rival(1))
    }

    @Test func lowestSerialHasTheServer() {
        #expect(claims(.rivalChanged(Self.rival(9)), .granted(serial: 5)).isOwner)
        let late = claims(.rivalChanged(Self.rival(4)), .granted(serial: 5))
        #expect(!late.isOwner)
        #expect(late.owner == Self.rival(4))
    }

    @Test func rivalsLeave_theNextHasTheServer_andKeepsIt() {
        var claims = claims(.rivalChanged(Self.rival(1)), .rivalChanged(Self.rival(2)), .granted(serial: 3))
        claims.apply(.rivalLeft(serial: 1))
        #expect(claims.owner == Self.rival(2))
        claims.apply(.rivalLeft(serial: 2))
        #expect(claims.isOwner)
        // No server does this; a hostile one takes nothing from a guard that holds.
        claims.apply(.rivalChanged(Self.rival(1)))
        #expect(claims.isOwner)
        #expect(claims.owner == nil)
    }

    @Test func claimFails_theServerIsGivenUp() {
        let claims = claims(.granted(serial: 3), .failed("gone"))
        #expect(!claims.isOwner)
        #expect(claims.failure == "gone")
    }

    // MARK: In the machine

    private func machine() -> ModelMachine {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.play(.mpv)
        machine.settle()
        return machine
    }

    @Test func secondGuard_whileTheFirstHolds_asksForNothing() {
        var machine = machine()
        machine.unplug("headphones")
        machine.wait(seconds: 1)
        machine.startGuard()
        machine.wait(seconds: 1)
        machine.plug(.headphones)
        machine.wait(seconds: 60)
        #expect(machine.intrusions == [])
        #expect(machine.heard[machine.newestID] == ["headphones"])
        #expect(machine.log.last == GuardReport(.released(.outputReturned), name: "mpv"))
    }

    @Test func firstGuardDies_theSecondGuardsFromThenOn() {
        var machine = machine()
        machine.startGuard()
        machine.settle()
        let first = GuardRival(serial: 1, name: "guard", processID: 1)
        #expect(machine.log == [GuardReport(.waiting(first), name: "guard")])
        machine.killGuard(0)
        machine.settle()
        #expect(machine.log.last == GuardReport(.tookOver, name: ""))
        #expect(machine.catchPriority == 501)
        machine.unplug("headphones")
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [machine.newestID])
        #expect(machine.heard[machine.newestID] == ["headphones"])
    }

    @Test func firstGuardDies_whileItHolds_theProgramIsHeardAndTheSecondHoldsNothing() {
        var machine = machine()
        machine.unplug("headphones")
        machine.wait(seconds: 1)
        machine.startGuard()
        machine.settle()
        machine.killGuard(0)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [])
        #expect(machine.heard[machine.newestID] == ["headphones", "speaker"])
    }

    @Test func serverEnds_theGuardClaimsTheNextOneBeforeItActs() {
        var guardMachine = machine().guardMachine
        let now = HostTime(nanoseconds: 2_000_000_000)
        _ = guardMachine.apply(.fact(.connectionLost), at: now)
        let outputs = GuardOutputs(
            outputs: [
                GuardOutput(sink: "h", uid: "h", name: "h", kind: .headphones, priority: 1500),
                GuardOutput(sink: "s", uid: "s", name: "s", kind: .builtInSpeaker, priority: 500),
            ], defaultSink: .sink("h"))
        let facts = [GuardFact.guardsChanged(.rivalChanged(Self.rival(3))), .outputsChanged(outputs), .settled]
        #expect(facts.flatMap { guardMachine.apply(.fact($0), at: now) } == [])
        #expect(
            guardMachine.apply(.fact(.guardsChanged(.granted(serial: 4))), at: now)
                == [.report(GuardReport(.waiting(Self.rival(3)), name: "other3"))])
        #expect(
            guardMachine.apply(.fact(.guardsChanged(.rivalLeft(serial: 3))), at: now)
                == [.report(GuardReport(.tookOver, name: "")), .readMutedPorts, .host(.takeServer(sparing: []))])
        _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: now)
        #expect(guardMachine.apply(.fact(.settled), at: now).contains(.host(.setCatch(priority: 501))))
    }
}
