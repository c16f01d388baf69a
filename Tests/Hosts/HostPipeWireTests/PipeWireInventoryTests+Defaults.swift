import AudioModel
import Testing

@testable import HostPipeWire

/// Where the session manager sends sound, and where it will once it has noticed what we know.
extension PipeWireInventoryTests {
    @Test func defaultSink_thatVanishesBeforeTheMetadataFollows_isReplacedByTheBestThatIsLeft() {
        let usb = PipeWireFact.nodeChanged(Self.node(30, "usb", priority: 2000))
        var facts = Self.fold(Self.laptop + [usb, .defaultNamed(.output, "usb")])
        #expect(facts.inventory.defaultOutputUID == "usb")
        facts.apply(.nodeRemoved(id: 30))
        let predicted = facts.inventory
        #expect(predicted.defaultOutputUID == Self.headphones)
        facts.apply(.defaultNamed(.output, "sink"))
        #expect(facts.inventory == predicted)
    }

    @Test func defaultSink_thatVanishes_isReplacedByTheUsersPreference() {
        let facts = Self.fold(
            Self.laptop + [
                .nodeChanged(Self.node(30, "preferred", priority: 1)), .preferenceNamed(.output, "preferred"),
                .defaultNamed(.output, "gone"),
            ])
        #expect(facts.inventory.defaultOutputUID == "preferred")
    }

    @Test func default_thatIsWithdrawn_staysWhileItIsThere() {
        let facts = Self.fold(
            Self.laptop + [
                .nodeChanged(Self.node(30, "better", priority: 9000)), .rested, .defaultNamed(.output, nil),
                .preferenceNamed(.output, nil), .rested,
            ])
        #expect(facts.inventory.defaultOutputUID == Self.headphones)
    }

    @Test func default_thatIsNamedBeforeItIsKnown_movesNobodyUntilItIs() {
        var facts = Self.fold(
            Self.laptop + [.nodeChanged(Self.node(30, "better", priority: 9000)), .rested])
        facts.apply(.defaultNamed(.output, "coming"))
        #expect(facts.inventory.defaultOutputUID == Self.headphones)
        facts.apply(.nodeChanged(Self.node(31, "coming")))
        #expect(facts.inventory.defaultOutputUID == "coming")
    }

    /// All within a moment, as when several devices are plugged in: no rest comes between.
    @Test func defaultSink_thatVanishesSoonAfterItBecameIt_isNotReplacedByAnEarlierOne() {
        var facts = Self.fold([
            .nodeChanged(Self.node(1, "first", priority: 1)), .nodeChanged(Self.node(2, "second", priority: 2)),
            .nodeChanged(Self.node(3, "third", priority: 3)), .defaultNamed(.output, "first"),
            .defaultNamed(.output, "second"), .defaultNamed(.output, "third"),
        ])
        facts.apply(.nodeRemoved(id: 3))
        #expect(facts.inventory.defaultOutputUID == "second")
    }

    /// Line out ranks above the USB card, which its user had configured before the headset.
    @Test func defaultSink_thatVanishes_isReplacedByTheOneThatWasConfiguredBefore() {
        let outputs: [PipeWireFact] = [
            .nodeChanged(Self.node(1, "line", priority: 1100)), .nodeChanged(Self.node(2, "usb", priority: 1000)),
            .nodeChanged(Self.node(3, "headset", priority: 900)),
        ]
        let loss: [PipeWireFact] = [.defaultNamed(.output, "headset"), .rested, .nodeRemoved(id: 3)]
        let stored = PipeWireFact.rankingRead(.wirePlumber05, stored: ["headset", "usb"])
        #expect(Self.fold(outputs + loss).inventory.defaultOutputUID == "line")
        #expect(Self.fold(outputs + [stored] + loss).inventory.defaultOutputUID == "usb")
        let seen = ["usb", "headset"].map { PipeWireFact.preferenceNamed(.output, $0) }
        #expect(Self.fold(outputs + seen + loss).inventory.defaultOutputUID == "usb")
    }

    /// WirePlumber 0.4 and 0.5.18 go by the order of the choices alone, 0.5.8 by the priorities of all that were chosen.
    @Test func configuredSinks_areRankedByTheRulesOfTheManager() {
        let facts: [PipeWireFact] = [
            .nodeChanged(Self.node(1, "line", priority: 1100)), .nodeChanged(Self.node(2, "usb", priority: 1000)),
            .defaultNamed(.output, "gone"), .rested,
        ]
        let stored = ["usb", "line"]
        for (rules, expected) in [
            (SinkRanking.Rules.wirePlumber04, "usb"), (.wirePlumber05, "line"), (.wirePlumber0511, "line"),
            (.wirePlumber0518, "usb"),
        ] {
            let inventory = Self.fold(facts + [.rankingRead(rules, stored: stored)]).inventory
            #expect(inventory.defaultOutputUID == expected)
        }
    }

    @Test func monitorAsDefaultSource_isNoInput() {
        let facts = Self.fold(Self.laptop + [.defaultNamed(.input, "sink")])
        #expect(facts.inventory.defaultInputUID == nil)
    }

    @Test func source_ofTheCard_isAnInput() {
        let facts = Self.fold(Self.laptop + [.nodeChanged(Self.node(21, "mic", .input, device: 4))])
        #expect(facts.inventory.inputs.map(\.uid) == ["card/analog-input-mic"])
        #expect(facts.inventory.defaultInputUID == "card/analog-input-mic")
    }
}
