import AudioModel
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

    private func silenced(
        _ uid: String, _ loss: PipeWireStreamTracker.Loss
    ) -> [PipeWireStreamTracker.Action] {
        [.stopTimer, .tellSilenced(lostPortUID: uid, loss)]
    }

    // MARK: Losses

    @Test(arguments: [PipeWireStreamTracker.Loss.node, .route, .port])
    func loss_whileLinkedOrLinking_isToldAtOnce(loss: PipeWireStreamTracker.Loss) {
        var playing = linked(Self.jack, Self.usb)
        #expect(playing.lost(target: 1, loss) == silenced("usb", loss))
        #expect(playing.link == .unlinked)
        var linking = PipeWireStreamTracker()
        _ = linking.beginLink(to: [Self.usb])
        #expect(linking.lost(target: 0, loss) == silenced("usb", loss))
        #expect(linking.link == .unlinked)
    }

    /// The removed link is the first sign of a removed device: nothing may be told before the second.
    @Test func linkRemoved_thenItsNode_isALossOfThatPort() {
        var tracker = linked(Self.jack, Self.usb)
        #expect(tracker.lost(target: 0, .link) == [.stopTimer])
        #expect(tracker.nodeRemoved(30) == silenced("usb", .node))
        #expect(tracker.settled(in: facts) == [])
        #expect(tracker.hold == .none)
    }

    @Test func linkRemoved_thenAPort_isALoss_alsoOfTheStreamsOwn() {
        var tracker = linked(Self.jack, Self.usb)
        _ = tracker.lost(target: 1, .link)
        #expect(tracker.portRemoved(ofNode: 99) == [])
        #expect(tracker.portRemoved(ofNode: 20) == silenced("jack", .port))
        tracker = linked(Self.jack, Self.usb)
        _ = tracker.lost(target: 1, .link)
        #expect(tracker.portRemoved(ofNode: Self.stream) == silenced("usb", .port))
    }

    @Test func linkRemoved_thenTheRoute_isALoss() {
        var tracker = linked(Self.jack)
        _ = tracker.lost(target: 0, .link)
        let facts = facts(Fixture.routesFact(.yes, .no, active: 1))
        #expect(tracker.routesChanged(ofDevice: 9, in: facts) == silenced("jack", .route))
    }

    @Test func linkRemoved_whileItsNodeIsAnotherNow_isALoss() {
        var other = Fixture.node(30, "usb")
        other.serial = 2000
        var tracker = linked(Self.usb)
        _ = tracker.lost(target: 0, .link)
        #expect(tracker.settled(in: facts(.nodeChanged(other))) == silenced("usb", .link))
    }

    @Test func linkRemoved_whileItsRouteIsNotActive_isALoss() {
        var tracker = linked(Self.speaker)
        _ = tracker.lost(target: 0, .link)
        #expect(tracker.settled(in: facts) == silenced("speaker", .link))
    }

    // MARK: Holds

    @Test func linkRemoved_whileAllElseStays_isAHold_untilOthersLink() {
        var tracker = linked(Self.jack, Self.usb)
        #expect(tracker.lost(target: 0, .link) == [.stopTimer])
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
        #expect(tracker.lost(target: 0, .link) == [])
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
        var lost = held()
        #expect(lost.lost(target: 0, .node) == silenced("jack", .node))
        #expect(lost.running() == [])
        var failed = held()
        #expect(failed.failed() == [.stopTimer])
        #expect(failed.running() == [])
    }

    /// Any order of events: a hold and its release alternate, and what is silent is told once.
    @Test func anyScript_tellsHoldsInTurn_andNoLossOfAnUnlinkedStream() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix(state: seed)
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
                case 3: actions = tracker.link.targets.isEmpty ? [] : tracker.lost(target: 0, .node)
                case 4:
                    if case .linked = tracker.link { actions = tracker.lost(target: 1, .link) } else { actions = [] }
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
                    case .tellSilenced:
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

private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
