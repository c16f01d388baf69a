import AudioModel
import GuardCore
import HostPipeWire
import TestSupport
import Testing

@testable import GuardRuntime

struct PipeWireGuardGraphTests {
    @Test func catchIsChosen_whatWasConfiguredBeforeIsKept() {
        var graph = PipeWireGuardGraph(parking: PipeWireParking(processID: 7))
        graph.apply(.preferenceNamed(.output, "headset"))
        graph.apply(.preferenceNamed(.output, "audiosession.guard.catch.7"))
        let outputs = graph.drainFacts().compactMap { fact -> GuardOutputs? in
            if case .outputsChanged(let outputs) = fact { outputs } else { nil }
        }
        #expect(outputs.map(\.isCatchChosen) == [false, true])
        #expect(outputs.map(\.ranking.configured) == ["headset", "headset"])
    }

    private static let parking = PipeWireParking(processID: 7)
    private static let program = Program(identity: .process(1), name: "mpv")

    private func sink(_ id: UInt32, _ name: String, formFactor: String? = nil, priority: Int32 = 500) -> PipeWireFact {
        var node = PipeWireNode(id: id, direction: .output, name: name)
        node.serial = UInt64(id) + 100
        node.positions = ["FL", "FR"]
        node.formFactor = formFactor
        node.priority = priority
        return .nodeChanged(node)
    }

    private func stream(_ serial: UInt64, node: UInt32, isRunning: Bool = true) -> PipeWireGuardGraph.Stream {
        PipeWireGuardGraph.Stream(serial: serial, nodeID: node, program: Self.program, isRunning: isRunning)
    }

    private func graph() -> PipeWireGuardGraph {
        var graph = PipeWireGuardGraph(parking: Self.parking)
        graph.apply(sink(1, "speaker"))
        graph.apply(sink(2, "headphones", formFactor: "headphone", priority: 1500))
        graph.apply(.defaultNamed(.output, "headphones"))
        graph.change(stream(10, node: 5))
        _ = graph.drainFacts()
        return graph
    }

    private func linkTargets(_ graph: inout PipeWireGuardGraph) -> [ProgramStream.LinkTarget] {
        graph.drainFacts().compactMap { if case .streamChanged(let stream) = $0 { stream.linkTarget } else { nil } }
    }

    @Test func tellAgain_tellsEverythingOnce_andWhatCameSince() {
        var graph = graph()
        graph.changeManager(isPresent: false)
        graph.tellAgain()
        let facts = graph.drainFacts()
        #expect(facts.count == 2)
        if case .outputsChanged(let outputs)? = facts.first {
            #expect(outputs.outputs.map(\.sink) == ["headphones", "speaker"])
        } else {
            Issue.record("\(facts)")
        }
        if case .streamChanged(let stream)? = facts.last { #expect(stream.id == 10) } else { Issue.record("\(facts)") }
    }

    @Test func leftovers_areTargetsOfOtherGuards_untilTheyAreLifted() {
        var graph = graph()
        graph.setTarget("audiosession.guard.hold.8", ofNode: 5)
        graph.setTarget(Self.parking.holdName, ofNode: 6)
        graph.setTarget("speaker", ofNode: 7)
        #expect(graph.leftovers() == [5])
        graph.setTarget(nil, ofNode: 5)
        #expect(graph.leftovers() == [])
        #expect(graph.hasOwnTargets)
        graph.setTarget(nil, ofNode: 6)
        #expect(!graph.hasOwnTargets)
    }

    /// The same process on its next connection, and a guard with the same process id in another namespace.
    @Test func leftovers_ofANamesake_areLeftovers_unlessTheyAreTakenOver() {
        var graph = graph()
        let namesakes = [PipeWireParking(processID: 7), PipeWireParking(processID: 7)]
        graph.setTarget(namesakes[0].holdName, ofNode: 5)
        graph.setTarget(namesakes[1].duckName, ofNode: 6)
        #expect(graph.leftovers() == [5, 6])
        #expect(graph.leftovers(sparing: [namesakes[0].holdName]) == [6])
        #expect(!graph.hasOwnTargets)
    }

    /// While a program binds the metadata, the server tells a change to that program alone (decision 58).
    ///
    /// This guard took away its own target where it had heard of the one before only: programs went on on the speaker.
    @Test(arguments: UInt64(1)...40)
    func ownTarget_isNoLeftover_whateverTheServerKeepsBack(seed: UInt64) {
        var random = Seeded(seed: seed)
        var graph = graph()
        let others = [PipeWireParking(processID: 8), PipeWireParking(processID: 9)]
        graph.setTarget(others[0].holdName, ofNode: 5)
        var (isAsked, answer) = (false, String?.none)
        for step in 0..<200 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                answer = [Self.parking.holdName, Self.parking.duckName, nil].randomElement(using: &random)!
                graph.noteAsked(answer, ofNode: 5)
                isAsked = true
            // The server's answer, or a reading.
            case 1...2: if isAsked { graph.setTarget(answer, ofNode: 5) }
            // Something else about the stream.
            case 3: graph.change(stream(10, node: 5, isRunning: Bool.random(using: &random)))
            case 4:
                graph.removeStream(10)
                graph.change(stream(10, node: 5))
                graph.setTarget(others.randomElement(using: &random)!.holdName, ofNode: 5)
                isAsked = false
            default:
                graph.removeTargets()
                (isAsked, answer) = (false, nil)
                graph.setTarget(others[1].duckName, ofNode: 5)
            }
            #expect(graph.leftovers() == (isAsked ? [] : [5]), "step \(step)")
            if isAsked, answer != nil { #expect(graph.hasOwnTargets, "step \(step)") }
        }
    }

    /// A guard that ends waits for that.
    @Test func liftedTarget_isOwn_untilThatIsTold_orWhereThereWasNone() {
        var graph = graph()
        graph.noteAsked(Self.parking.holdName, ofNode: 5)
        #expect(graph.hasOwnTargets)
        graph.noteAsked(nil, ofNode: 5)
        #expect(graph.hasOwnTargets)
        graph.setTarget(nil, ofNode: 5)
        #expect(!graph.hasOwnTargets)
        graph.noteAsked(nil, ofNode: 5)
        #expect(!graph.hasOwnTargets)
    }

    /// What is not moved would stay silent if its links were cut.
    @Test func linksBesideTheHoldingSinks_areStrays_whereThereIsOneThere() {
        var graph = graph()
        graph.addLink(21, from: 5, to: 1)
        #expect(graph.strays(ofStream: 10) == [])
        graph.setParkNode(9, .hold)
        graph.addLink(22, from: 5, to: 9)
        #expect(graph.strays(ofStream: 10) == [21])
    }

    @Test func sinks_areToldWithTheirPriorityAndTheDefault() throws {
        var graph = PipeWireGuardGraph(parking: Self.parking)
        graph.apply(sink(2, "headphones", formFactor: "headphone", priority: 1500))
        graph.apply(.defaultNamed(.output, "headphones"))
        let fact = try #require(graph.drainFacts().last)
        let output = GuardOutput(
            sink: "headphones", uid: "headphones", name: "headphones", kind: .headphones, priority: 1500)
        #expect(fact == .outputsChanged(GuardOutputs(outputs: [output], defaultSink: .sink("headphones"))))
        #expect(graph.drainFacts() == [])
    }

    /// A card that calls its speaker unavailable while the headphones are in.
    @Test func cardWithAJack_isToldWithAllItsPorts_andItsRouteAndMuteAreOneChange() throws {
        var graph = PipeWireGuardGraph(parking: Self.parking)
        var node = PipeWireNode(id: 3, direction: .output, name: "analog")
        (node.positions, node.deviceID, node.cardDevice) = (["FL", "FR"], 9, 0)
        var headphones = PipeWireRoute(index: 1, direction: .output, name: "headphones", cardDevices: [0])
        (headphones.portType, headphones.availability) = ("headphones", .yes)
        var speaker = PipeWireRoute(index: 2, direction: .output, name: "speaker", cardDevices: [0])
        (speaker.portType, speaker.availability, speaker.description) = ("speaker", .no, "Speaker")
        graph.apply(.deviceChanged(PipeWireDevice(id: 9, name: "card")))
        graph.apply(.nodeChanged(node))
        func jacks(active: Int32, isMuted: Bool) -> [GuardJack]? {
            graph.apply(
                .routesChanged(deviceID: 9, routes: [headphones, speaker], active: [0: active]),
                .routeVolumesChanged(deviceID: 9, [0: PipeWireVolume(PortVolume(level: 1, isMuted: isMuted))]))
            let facts = graph.drainFacts()
            guard facts.count == 2, case .outputsChanged(let outputs) = facts[0],
                case .surroundingsChanged(let surroundings) = facts[1]
            else { return nil }
            #expect(surroundings.volumes.values.allSatisfy { $0.isMuted == isMuted })
            return outputs.jacks
        }
        _ = jacks(active: 1, isMuted: true)
        let jack = try #require(jacks(active: 1, isMuted: false)?.first)
        #expect(jack.sink == "analog")
        #expect(jack.active == "card/headphones")
        #expect(!jack.isMuted)
        #expect(jack.ports.map(\.uid) == ["card/headphones", "card/speaker"])
        #expect(jack.ports.map(\.isAvailable) == [true, false])
        #expect(jack.ports.map(\.kind.isPrivate) == [true, false])
        #expect(jacks(active: 2, isMuted: true)?.first?.active == "card/speaker")
        let route = try #require(graph.route(ofPort: "card/speaker"))
        #expect([route.cardDevice, route.index] == [0, 2])
        #expect(route.deviceID == 9)
    }

    @Test func microphone_isRankedToo() {
        var graph = graph()
        var node = PipeWireNode(id: 8, direction: .input, name: "mic")
        node.priority = 2000
        graph.apply(.nodeChanged(node))
        guard case .outputsChanged(let outputs)? = graph.drainFacts().last else {
            Issue.record("no outputs were told")
            return
        }
        #expect(outputs.ranking.sourcePriority == 2000)
    }

    /// A recorder of the desktop's sound is told apart from a program that only hears a microphone.
    @Test func capture_saysWhatItHears() {
        var graph = graph()
        graph.apply(.nodeChanged(PipeWireNode(id: 8, direction: .input, name: "mic")))
        var virtual = PipeWireNode(id: 9, direction: .input, name: "effects")
        virtual.isVirtual = true
        graph.apply(.nodeChanged(virtual))
        graph.change(PipeWireGuardGraph.Capture(serial: 30, nodeID: 31, program: Self.program, isRunning: true))
        func hears() -> [String] {
            graph.drainFacts().compactMap { fact in
                guard case .captureChanged(let capture) = fact else { return nil }
                return "\(capture.hearsMicrophone) \(capture.hearsPrograms)"
            }
        }
        #expect(hears() == ["false false"])
        graph.addLink(40, from: 9, to: 31)
        #expect(hears() == [])
        graph.addLink(41, from: 8, to: 31)
        #expect(hears() == ["true false"])
        // The monitor of an output, and then another program's stream.
        graph.addLink(42, from: 2, to: 31)
        #expect(hears() == ["true true"])
        graph.removeObject(42)
        graph.addLink(43, from: 5, to: 31)
        #expect(hears() == ["true false", "true true"])
    }

    /// WirePlumber 0.5 shows the headset's microphone also while the headset plays music.
    @Test func capture_opensAHeadset_whileThatPlaysMusic() {
        func sink(_ profile: String) -> PipeWireFact {
            var node = PipeWireNode(id: 7, direction: .output, name: "bluez_output.1")
            (node.deviceID, node.bluetoothProfile) = (50, profile)
            return .nodeChanged(node)
        }
        var graph = graph()
        var source = PipeWireNode(id: 8, direction: .input, name: "bluez_input.1")
        source.deviceID = 50
        graph.apply(sink("a2dp-sink"), .nodeChanged(source))
        graph.change(PipeWireGuardGraph.Capture(serial: 30, nodeID: 31, program: Self.program, isRunning: false))
        func captures() -> [CaptureStream] {
            graph.drainFacts().compactMap { if case .captureChanged(let capture) = $0 { capture } else { nil } }
        }
        #expect(captures().map(\.opensHeadset) == [false])
        graph.addLink(40, from: 8, to: 31)
        #expect(captures().map(\.opensHeadset) == [true], "it need not run")
        #expect(graph.nodeID(ofStream: 30) == 31)
        graph.addLink(41, from: 9, to: 31)
        graph.addLink(42, from: 8, to: 32)
        #expect(graph.headsetLinks(toNode: 31) == [40], "neither another microphone's nor another stream's")
        graph.apply(sink("headset-head-unit"))
        #expect(captures().map(\.opensHeadset) == [false])
        #expect(graph.headsetLinks(toNode: 31) == [])
        graph.apply(sink("a2dp-sink"))
        graph.setTarget("mic", ofNode: 31)
        #expect(captures().map(\.target) == [nil, "mic"])
        graph.removeStream(30)
        graph.change(PipeWireGuardGraph.Capture(serial: 32, nodeID: 31, program: Self.program, isRunning: false))
        #expect(captures().map(\.target) == [nil], "the next one with its id is another stream")
    }

    @Test func ownCatch_isNoOutputAndIsNamedAsDefault() throws {
        var graph = graph()
        graph.apply(sink(3, Self.parking.catchName, priority: 1499))
        _ = graph.drainFacts()
        graph.apply(.defaultNamed(.output, Self.parking.catchName))
        guard case .outputsChanged(let outputs)? = graph.drainFacts().last else {
            Issue.record("no outputs were told")
            return
        }
        #expect(outputs.defaultSink == .catch)
        #expect(outputs.outputs.map(\.sink) == ["headphones", "speaker"])
    }

    /// The server tells some changes of the default to other programs alone.
    @Test func defaultThatTheOutputsDoNotCallFor_isDoubtedOnce() {
        var graph = graph()
        #expect(graph.hasNewDoubt() == false)
        graph.apply(.nodeRemoved(id: 2))
        #expect(graph.hasNewDoubt() == true, "the default has left")
        #expect(graph.hasNewDoubt() == false)
        graph.apply(.defaultNamed(.output, "speaker"))
        #expect(graph.hasNewDoubt() == false)
        graph.apply(sink(4, "usb", formFactor: "headset", priority: 1500))
        #expect(graph.hasNewDoubt() == true, "a better one is there")
        graph.apply(.defaultNamed(.output, Self.parking.catchName))
        #expect(graph.hasNewDoubt() == true, "the catch is the default although nothing has left")
        graph.apply(sink(3, Self.parking.catchName, priority: 501))
        #expect(graph.hasNewDoubt() == false)
        graph.apply(.defaultNamed(.output, "usb"))
        #expect(graph.hasNewDoubt() == false)
        graph.apply(.defaultNamed(.output, "speaker"))
        #expect(graph.hasNewDoubt() == true, "the same as before, after it was right")
    }

    @Test func catch_isThereAsLongAsTheServerHasIt() {
        var graph = graph()
        func told() -> [Bool] {
            graph.drainFacts().compactMap { fact in
                if case .outputsChanged(let outputs) = fact { outputs.hasCatch } else { nil }
            }
        }
        graph.apply(sink(3, Self.parking.catchName, priority: 501))
        // Another one takes its place.
        graph.apply(sink(4, Self.parking.catchName, priority: 601))
        graph.apply(.nodeRemoved(id: 3))
        #expect(told() == [true])
        graph.apply(.nodeRemoved(id: 4))
        #expect(told() == [false])
    }

    @Test func streamAtARolesLoopback_soundsWhereTheLoopbackPlays() {
        var graph = graph()
        var node = PipeWireNode(
            id: 6, serial: 106, direction: .output,
            properties: {
                ["node.name": "loopback.music", "node.link-group": "loopback-1", "device.intended-roles": "[ Music ]"][
                    $0]
            })
        node.positions = ["FL", "FR"]
        graph.apply(.nodeChanged(node))
        var player = stream(11, node: 7)
        (player.standing, player.group) = (.leftAlone, "loopback-1")
        graph.change(player)
        _ = graph.drainFacts()
        func targets() -> [ProgramStream.LinkTarget] {
            graph.drainFacts().compactMap { fact in
                if case .streamChanged(let stream) = fact, stream.id == 10 { stream.linkTarget } else { nil }
            }
        }
        graph.addLink(20, from: 5, to: 6)
        graph.addLink(21, from: 7, to: 2)
        #expect(targets() == [.role(output: nil), .role(output: "headphones")])
        #expect(graph.links(ofStream: 10) == [20])
        graph.removeObject(21)
        graph.addLink(22, from: 7, to: 1)
        #expect(targets() == [.role(output: nil), .role(output: "speaker")])
    }

    @Test func streamAtAnEffect_soundsAtTheEffect() {
        var graph = graph()
        graph.apply(
            .nodeChanged(
                PipeWireNode(
                    id: 6, serial: 106, direction: .output,
                    properties: { ["node.name": "equaliser", "node.link-group": "filter-1"][$0] })))
        graph.addLink(20, from: 5, to: 6)
        #expect(linkTargets(&graph) == [.sink("equaliser")])
    }

    @Test func link_saysWhereAStreamSounds() {
        var graph = graph()
        graph.setParkNode(9, .hold)
        graph.apply(sink(3, Self.parking.catchName))
        graph.addLink(20, from: 5, to: 2)
        graph.addLink(21, from: 5, to: 2)
        #expect(linkTargets(&graph) == [.sink("headphones")])
        graph.removeObject(20)
        graph.removeObject(21)
        graph.addLink(22, from: 5, to: 3)
        graph.removeObject(22)
        graph.addLink(23, from: 5, to: 9)
        #expect(linkTargets(&graph) == [.nowhere, .catch, .nowhere, .hold])
    }

    @Test func link_toldBeforeItsSink_isResolvedWhenTheSinkComes() {
        var graph = graph()
        graph.addLink(20, from: 5, to: 4)
        #expect(linkTargets(&graph) == [])
        graph.apply(sink(4, "usb"))
        #expect(linkTargets(&graph) == [.sink("usb")])
        // What has gone keeps its name until the link goes.
        graph.apply(.nodeRemoved(id: 4))
        #expect(linkTargets(&graph) == [])
    }

    @Test func links_ofAStream_areThoseToRealSinks() {
        var graph = graph()
        graph.setParkNode(9, .hold)
        graph.addLink(20, from: 5, to: 2)
        graph.addLink(21, from: 5, to: 9)
        graph.addLink(22, from: 6, to: 2)
        #expect(graph.links(ofStream: 10) == [20])
    }

    @Test(arguments: [("102", "headphones"), ("headphones", "headphones"), ("elsewhere", "elsewhere")])
    func target_isToldByName(target: String, name: String) {
        var graph = graph()
        graph.setTarget(target, ofNode: 5)
        guard case .streamChanged(let stream)? = graph.drainFacts().last else {
            Issue.record("no stream was told")
            return
        }
        #expect(stream.chosenTarget == name)
    }

    @Test func guardsOwnTarget_isNoChoice() {
        var graph = graph()
        graph.setTarget(Self.parking.holdName, ofNode: 5)
        #expect(graph.drainFacts() == [])
    }

    @Test func streamEnds_isToldOnce() {
        var graph = graph()
        graph.removeStream(10)
        graph.removeStream(10)
        #expect(graph.drainFacts() == [.streamEnded(10)])
    }
}
