import AudioModel
import HostDiagnosis
import Testing

@testable import HostPipeWire

/// A card with a headphone jack and a speaker behind one sink, as ACP describes it, and a USB headset beside it.
@Suite struct PipeWireInventoryTests {
    static let speaker = "card/analog-output-speaker"
    static let headphones = "card/analog-output-headphones"

    static func routes(
        speaker: PipeWireRoute.Availability = .yes, headphones: PipeWireRoute.Availability = .yes
    ) -> [PipeWireRoute] {
        var first = PipeWireRoute(index: 0, direction: .output, name: "analog-output-speaker", cardDevices: [3])
        first.portType = "speaker"
        first.description = "Speaker"
        first.priority = 100
        first.availability = speaker
        var second = PipeWireRoute(index: 1, direction: .output, name: "analog-output-headphones", cardDevices: [3])
        second.portType = "headphones"
        second.description = "Headphones"
        second.priority = 200
        second.availability = headphones
        var third = PipeWireRoute(index: 2, direction: .input, name: "analog-input-mic", cardDevices: [4])
        third.portType = "mic"
        return [first, second, third]
    }

    static func routesFact(
        _ speaker: PipeWireRoute.Availability, _ headphones: PipeWireRoute.Availability, active: Int32
    ) -> PipeWireFact {
        .routesChanged(
            deviceID: 9, routes: routes(speaker: speaker, headphones: headphones), active: [3: active, 4: 2])
    }

    static func node(
        _ id: UInt32, _ name: String, _ direction: PortDirection = .output, device: Int32? = nil, priority: Int32 = 0,
        form: String? = nil, bus: String? = nil
    ) -> PipeWireNode {
        var node = PipeWireNode(id: id, direction: direction, name: name)
        node.serial = UInt64(id) + 1000
        node.positions = ["FL", "FR"]
        node.deviceID = device == nil ? nil : 9
        node.cardDevice = device
        node.priority = priority
        node.formFactor = form
        node.bus = bus
        return node
    }

    static func fold(_ facts: [PipeWireFact]) -> PipeWireInventory {
        facts.reduce(into: PipeWireInventory()) { $0.apply($1) }
    }

    static func card() -> PipeWireDevice {
        var device = PipeWireDevice(id: 9, name: "card")
        device.bus = "pci"
        return device
    }

    /// The card with headphones in, which play.
    static let laptop: [PipeWireFact] = [
        .deviceChanged(card()), routesFact(.yes, .yes, active: 1),
        .nodeChanged(node(20, "sink", device: 3, priority: 1009)),
        .defaultNamed(.output, "sink"),
    ]

    // MARK: Ports

    @Test func ports_ofACard_areItsAvailableRoutesWithTheActiveOneFirst() {
        let inventory = Self.fold(Self.laptop).inventory
        #expect(inventory.ports.map(\.uid) == [Self.headphones, Self.speaker])
        #expect(inventory.ports.map(\.name) == ["Headphones", "Speaker"])
        #expect(inventory.ports.map(\.kind) == [.headphones, .builtInSpeaker])
        #expect(inventory.ports.map(\.channels) == [[.left, .right], [.left, .right]])
        #expect(inventory.defaultOutputUID == Self.headphones)
    }

    @Test func unknownAvailabilityIgnored() {
        let inventory = Self.fold(Self.laptop + [Self.routesFact(.unknown, .yes, active: 1)]).inventory
        #expect(inventory.ports.map(\.uid) == [Self.headphones, Self.speaker])
    }

    @Test func outputsOfOneSink_areAlternatives() {
        let both = Self.fold(Self.laptop + [Self.routesFact(.yes, .yes, active: 1)]).inventory
        #expect(both.alternatives == [[Self.headphones, Self.speaker]])
        let one = Self.fold(Self.laptop + [Self.routesFact(.yes, .no, active: 0)]).inventory
        #expect(one.alternatives == [])
    }

    @Test func unavailableRoute_isNoPort() {
        let inventory = Self.fold(Self.laptop + [Self.routesFact(.yes, .no, active: 0)]).inventory
        #expect(inventory.ports.map(\.uid) == [Self.speaker])
    }

    @Test func sinkWithNoAvailableRoute_isNoPort() {
        let inventory = Self.fold(Self.laptop + [Self.routesFact(.no, .no, active: 0)]).inventory
        #expect(inventory == Inventory())
    }

    @Test func nodeWithoutDevice_isOnePort() {
        let inventory = Self.fold([.nodeChanged(Self.node(1, "usb", form: "headset", bus: "usb"))]).inventory
        #expect(inventory.ports.map(\.uid) == ["usb"])
        #expect(inventory.defaultOutputUID == "usb")
    }

    @Test func nodeWhoseDeviceHasNoRoutes_isOnePort() {
        let facts: [PipeWireFact] = [
            .deviceChanged(Self.card()), .nodeChanged(Self.node(20, "sink", device: 3)),
            .routesChanged(deviceID: 9, routes: [], active: [:]),
        ]
        #expect(Self.fold(facts).inventory.ports.map(\.uid) == ["sink"])
    }

    @Test func node_whileItsDeviceHasNotToldItsRoutes_isNotTold() {
        let facts: [PipeWireFact] = [.deviceChanged(Self.card()), .nodeChanged(Self.node(20, "sink", device: 3))]
        #expect(Self.fold(facts).inventory.ports == [])
    }

    @Test func node_whileItsChannelsAreUnknown_isNotTold() {
        var node = Self.node(1, "usb")
        node.positions = []
        #expect(Self.fold([.nodeChanged(node)]).inventory.ports == [])
    }

    @Test func standInSink_isNoOutput() {
        #expect(Self.fold([.nodeChanged(Self.node(1, "auto_null"))]).inventory == Inventory())
    }

    @Test func positions_becomeLabels() {
        var node = Self.node(1, "usb")
        node.positions = ["FL", "FR", "FC", "LFE", "RL", "RR", "SL", "SR", "RC", "MONO", "AUX7"]
        #expect(
            Self.fold([.nodeChanged(node)]).inventory.ports.first?.channels == [
                .left, .right, .center, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight, .rearCenter,
                .mono, .discrete(10),
            ])
    }

    @Test func ports_ofSeveralSinks_areOrderedByPriorityThenAge() {
        let inventory = Self.fold(
            Self.laptop + [
                .nodeChanged(Self.node(7, "young", priority: 1)), .nodeChanged(Self.node(5, "old", priority: 1)),
                .nodeChanged(Self.node(30, "usb", priority: 2000)),
            ]
        ).inventory
        #expect(inventory.ports.map(\.uid) == ["usb", Self.headphones, Self.speaker, "old", "young"])
    }

    @Test func equalNames_haveDifferentUIDs() {
        let inventory = Self.fold([.nodeChanged(Self.node(1, "a")), .nodeChanged(Self.node(2, "a"))]).inventory
        #expect(Set(inventory.ports.map(\.uid)).count == 2)
    }

    @Test func names_thatAreEmptyOrShared_areDifferentUIDs() {
        let facts = Self.fold((1...3).map { .nodeChanged(Self.node($0, "")) } + [.nodeChanged(Self.node(4, "unnamed"))])
        let uids = facts.inventory.ports.map(\.uid)
        #expect(uids.count == 4)
        #expect(Set(uids).count == 4)
        #expect(!uids.contains(""))
    }

    @Test func uid_afterReplugging_isTheSame() {
        var facts = Self.fold(Self.laptop)
        let before = facts.inventory
        facts.apply(.nodeRemoved(id: 20))
        facts.apply(.nodeChanged(Self.node(77, "sink", device: 3, priority: 1009)))
        #expect(facts.inventory == before)
    }

    // MARK: Jacks

    @Test func jackUnplugOnSameCardIsARouteChange() {
        var facts = Self.fold(Self.laptop)
        let before = facts
        facts.apply(Self.routesFact(.yes, .no, active: 1))
        let told = facts.steps(after: before)
        #expect(told.map(\.defaultOutputUID) == [Self.speaker])
        #expect(told.map { $0.ports.map(\.uid) } == [[Self.speaker]])
        // WirePlumber switches the route a millisecond later: no second change.
        facts.apply(Self.routesFact(.yes, .no, active: 0))
        #expect(facts.inventory == told.last)
    }

    @Test func jackUnplug_whereSpeakerComesBack_predictsTheRouteThatCameBack() {
        var line = PipeWireRoute(index: 5, direction: .output, name: "analog-output-lineout", cardDevices: [3])
        line.availability = .yes
        line.priority = 500
        var facts = Self.fold(Self.laptop)
        facts.apply(
            .routesChanged(
                deviceID: 9, routes: Self.routes(speaker: .no, headphones: .yes) + [line], active: [3: 1]))
        facts.apply(
            .routesChanged(
                deviceID: 9, routes: Self.routes(speaker: .unknown, headphones: .no) + [line], active: [3: 1]))
        #expect(facts.inventory.defaultOutputUID == Self.speaker)
    }

    @Test func defaultFlapCoalesced() {
        var facts = Self.fold(Self.laptop + [.nodeChanged(Self.node(30, "usb", priority: 1)), .rested])
        facts.apply(Self.routesFact(.yes, .no, active: 1))
        let told = facts.inventory
        // WirePlumber 0.4.13, in this order, within 5 ms.
        facts.apply(.defaultNamed(.output, "usb"))
        #expect(facts.inventory == told)
        facts.apply(Self.routesFact(.yes, .no, active: 0))
        #expect(facts.inventory == told)
        facts.apply(.defaultNamed(.output, "sink"))
        #expect(facts.inventory == told)
        facts.apply(.rested)
        #expect(facts.inventory == told)
    }

    @Test func default_thatMovesDuringAJackChangeAndStays_isToldAtRest() {
        var facts = Self.fold(Self.laptop + [.nodeChanged(Self.node(30, "usb", priority: 1)), .rested])
        facts.apply(Self.routesFact(.yes, .no, active: 1))
        facts.apply(.defaultNamed(.output, "usb"))
        #expect(facts.inventory.defaultOutputUID == Self.speaker)
        facts.apply(.rested)
        #expect(facts.inventory.defaultOutputUID == "usb")
    }

    @Test func default_thatTheUserMoves_isToldAtOnce() {
        let facts = Self.fold(
            Self.laptop + [.nodeChanged(Self.node(30, "usb", priority: 1)), .rested, .defaultNamed(.output, "usb")])
        #expect(facts.inventory.defaultOutputUID == "usb")
    }

    @Test func jackPlugIn_isAPortFirstAndTheDefaultWhenTheRouteSwitches() {
        var facts = Self.fold(Self.laptop + [Self.routesFact(.yes, .no, active: 0)])
        facts.apply(Self.routesFact(.yes, .yes, active: 0))
        #expect(facts.inventory.ports.map(\.uid) == [Self.speaker, Self.headphones])
        #expect(facts.inventory.defaultOutputUID == Self.speaker)
        facts.apply(Self.routesFact(.yes, .yes, active: 1))
        #expect(facts.inventory.ports.map(\.uid) == [Self.headphones, Self.speaker])
        #expect(facts.inventory.defaultOutputUID == Self.headphones)
    }

    @Test func jackPlugIn_whereItTakesTheSpeakerAway_isToldAsArrivalThenDeparture() {
        var facts = Self.fold(Self.laptop + [Self.routesFact(.unknown, .no, active: 0)])
        let before = facts
        facts.apply(Self.routesFact(.no, .yes, active: 0))
        let told = facts.steps(after: before)
        #expect(told.map { $0.ports.map(\.uid) } == [[Self.headphones, Self.speaker], [Self.headphones]])
        #expect(told.map(\.defaultOutputUID) == [Self.headphones, Self.headphones])
    }

    @Test func volumeChange_isNoChange() {
        var facts = Self.fold(Self.laptop)
        let before = facts.inventory
        // All that the shim tells of a volume is that the routes are as they were.
        facts.apply(Self.routesFact(.yes, .yes, active: 1))
        #expect(facts.inventory == before)
    }

    // MARK: Rates

    @Test func rate_ofARunningSink_isWhatWasSeen_andOfOthersTheGraphs() {
        var facts = Self.fold([.nodeChanged(Self.node(1, "a")), .nodeChanged(Self.node(2, "b"))])
        func rates() -> [Double?] { facts.inventory.ports.map(\.sampleRate) }
        #expect(rates() == [48_000, 48_000])
        facts.apply(.sinkRateSeen(nodeID: 1, 48_000))
        facts.apply(.graphRateSet(44_100))
        #expect(rates() == [48_000, 44_100])
        facts.apply(.sinkRateSeen(nodeID: 1, 44_100))
        #expect(rates() == [44_100, 44_100])
        // Nothing of ours runs there any more; the graph keeps its rate until it is set again.
        facts.apply(.sinkRateSeen(nodeID: 1, nil))
        #expect(rates() == [44_100, 44_100])
        facts.apply(.graphRateSet(96_000))
        #expect(rates() == [96_000, 96_000])
    }

    @Test func rate_thatNothingRunsAt_isNoNews() {
        var facts = Self.fold([.nodeChanged(Self.node(1, "a")), .graphRateSet(44_100)])
        for nonsense in [0, 1, 4_000_000_000, .infinity, .nan] {
            facts.apply(.graphRateSet(nonsense))
            facts.apply(.sinkRateSeen(nodeID: 1, nonsense))
        }
        #expect(facts.graphRate == 44_100)
        #expect(facts.inventory.ports.map(\.sampleRate) == [44_100])
    }

    // MARK: Lookups

    @Test func target_ofAMixer_isFoundBySerialAndByName() {
        let facts = Self.fold(Self.laptop)
        #expect(facts.location(target: "1020")?.port.uid == Self.headphones)
        #expect(facts.location(target: "sink")?.port.uid == Self.headphones)
        #expect(facts.location(target: "nowhere") == nil)
    }

    @Test func promise_isOffForVirtualSinksOnly() {
        var loopback = Self.node(5, "fx")
        loopback.isVirtual = true
        let facts = Self.fold(Self.laptop + [.nodeChanged(loopback)])
        #expect(facts.promiseOff(uid: "fx") != nil)
        #expect(facts.promiseOff(uid: Self.headphones) == nil)
        #expect(facts.promiseOff(uid: "nowhere") == nil)
    }
}
