import AudioModel
import Testing

@testable import HostPipeWire

/// A Bluetooth card with A2DP and HFP, as BlueZ describes it to PipeWire 0.3.65, and a speaker.
@Suite struct PipeWireHeadsetTests {
    private typealias Fixture = PipeWireInventoryTests
    static let a2dp = "bluez_card.X/headset-output"
    static let hfp = "bluez_card.X/headset-output:hfp"
    static let microphone = "bluez_card.X/headset-input"

    static func profiles(active: Int32?) -> PipeWireFact {
        let a2dp = PipeWireProfile(index: 1, name: "a2dp-sink", hasInput: false, hasOutput: true)
        let hfp = PipeWireProfile(index: 2, name: "headset-head-unit", hasInput: true, hasOutput: true)
        let off = PipeWireProfile(index: 0, name: "off", hasInput: false, hasOutput: false)
        return .profilesChanged(deviceID: 9, [off, a2dp, hfp], active: active)
    }

    static func sink(_ profile: String) -> PipeWireFact {
        var node = Fixture.node(20, "bluez_output.X.1", device: 1, priority: 1010)
        node.positions = profile == "a2dp-sink" ? ["FL", "FR"] : ["MONO"]
        node.bluetoothProfile = profile
        return .nodeChanged(node)
    }

    static func source(_ profile: String?) -> PipeWireFact {
        var node = Fixture.node(21, "bluez_input.X.0", .input, device: 0, priority: 2010)
        node.positions = ["MONO"]
        node.bluetoothProfile = profile
        return .nodeChanged(node)
    }

    static let card: [PipeWireFact] = {
        var device = PipeWireDevice(id: 9, name: "bluez_card.X")
        device.api = "bluez5"
        var output = PipeWireRoute(index: 1, direction: .output, name: "headset-output", cardDevices: [1])
        output.profiles = [1, 2]
        var input = PipeWireRoute(index: 0, direction: .input, name: "headset-input", cardDevices: [0])
        input.profiles = [2]
        return [
            .nodeChanged(Fixture.node(30, "speaker", form: "speaker", bus: "pci")), .deviceChanged(device),
            .routesChanged(deviceID: 9, routes: [output, input], active: [1: 1]),
        ]
    }()

    static let inA2DP =
        card + [profiles(active: 1), sink("a2dp-sink"), .defaultNamed(.output, "bluez_output.X.1")]

    private func headset(_ profile: Headset.Profile) -> Headset {
        Headset(
            profile: profile, a2dpOutputUID: Self.a2dp, hfpOutputUID: Self.hfp, hfpInputUID: Self.microphone)
    }

    @Test func headsetInA2DP_hasDormantPortsOfHFP() {
        let facts = Fixture.fold(Self.inA2DP)
        let inventory = facts.inventory
        #expect(inventory.ports.map(\.uid) == [Self.a2dp, "speaker", Self.hfp, Self.microphone])
        #expect(inventory.ports.map(\.kind) == [.bluetoothA2DP, .builtInSpeaker, .bluetoothHFP, .bluetoothHFP])
        #expect(inventory.headsets == [headset(.a2dp)])
        #expect(inventory.defaultOutputUID == Self.a2dp)
        #expect(inventory.alternatives == [])
        #expect(facts.location(uid: Self.hfp)?.dormancy == .init(deviceID: 9, profile: 2))
        #expect(facts.location(uid: Self.a2dp)?.dormancy == nil)
    }

    /// BlueZ 5.66 has a route of its own for each profile, on the same device of the card.
    @Test func routesOfAnotherProfile_areNotRoutesOfTheNode() {
        var device = PipeWireDevice(id: 9, name: "bluez_card.X")
        var a2dp = PipeWireRoute(index: 1, direction: .output, name: "headset-output", cardDevices: [1])
        a2dp.profiles = [1]
        var hfp = PipeWireRoute(index: 2, direction: .output, name: "headset-hf-output", cardDevices: [1])
        hfp.profiles = [2]
        device.routes = [a2dp, hfp]
        let node = Fixture.node(20, "bluez_output.X.1", device: 1, priority: 1010)
        for (profile, routes) in [(nil, [a2dp, hfp]), (1, [a2dp]), (2, [hfp])] as [(Int32?, [PipeWireRoute])] {
            device.toldProfile = profile
            #expect(device.routes(of: node) == routes)
        }
    }

    /// WirePlumber 0.5 shows the microphone in A2DP, too.
    @Test func microphoneThatIsThereInA2DP_isDormant() {
        let facts = Fixture.fold(Self.inA2DP + [Self.source(nil)])
        #expect(facts.location(uid: Self.microphone)?.dormancy == .init(deviceID: 9, profile: 2))
        #expect(facts.location(uid: Self.microphone)?.nodeID == nil)
    }

    @Test func portsAndDefault_stayWhileWeSwitchTheProfile() {
        var facts = Fixture.fold(Self.inA2DP)
        facts.apply(.profileRequested(deviceID: 9, 2))
        let steps: [(facts: [PipeWireFact], default: String, isHFPThere: Bool)] = [
            ([Self.profiles(active: 2)], Self.hfp, false),
            ([.nodeRemoved(id: 20)], Self.hfp, false),
            ([.defaultNamed(.output, "speaker"), .rested], Self.hfp, false),
            ([Self.sink("headset-head-unit"), Self.source("headset-head-unit")], Self.hfp, true),
            ([.defaultNamed(.output, "bluez_output.X.1"), .rested], Self.hfp, true),
        ]
        for step in steps {
            for fact in step.facts { facts.apply(fact) }
            let inventory = facts.inventory
            #expect(Set(inventory.ports.map(\.uid)) == [Self.a2dp, "speaker", Self.hfp, Self.microphone], "\(step)")
            #expect(inventory.headsets == [headset(.hfp)], "\(step)")
            #expect(inventory.defaultOutputUID == step.default, "\(step)")
            #expect((facts.location(uid: Self.hfp)?.nodeID != nil) == step.isHFPThere, "\(step)")
            #expect(facts.location(uid: Self.a2dp)?.dormancy == .init(deviceID: 9, profile: 1), "\(step)")
        }
        for fact in [Self.profiles(active: 1), .nodeRemoved(id: 20), .nodeRemoved(id: 21)] { facts.apply(fact) }
        facts.apply(.defaultNamed(.output, "speaker"))
        #expect(facts.inventory.defaultOutputUID == Self.a2dp)
        #expect(facts.location(uid: Self.a2dp)?.dormancy == .init(deviceID: 9, profile: 1))
        for fact in [Self.sink("a2dp-sink"), .defaultNamed(.output, "bluez_output.X.1"), .rested] { facts.apply(fact) }
        #expect(facts.inventory.headsets == [headset(.a2dp)])
        #expect(facts.switchedCards.isEmpty)
        // From here on the session manager's default counts again.
        facts.apply(.defaultNamed(.output, "speaker"))
        #expect(facts.inventory.defaultOutputUID == "speaker")
    }

    /// A link to its ports would be lost in a moment.
    @Test func headset_isInTheRequestedProfile_untilTheRequestExpires() {
        var facts = Fixture.fold(Self.inA2DP)
        facts.apply(.profileRequested(deviceID: 9, 2))
        // The card had told that before it heard of the request.
        facts.apply(Self.profiles(active: 1))
        #expect(facts.inventory.headsets == [headset(.hfp)])
        #expect(facts.location(uid: Self.a2dp)?.dormancy == .init(deviceID: 9, profile: 1))
        facts.apply(.profileRequestExpired(deviceID: 9))
        #expect(facts.inventory.headsets == [headset(.a2dp)])
        #expect(facts.location(uid: Self.a2dp)?.nodeID == 20)
    }

    @Test func usersNewPreference_endsTheHeldDefault() {
        var facts = Fixture.fold(Self.inA2DP)
        facts.apply(.profileRequested(deviceID: 9, 2))
        for fact in [Self.profiles(active: 2), Self.sink("headset-head-unit")] { facts.apply(fact) }
        for fact in [.preferenceNamed(.output, "speaker"), .defaultNamed(.output, "speaker")] as [PipeWireFact] {
            facts.apply(fact)
        }
        #expect(facts.inventory.defaultOutputUID == "speaker")
    }

    /// What another program does to the card is an unplug to us, as before.
    @Test func profileThatOthersSwitched_hasNoA2DP() {
        let facts = Fixture.fold(
            Self.inA2DP + [
                .nodeRemoved(id: 20), Self.profiles(active: 2), Self.sink("headset-head-unit"),
                Self.source("headset-head-unit"),
            ])
        #expect(facts.inventory.ports.map(\.uid) == [Self.hfp, "speaker", Self.microphone])
        #expect(facts.inventory.headsets == [])
        #expect(facts.location(uid: Self.hfp)?.dormancy == nil)
    }

    @Test func cardsWithoutHFP_orWithAMicrophoneInA2DP_areNoHeadsets() {
        let duplex = PipeWireProfile(index: 1, name: "a2dp-sink-faststream_duplex", hasInput: true, hasOutput: true)
        let only = PipeWireProfile(index: 1, name: "a2dp-sink", hasInput: false, hasOutput: true)
        let hfp = PipeWireProfile(index: 2, name: "headset-head-unit", hasInput: true, hasOutput: true)
        var busy = hfp
        busy.isAvailable = false
        for profiles in [[only], [duplex, hfp], [only, busy]] {
            let facts = Fixture.fold(Self.inA2DP + [.profilesChanged(deviceID: 9, profiles, active: 1)])
            #expect(facts.inventory.ports.map(\.uid) == [Self.a2dp, "speaker"], "\(profiles)")
            #expect(facts.inventory.headsets == [])
        }
    }

    // MARK: Streams

    @Test func stream_waitsForAProfile_withALimitWhileItRuns() {
        var tracker = PipeWireStreamTracker()
        #expect(tracker.awaitPorts([Self.hfp], isRunning: false) == [.stopTimer])
        #expect(tracker.settled(in: Fixture.fold(Self.inA2DP)) == [])
        #expect(tracker.started() == [.startTimer(milliseconds: PipeWireStreamTracker.profileMilliseconds)])
        #expect(tracker.stopped() == [.stopTimer])
        #expect(tracker.awaitPorts([Self.hfp], isRunning: true) == tracker.started())
        #expect(tracker.timedOut() == [.giveUpProfile])
        #expect(tracker.failed() == [.stopTimer])
        #expect(tracker.link == .unlinked)
    }

    @Test func stream_thatWaitsForAHeadsetThatLeaves_isLost() {
        var tracker = PipeWireStreamTracker()
        _ = tracker.awaitPorts([Self.hfp], isRunning: true)
        let facts = Fixture.fold(Self.inA2DP + [.nodeRemoved(id: 20), .deviceRemoved(id: 9)])
        #expect(tracker.settled(in: facts) == [.stopTimer, .tellLost(portUID: Self.hfp)])
        #expect(tracker.link == .unlinked)
    }
}
