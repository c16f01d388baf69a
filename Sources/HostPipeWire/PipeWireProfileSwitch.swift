internal import AudioModel

/// Decides which profiles Bluetooth cards are asked for: one with the ports that a stream of ours waits for, and later the
/// one that the card had.
///
/// Pure. `update` follows every event. The former profiles are in the inventory (`switchedCards`), whose ports depend on
/// them.
package struct PipeWireProfileSwitch: Hashable, Sendable {
    package typealias Link = PipeWireStreamTracker.Link

    /// What we wait for; nothing for cards without an entry.
    package enum Card: Hashable, Sendable {
        /// We have asked for a profile while the card was in another, and ask for no other meanwhile. Exits: the card tells
        /// that it has left that, is removed, or does not answer -> no entry.
        case requested(Int32, from: Int32)
        /// We have brought it to HFP, and no stream of ours runs there. Exits: one does, the card has another profile or is
        /// removed -> no entry; the time is over, or a stream waits for A2DP -> `requested`.
        case unused
    }

    package enum Action: Hashable, Sendable {
        /// The inventory keeps the former profile from here on.
        case noteSwitch(deviceID: UInt32, former: Int32)
        /// The card is as it was: the inventory forgets the former profile.
        case noteReturn(deviceID: UInt32)
        case setProfile(deviceID: UInt32, Int32)
        /// The streams on the card, none of which runs, wait for their ports to be there again: no loss to them.
        case vacate(deviceID: UInt32)
        /// Replaces an earlier one; `timedOut` follows.
        case startTimer(deviceID: UInt32, milliseconds: UInt64)
        case stopTimer(deviceID: UInt32)
    }

    /// As WirePlumber's: a pause between two recordings does not switch a headset to and fro.
    static let unusedMilliseconds: UInt64 = 2000
    /// A headset's radio needs some seconds for another profile.
    static let answerMilliseconds = PipeWireStreamTracker.profileMilliseconds

    package private(set) var cards: [UInt32: Card] = [:]
    private var hasEnded = false

    package init() {}

    /// Something may have changed: a stream, or the server's facts.
    ///
    /// - Parameter links: of the streams that run.
    package mutating func update(running links: some Collection<Link>, in facts: PipeWireInventory) -> [Action] {
        guard !hasEnded else { return [] }
        var actions: [Action] = []
        for case .awaiting(let uids) in links {
            for dormancy in uids.compactMap({ facts.location(uid: $0)?.dormancy }) {
                actions += request(dormancy.profile, ofCard: dormancy.deviceID, in: facts)
            }
        }
        for id in facts.switchedCards.keys.sorted() {
            let isUnused = facts.devices[id]?.headsetState == .hfp && !Self.isUsedForCalls(id, by: links, in: facts)
            switch cards[id] {
            case nil where isUnused:
                cards[id] = .unused
                actions.append(.startTimer(deviceID: id, milliseconds: Self.unusedMilliseconds))
            case .unused where !isUnused: actions += forget(id)
            case nil, .unused, .requested: break
            }
        }
        return actions
    }

    /// The card has told its profiles.
    package mutating func told(active: Int32?, ofCard id: UInt32) -> [Action] {
        guard case .requested(_, let former) = cards[id], active != former else { return [] }
        return forget(id)
    }

    /// Another card may get the id.
    package mutating func removed(_ id: UInt32) -> [Action] { forget(id) }

    /// The card has not answered, and is asked again where that is still needed; or it was not used for long enough.
    package mutating func timedOut(_ id: UInt32, in facts: PipeWireInventory) -> [Action] {
        guard case .unused = cards.removeValue(forKey: id), let card = facts.switchedCards[id] else { return [] }
        return [.vacate(deviceID: id)] + request(card.former, ofCard: id, in: facts)
    }

    /// The session manager has chosen its defaults again: they need not be held for cards that are back.
    package func rested(in facts: PipeWireInventory) -> [Action] {
        facts.switchedCards.keys.sorted().filter { cards[$0] == nil && facts.isBack($0) }.map {
            .noteReturn(deviceID: $0)
        }
    }

    /// The program goes: all cards go back, and none is asked for anything after that.
    package mutating func end(in facts: PipeWireInventory) -> [Action] {
        hasEnded = true
        return facts.switchedCards.sorted { $0.key < $1.key }.flatMap { id, card in
            let goal = if case .requested(let goal, _) = cards[id] { goal } else { facts.devices[id]?.activeProfile }
            return forget(id) + (goal == card.former ? [] : [.setProfile(deviceID: id, card.former)])
        }
    }

    private mutating func request(_ profile: Int32, ofCard id: UInt32, in facts: PipeWireInventory) -> [Action] {
        if case .requested = cards[id] { return [] }
        guard let device = facts.devices[id], let active = device.activeProfile, active != profile else { return [] }
        cards[id] = .requested(profile, from: active)
        let isLeaving = device.headsetState == .a2dp && facts.switchedCards[id] == nil
        return (isLeaving ? [.noteSwitch(deviceID: id, former: active)] : []) + [
            .setProfile(deviceID: id, profile), .startTimer(deviceID: id, milliseconds: Self.answerMilliseconds),
        ]
    }

    private mutating func forget(_ id: UInt32) -> [Action] {
        cards.removeValue(forKey: id) == nil ? [] : [.stopTimer(deviceID: id)]
    }

    /// One of the streams is on the card, which is in HFP, or waits for its ports.
    private static func isUsedForCalls(
        _ id: UInt32, by links: some Collection<Link>, in facts: PipeWireInventory
    ) -> Bool {
        links.contains { link in
            guard case .awaiting(let uids) = link else {
                return link.targets.contains { facts.nodes[$0.nodeID]?.deviceID == id }
            }
            return uids.compactMap(facts.location(uid:)).contains {
                facts.deviceID(of: $0) == id && $0.port.kind == .bluetoothHFP
            }
        }
    }
}

extension PipeWireInventory {
    /// The card has the profile from which we took it, with its output.
    fileprivate func isBack(_ id: UInt32) -> Bool {
        guard let card = switchedCards[id], devices[id]?.activeProfile == card.former else { return false }
        return nodes.values.contains { $0.deviceID == id && $0.direction == .output && !$0.positions.isEmpty }
    }
}
