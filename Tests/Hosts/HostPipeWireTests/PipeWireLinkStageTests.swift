import AudioModel
import TestSupport
import Testing

@testable import HostPipeWire

/// How a stream is linked to the laptop's headphones (see `PipeWireInventoryTests`), and to a USB sink beside them.
@Suite struct PipeWireLinkStageTests {
    private typealias Action = PipeWireStreamTracker.Action
    private typealias Fixture = PipeWireInventoryTests
    private static let stream: UInt32 = 70
    private static let jack = PipeWireStreamTracker.Target(uid: "jack", nodeID: 20, serial: 1020, routeIndex: 1)
    private static let speaker = PipeWireStreamTracker.Target(uid: "speaker", nodeID: 20, serial: 1020, routeIndex: 0)
    private static let usb = PipeWireStreamTracker.Target(uid: "usb", nodeID: 30, serial: 1030, routeIndex: nil)

    private static func port(_ id: UInt32, of node: UInt32, _ number: UInt32, _ channel: String) -> PipeWireFact {
        .portAdded(
            PipeWireNodePort(id: id, nodeID: node, number: number, isInput: node != stream, channel: channel))
    }

    private static func ports(of node: UInt32, _ channels: String...) -> [PipeWireFact] {
        channels.enumerated().map { port(node * 10 + UInt32($0), of: node, UInt32($0), $1) }
    }

    /// Both sinks are there, with their ports, and so are the stream's own.
    private var facts = Fixture.fold(
        Fixture.laptop + [.nodeChanged(Fixture.node(30, "usb"))] + ports(of: 20, "FL", "FR")
            + ports(of: 30, "FL", "FR") + ports(of: stream, "FL", "FR"))

    private func linking(to targets: PipeWireStreamTracker.Target...) -> PipeWireStreamTracker {
        var tracker = PipeWireStreamTracker()
        tracker.named(nodeID: Self.stream)
        _ = tracker.beginLink(to: targets)
        return tracker
    }

    private func end(
        _ cause: PipeWireStreamTracker.LinkEnd.Cause, wasBound: Bool = true, ports: [UInt32] = [700, 300]
    ) -> PipeWireStreamTracker.LinkEnd {
        var end = PipeWireStreamTracker.LinkEnd(target: 0, cause: cause)
        (end.wasBound, end.ports, end.words) = (wasBound, ports, "the server says so")
        return end
    }

    private static let usbLinks: [Action] = [
        .addLink(target: 0, ourPort: 700, theirPort: 300), .addLink(target: 0, ourPort: 701, theirPort: 301),
    ]

    // MARK: Stages

    @Test func link_toASinkThatIsThere_isMadeAtOnce_andSoundsWhenTheServerHasMadeIt() {
        var tracker = linking(to: Self.usb)
        #expect(tracker.advance(in: facts, isSettled: true) == Self.usbLinks)
        #expect(tracker.advance(in: facts, isSettled: true) == [])
        #expect(tracker.linked(nodeID: Self.stream) == [.openGate, .stopTimer])
        #expect(tracker.link == .linked([Self.usb]))
    }

    @Test func link_waitsForTheEndOfABurst_butItsOwnPortsDoNot() {
        var tracker = linking(to: Self.usb)
        #expect(tracker.advance(in: facts, isSettled: false) == [])
        #expect(tracker.awaited?.hasPrefix("the device's ports") == true)
        var unnamed = PipeWireStreamTracker()
        _ = unnamed.beginLink(to: [Self.usb])
        #expect(unnamed.advance(in: facts, isSettled: true) == [])
        #expect(unnamed.awaited == "the stream's own ports")
        unnamed.named(nodeID: Self.stream)
        #expect(unnamed.advance(in: facts, isSettled: false) == Self.usbLinks)
        #expect(unnamed.awaited == "the server to make the links")
    }

    @Test func card_isSwitchedOnce_andTheLayoutWaitsForIt() {
        var (tracker, facts) = (linking(to: Self.speaker), facts)
        #expect(
            tracker.advance(in: facts, isSettled: true) == [.setRoute(deviceID: 9, cardDevice: 3, routeIndex: 0)])
        #expect(tracker.advance(in: facts, isSettled: true) == [])
        #expect(tracker.awaited == "the card to switch to the chosen route")
        facts.apply(Fixture.routesFact(.yes, .yes, active: 0))
        #expect(
            tracker.advance(in: facts, isSettled: true) == [
                .addLink(target: 0, ourPort: 700, theirPort: 200), .addLink(target: 0, ourPort: 701, theirPort: 201),
            ])
    }

    @Test func node_hasTheDevicesChannels_andIsMadeAgainForOthersOnly() {
        var (tracker, facts) = (linking(to: Self.usb), facts)
        facts.apply(Self.port(302, of: 30, 2, "LFE"))
        #expect(tracker.advance(in: facts, isSettled: true) == [.makeNode(channels: ["FL", "FR", "LFE"])])
        // The old node's name and ports are no longer its own.
        #expect(tracker.node.id == nil)
        for fact in Self.ports(of: 71, "FL", "FR", "LFE") {
            guard case .portAdded(var port) = fact else { continue }
            port.isInput = false
            facts.apply(.portAdded(port))
        }
        tracker.named(nodeID: 71)
        #expect(tracker.advance(in: facts, isSettled: true).count == 3)
        _ = tracker.linked(nodeID: 71)
        tracker.lostNode()
        _ = tracker.beginLink(to: [Self.usb])
        #expect(tracker.advance(in: facts, isSettled: true) == [.makeNode(channels: ["FL", "FR", "LFE"])])
    }

    @Test func severalDevices_getNumberedChannels_inOrder() {
        var (tracker, facts) = (linking(to: Self.usb, Self.jack), facts)
        let layout = ["AUX0", "AUX1", "AUX2", "AUX3"]
        #expect(tracker.advance(in: facts, isSettled: true) == [.makeNode(channels: layout)])
        for number in 2...3 as ClosedRange<UInt32> {
            facts.apply(Self.port(700 + number, of: Self.stream, number, "AUX\(number)"))
        }
        tracker.named(nodeID: Self.stream)
        #expect(
            tracker.advance(in: facts, isSettled: true) == Self.usbLinks + [
                .addLink(target: 1, ourPort: 702, theirPort: 200), .addLink(target: 1, ourPort: 703, theirPort: 201),
            ])
    }

    @Test func moreChannelsThanAStreamHas_areRefused() {
        var (tracker, facts) = (linking(to: Self.usb, Self.jack), facts)
        for number in 0..<63 as Range<UInt32> { facts.apply(Self.port(1000 + number, of: 30, number, "AUX0")) }
        guard case .giveUp(let words)? = tracker.advance(in: facts, isSettled: true).first else {
            Issue.record("it was not refused")
            return
        }
        #expect(words == "the ports have more than 64 channels together; link to fewer of them")
        #expect(tracker.link == .unlinked)
    }

    // MARK: Links that are started over

    @Test func portOrLinkThatGoes_whileLinking_startsOver() {
        for cause in [PipeWireStreamTracker.LinkEnd.Cause.removed, .failed] {
            var tracker = linking(to: Self.usb)
            _ = tracker.advance(in: facts, isSettled: true)
            #expect(tracker.linkEnded(end(cause), in: facts, managerStarts: false) == [.startOver])
            #expect(tracker.advance(in: facts, isSettled: false) == [])
            #expect(tracker.awaited?.hasSuffix("; before, the server says so") == true)
            #expect(tracker.advance(in: facts, isSettled: true) == Self.usbLinks)
        }
    }

    @Test func routeThatGoes_whileLinking_isALoss() {
        var tracker = linking(to: Self.jack)
        let actions = tracker.linkEnded(end(.route, ports: []), in: facts, managerStarts: true)
        #expect(actions == [.stopTimer, .tellLost(portUID: "jack")])
        #expect(tracker.link == .unlinked)
    }

    @Test func linkThatEnds_whileLinked_isACut_whereItsPortsAreThere_andElseALoss() {
        func linked() -> PipeWireStreamTracker {
            var tracker = linking(to: Self.usb)
            _ = tracker.advance(in: facts, isSettled: true)
            _ = tracker.linked(nodeID: Self.stream)
            return tracker
        }
        var (cut, gone, failed) = (linked(), linked(), linked())
        #expect(cut.linkEnded(end(.removed), in: facts, managerStarts: false) == [.stopTimer])
        #expect(cut.link == .cut([Self.usb], first: 0))
        let loss: [Action] = [.stopTimer, .tellLost(portUID: "usb")]
        #expect(gone.linkEnded(end(.removed, ports: [700, 999]), in: facts, managerStarts: false) == loss)
        #expect(failed.linkEnded(end(.failed), in: facts, managerStarts: false) == loss)
    }

    @Test func linksThatGo_whileASessionManagerStarts_areMadeAgain_andTheSessionHearsNothing() {
        var tracker = linking(to: Self.usb)
        _ = tracker.advance(in: facts, isSettled: true)
        _ = tracker.linked(nodeID: Self.stream)
        #expect(tracker.linkEnded(end(.removed), in: facts, managerStarts: true) == [.startOver])
        #expect(tracker.standingTargets == [Self.usb])
        #expect(tracker.advance(in: facts, isSettled: true) == Self.usbLinks)
        #expect(tracker.linked(nodeID: Self.stream) == [.openGate])
        #expect(tracker.link == .linked([Self.usb]))
    }

    @Test func deviceThatChangesItsChannels_afterTheLayout_startsOver() {
        var (tracker, facts) = (linking(to: Self.usb), facts)
        facts.apply(.portRemoved(id: 701))
        #expect(tracker.advance(in: facts, isSettled: true) == [])
        facts.apply(Self.port(302, of: 30, 2, "LFE"))
        facts.apply(Self.port(701, of: Self.stream, 1, "FR"))
        #expect(tracker.advance(in: facts, isSettled: false) == [.startOver])
    }

    /// A port of a device takes 128 links.
    @Test func linkThatIsRefusedThreeTimes_isGivenUp_andAPortThatHasGoneIsNoRefusal() {
        var tracker = linking(to: Self.usb)
        for _ in 0..<5 {
            _ = tracker.advance(in: facts, isSettled: true)
            _ = tracker.linkEnded(end(.failed, wasBound: false, ports: [700, 999]), in: facts, managerStarts: false)
        }
        for _ in 0..<3 {
            #expect(tracker.advance(in: facts, isSettled: true) == Self.usbLinks)
            _ = tracker.linkEnded(end(.failed, wasBound: false), in: facts, managerStarts: false)
        }
        #expect(
            tracker.advance(in: facts, isSettled: true) == [
                .giveUp("the device takes no more streams; end other programs that use it (the server says so)")
            ])
    }

    // MARK: Any order

    /// Devices, ports, nodes and links come and go in any order: the gate opens only over links that are all there, and only
    /// to the targets that were asked for last; no channel is linked to another device's.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func anyScript_opensTheGateOverWholeLinksOnly(seed: UInt64) {
        var script = Script(seed: seed, facts: facts)
        for _ in 0..<200 { script.step() }
        #expect(script.opened > 0 || seed % 10 != 0, "seed \(seed)")
    }

    /// The shim and the server: links that were asked for, and those that the server has made.
    private struct Script {
        private var random: Seeded
        private var facts: PipeWireInventory
        private var tracker = PipeWireStreamTracker()
        private var links: [(target: Int, ours: UInt32, theirs: UInt32)] = []
        private var watched: [PipeWireStreamTracker.Target] = []
        private var nodeID = PipeWireLinkStageTests.stream
        private let seed: UInt64
        private(set) var opened = 0

        init(seed: UInt64, facts: PipeWireInventory) {
            (self.seed, self.facts) = (seed, facts)
            random = Seeded(seed: seed)
            tracker.named(nodeID: nodeID)
        }

        mutating func step() {
            switch Int.random(in: 0..<14, using: &random) {
            case 0, 1, 2:
                let choices = [[usb], [jack], [speaker], [usb, jack]]
                let targets = choices.randomElement(using: &random)!
                (links, watched) = ([], targets)
                carryOut(tracker.beginLink(to: targets))
            case 3:
                (links, watched) = ([], [])
                carryOut(tracker.unlink())
            case 4, 5, 6:
                if !links.isEmpty { carryOut(tracker.linked(nodeID: nodeID)) }
            case 7: loseLink()
            case 8: loseDevice()
            case 9:
                let node: UInt32 = Bool.random(using: &random) ? 20 : 30
                let count = UInt32.random(in: 1...3, using: &random)
                for number in 0..<3 as Range<UInt32> {
                    let id = node * 10 + number
                    facts.apply(number < count ? port(id, of: node, number, isInput: true) : .portRemoved(id: id))
                }
            case 10:
                let active = Int32.random(in: 0...1, using: &random)
                facts.apply(Fixture.routesFact(.yes, .yes, active: active))
            case 11: _ = tracker.settled(in: facts)
            default: break
            }
            carryOut(tracker.advance(in: facts, isSettled: Int.random(in: 0..<3, using: &random) > 0))
        }

        private var usb: PipeWireStreamTracker.Target { PipeWireLinkStageTests.usb }
        private var jack: PipeWireStreamTracker.Target { PipeWireLinkStageTests.jack }
        private var speaker: PipeWireStreamTracker.Target { PipeWireLinkStageTests.speaker }

        private func port(_ id: UInt32, of node: UInt32, _ number: UInt32, isInput: Bool) -> PipeWireFact {
            let channel = ["FL", "FR", "LFE", "FC"][Int(number % 4)]
            return .portAdded(
                PipeWireNodePort(id: id, nodeID: node, number: number, isInput: isInput, channel: channel))
        }

        private mutating func loseLink() {
            guard let link = links.randomElement(using: &random) else { return }
            var end = PipeWireStreamTracker.LinkEnd(
                target: link.target, cause: Bool.random(using: &random) ? .removed : .failed)
            (end.wasBound, end.ports) = (Bool.random(using: &random), [link.ours, link.theirs])
            (links, watched) = ([], [])
            carryOut(tracker.linkEnded(end, in: facts, managerStarts: Bool.random(using: &random)))
        }

        private mutating func loseDevice() {
            let node: UInt32 = Bool.random(using: &random) ? 20 : 30
            if watched.contains(where: { $0.nodeID == node }) { (links, watched) = ([], []) }
            carryOut(tracker.nodeRemoved(node))
        }

        private mutating func carryOut(_ actions: [Action]) {
            for action in actions {
                switch action {
                case .openGate: checkLinks()
                case .addLink(let target, let ours, let theirs):
                    #expect(facts.port(ours)?.nodeID == nodeID && facts.port(theirs) != nil, "seed \(seed)")
                    #expect(facts.port(theirs)?.nodeID == watched[target].nodeID, "seed \(seed)")
                    links.append((target, ours, theirs))
                case .makeNode(let channels):
                    #expect(links.isEmpty, "seed \(seed)")
                    for port in facts.ports(ofNode: nodeID, inputs: false) { facts.apply(.portRemoved(id: port.id)) }
                    nodeID += 1
                    for number in channels.indices {
                        let number = UInt32(number)
                        facts.apply(port(nodeID * 10 + number, of: nodeID, number, isInput: false))
                    }
                    tracker.named(nodeID: nodeID)
                case .setRoute(_, _, let route):
                    #expect(links.isEmpty, "seed \(seed)")
                    if Bool.random(using: &random) {
                        facts.apply(Fixture.routesFact(.yes, .yes, active: route))
                    }
                case .startOver:
                    watched = tracker.link.targets
                    #expect(links.isEmpty && !watched.isEmpty, "seed \(seed)")
                case .giveUp: (links, watched) = ([], [])
                case .tellLost: #expect(links.isEmpty, "seed \(seed)")
                default: break
                }
            }
        }

        private mutating func checkLinks() {
            opened += 1
            #expect(tracker.link == .linked(watched), "seed \(seed)")
            #expect(Set(links.map(\.target)) == Set(watched.indices), "seed \(seed)")
            #expect(Set(links.map(\.ours)).count == links.count, "seed \(seed)")
            #expect(links.count == tracker.node.channels.count, "seed \(seed)")
        }
    }
}
