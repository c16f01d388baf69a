import AudioModel
import TestSupport
import Testing

@testable import HostPipeWire

/// A stream on the laptop's headphones (see `PipeWireInventoryTests`), and on a USB sink beside them.
@Suite struct PipeWireStreamTrackerTests {
    private typealias Fixture = PipeWireInventoryTests
    private static let stream: UInt32 = 70
    private static let jack = PipeWireStreamTracker.Target(uid: "jack", nodeID: 20, serial: 1020, routeIndex: 1)
    private static let speaker = PipeWireStreamTracker.Target(uid: "speaker", nodeID: 20, serial: 1020, routeIndex: 0)
    private static let usb = PipeWireStreamTracker.Target(uid: "usb", nodeID: 30, serial: 1030, routeIndex: nil)
    private let facts = Fixture.fold(Fixture.laptop + [.nodeChanged(Fixture.node(30, "usb"))])

    private func facts(_ last: PipeWireFact) -> PipeWireInventory {
        var facts = facts
        facts.apply(last)
        return facts
    }

    private func linked(_ targets: PipeWireStreamTracker.Target...) -> PipeWireStreamTracker {
        var tracker = PipeWireStreamTracker()
        _ = tracker.beginLink(to: targets)
        _ = tracker.linked(nodeID: Self.stream)
        return tracker
    }

    private func lost(_ uid: String) -> [PipeWireStreamTracker.Action] { [.stopTimer, .tellLost(portUID: uid)] }

    // MARK: Without a session manager

    @Test func link_thatWaitsForASessionManager_isAHold_untilOneComes() {
        var tracker = PipeWireStreamTracker()
        _ = tracker.beginLink(to: [Self.usb])
        #expect(tracker.timedOut() == [.abortLink])
        #expect(tracker.lacksManager() == [.stopTimer, .tellHeld])
        #expect(tracker.link == .unlinked)
        #expect(tracker.running() == [])
        #expect(tracker.managerCame() == [.tellReleased])
        #expect(tracker.managerCame() == [])
        _ = tracker.beginLink(to: [Self.usb])
        _ = tracker.lacksManager()
        // The session links it of its own accord.
        #expect(tracker.beginLink(to: [Self.jack]) == [.startTimer(milliseconds: 2000)])
        #expect(tracker.managerCame() == [])
    }

    // MARK: Losses

    @Test func loss_whileLinkedOrLinking_isToldAtOnce() {
        var playing = linked(Self.jack, Self.usb)
        #expect(playing.lost(target: 1) == lost("usb"))
        #expect(playing.link == .unlinked)
        var linking = PipeWireStreamTracker()
        _ = linking.beginLink(to: [Self.usb])
        #expect(linking.lost(target: 0) == lost("usb"))
        #expect(linking.link == .unlinked)
    }

    @Test func removedNode_isALoss_onlyOfAStreamLinkedToIt() {
        var playing = linked(Self.jack, Self.usb)
        #expect(playing.nodeRemoved(99) == [])
        #expect(playing.nodeRemoved(30) == lost("usb"))
        #expect(playing.link == .unlinked)
        #expect(playing.nodeRemoved(20) == [])
        var linking = PipeWireStreamTracker()
        _ = linking.beginLink(to: [Self.usb])
        #expect(linking.nodeRemoved(30) == lost("usb"))
    }

    /// The removed link is the first sign of a removed device: nothing may be told before the second.
    @Test func linkRemoved_thenItsNode_isALossOfThatPort() {
        var tracker = linked(Self.jack, Self.usb)
        #expect(tracker.cut(target: 0) == [.stopTimer])
        #expect(tracker.nodeRemoved(30) == lost("usb"))
        #expect(tracker.settled(in: facts) == [])
        #expect(tracker.hold == .none)
    }

    @Test func linkRemoved_thenAPort_isALoss_alsoOfTheStreamsOwn() {
        var tracker = linked(Self.jack, Self.usb)
        _ = tracker.cut(target: 1)
        #expect(tracker.portRemoved(ofNode: 99) == [])
        #expect(tracker.portRemoved(ofNode: 20) == lost("jack"))
        tracker = linked(Self.jack, Self.usb)
        _ = tracker.cut(target: 1)
        #expect(tracker.portRemoved(ofNode: Self.stream) == lost("usb"))
    }

    @Test func linkRemoved_thenTheRoute_isALoss() {
        var tracker = linked(Self.jack)
        _ = tracker.cut(target: 0)
        let facts = facts(Fixture.routesFact(.yes, .no, active: 1))
        #expect(tracker.routesChanged(ofDevice: 9, in: facts) == lost("jack"))
    }

    @Test func linkRemoved_whileItsNodeIsAnotherNow_isALoss() {
        var other = Fixture.node(30, "usb")
        other.serial = 2000
        var tracker = linked(Self.usb)
        _ = tracker.cut(target: 0)
        #expect(tracker.settled(in: facts(.nodeChanged(other))) == lost("usb"))
    }

    @Test func linkRemoved_whileItsRouteIsNotActive_isALoss() {
        var tracker = linked(Self.speaker)
        _ = tracker.cut(target: 0)
        #expect(tracker.settled(in: facts) == lost("speaker"))
    }

    // MARK: Holds

    @Test func linkRemoved_whileAllElseStays_isAHold_untilOthersLink() {
        var tracker = linked(Self.jack, Self.usb)
        #expect(tracker.cut(target: 0) == [.stopTimer])
        #expect(tracker.settled(in: facts) == [.tellHeld])
        #expect(tracker.settled(in: facts) == [])
        #expect(tracker.linkedByOthers(linkID: 5) == [.destroyLink(id: 5), .tellReleased])
        // The second channel of the same link.
        #expect(tracker.linkedByOthers(linkID: 6) == [.destroyLink(id: 6)])
        _ = tracker.beginLink(to: [Self.jack])
        _ = tracker.linked(nodeID: Self.stream)
        #expect(tracker.linkedByOthers(linkID: 7) == [.destroyLink(id: 7)])
        tracker.rested()
        #expect(tracker.linkedByOthers(linkID: 8) == [])
    }

    @Test func pause_thatLasts_isAHold_untilTheStreamRuns() {
        var tracker = linked(Self.jack)
        #expect(tracker.paused() == [.startTimer(milliseconds: 100)])
        #expect(tracker.timedOut() == [.closeGate, .tellHeld])
        // The links that were left.
        #expect(tracker.cut(target: 0) == [])
        #expect(tracker.running() == [.tellReleased])
        #expect(tracker.running() == [])
    }

    @Test func pause_thatEnds_isNoHold() {
        var tracker = linked(Self.jack)
        _ = tracker.paused()
        #expect(tracker.running() == [.stopTimer])
        #expect(tracker.hold == .none)
        var unlinked = linked(Self.jack)
        _ = unlinked.unlink()
        #expect(unlinked.paused() == [])
        #expect(unlinked.timedOut() == [])
    }

    @Test func streamThatStands_mayBeLinkedAgain_unlessItIsHeld() {
        var tracker = linked(Self.jack, Self.usb)
        _ = tracker.paused()
        #expect(tracker.managerStarts() == [.stopTimer])
        #expect(tracker.standingTargets == [Self.jack, Self.usb])
        _ = tracker.timedOut()
        #expect(tracker.hold == .held)
        #expect(tracker.standingTargets == nil)
        _ = tracker.beginLink(to: [Self.usb])
        #expect(tracker.standingTargets == nil && tracker.managerStarts() == [])
    }

    @Test func holdThatWasTold_outlivesUnlink_andEndsWithALinkOrALoss() {
        func held() -> PipeWireStreamTracker {
            var tracker = linked(Self.jack)
            _ = tracker.timedOut()
            return tracker
        }
        var unlinked = held()
        _ = unlinked.unlink()
        #expect(unlinked.running() == [.tellReleased])
        var linkedAgain = held()
        _ = linkedAgain.beginLink(to: [Self.usb])
        #expect(linkedAgain.running() == [])
        var removed = held()
        #expect(removed.nodeRemoved(20) == lost("jack"))
        #expect(removed.running() == [])
        var failed = held()
        #expect(failed.failed() == [.stopTimer])
        #expect(failed.running() == [])
    }

    /// Any order of events: a hold and its release alternate, and what is silent is told once.
    @Test func anyScript_tellsHoldsInTurn_andNoLossOfAnUnlinkedStream() {
        for seed in 0..<200 as Range<UInt64> {
            var random = Seeded(seed: seed)
            var tracker = PipeWireStreamTracker()
            var (isHeld, isLinked) = (false, false)
            for step in 0..<100 {
                let actions: [PipeWireStreamTracker.Action]
                let choice = random.next() % 12
                switch choice {
                case 0:
                    actions = tracker.beginLink(to: [Self.jack, Self.usb])
                    (isLinked, isHeld) = (true, false)
                case 1:
                    actions = tracker.unlink()
                    isLinked = false
                case 2:
                    actions = tracker.linked(nodeID: Self.stream)
                case 3: actions = tracker.link.targets.isEmpty ? [] : tracker.lost(target: 0)
                case 4:
                    if case .linked = tracker.link { actions = tracker.cut(target: 1) } else { actions = [] }
                case 5: actions = tracker.nodeRemoved(30)
                case 6: actions = tracker.settled(in: facts)
                case 7: actions = tracker.paused()
                case 8: actions = tracker.timedOut()
                case 9: actions = tracker.running()
                case 10: actions = tracker.linkedByOthers(linkID: 1)
                default:
                    tracker.rested()
                    actions = []
                }
                for action in actions {
                    switch action {
                    case .tellHeld:
                        #expect(!isHeld, "seed \(seed), step \(step)")
                        isHeld = true
                    case .tellReleased:
                        #expect(isHeld, "seed \(seed), step \(step)")
                        isHeld = false
                    case .tellLost:
                        #expect(isLinked, "seed \(seed), step \(step)")
                        (isLinked, isHeld) = (false, false)
                    default: break
                    }
                }
                #expect((tracker.hold == .held) == isHeld, "seed \(seed), step \(step), choice \(choice)")
            }
        }
    }

    // MARK: Routes

    @Test func routeChosenByTheUser_isFollowed_andItsLossIsTheOneThatCounts() {
        var tracker = linked(Self.jack)
        var facts = facts(Fixture.routesFact(.yes, .yes, active: 0))
        #expect(tracker.routesChanged(ofDevice: 9, in: facts) == [.followRoute(target: 0, routeIndex: 0)])
        facts.apply(Fixture.routesFact(.yes, .no, active: 0))
        #expect(tracker.routesChanged(ofDevice: 9, in: facts) == [])
    }

    @Test func headphonesThatBecomeUnavailable_areALoss_andOtherDevicesAreNot() {
        var tracker = linked(Self.usb, Self.jack)
        let facts = facts(Fixture.routesFact(.yes, .no, active: 1))
        #expect(tracker.routesChanged(ofDevice: 8, in: facts) == [])
        #expect(tracker.routesChanged(ofDevice: 9, in: facts) == [.loseRoute(target: 1)])
    }

    @Test func speakerThatMakesWay_isFollowedToTheHeadphones() {
        var tracker = linked(Self.speaker)
        let facts = facts(Fixture.routesFact(.no, .yes, active: 0))
        #expect(tracker.routesChanged(ofDevice: 9, in: facts) == [.followRoute(target: 0, routeIndex: 1)])
        var alone = linked(Self.speaker)
        let none = self.facts(Fixture.routesFact(.no, .no, active: 0))
        #expect(alone.routesChanged(ofDevice: 9, in: none) == [.loseRoute(target: 0)])
    }

    @Test func routeThatIsGone_isALoss() {
        var tracker = linked(Self.jack)
        let facts = facts(.routesChanged(deviceID: 9, routes: [Fixture.routes()[0]], active: [3: 0]))
        #expect(tracker.routesChanged(ofDevice: 9, in: facts) == [.loseRoute(target: 0)])
    }

    /// The switch that the link asks for may not have happened yet.
    @Test func routesWhileLinking_areNotFollowed() {
        var tracker = PipeWireStreamTracker()
        _ = tracker.beginLink(to: [Self.speaker])
        #expect(tracker.routesChanged(ofDevice: 9, in: facts) == [])
        _ = tracker.linked(nodeID: Self.stream)
        #expect(tracker.link.targets == [Self.speaker])
    }

    // MARK: Cycle

    @Test func cycle_isShort_onlyForAJackBesideASpeaker() {
        #expect(facts.cycleFrames(preferredSeconds: 0, targets: []) == 1024)
        #expect(facts.cycleFrames(preferredSeconds: 0, targets: [Self.usb]) == 1024)
        #expect(facts.cycleFrames(preferredSeconds: 0, targets: [Self.speaker]) == 1024)
        #expect(facts.cycleFrames(preferredSeconds: 0, targets: [Self.usb, Self.jack]) == 256)
        let alone = self.facts(.routesChanged(deviceID: 9, routes: [Fixture.routes()[1]], active: [3: 1]))
        #expect(alone.cycleFrames(preferredSeconds: 0, targets: [Self.jack]) == 1024)
    }

    @Test func cycle_isThePreferredOne_withinItsLimits() {
        #expect(facts.cycleFrames(preferredSeconds: 0.01, targets: [Self.usb]) == 480)
        #expect(facts.cycleFrames(preferredSeconds: 0.01, targets: [Self.jack]) == 256)
        #expect(facts.cycleFrames(preferredSeconds: 0.001, targets: [Self.jack]) == 48)
        #expect(facts.cycleFrames(preferredSeconds: 1e-9, targets: []) == 16)
        #expect(facts.cycleFrames(preferredSeconds: 1e9, targets: []) == 8192)
    }
}
