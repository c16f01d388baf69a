internal import AudioModel

/// Decides which profiles to request from Bluetooth cards: one with the ports for which our stream waits, and later the
/// card's former one.
///
/// Pure. `update` follows every event. The inventory keeps the requests and the former profiles (`switchedCards`), because its
/// ports depend on them.
struct PipeWireProfileSwitch: Hashable, Sendable {
    typealias Link = PipeWireStreamTracker.Link

    /// The event for which a card waits; a card that waits for nothing has no entry.
    enum Card: Hashable, Sendable {
        /// Waits for a requested profile; no other is requested meanwhile (`PipeWireDevice.requestedProfile`). Exits: the card
        /// answers, is removed, or the time is over -> no entry.
        case requested
        /// We switched the card to HFP, and none of our streams runs there. Exits: a stream runs, the card has another profile or is
        /// removed -> no entry; the time is over, or a stream waits for A2DP -> `requested`.
        case unused
    }

    enum Action: Hashable, Sendable {
        case request(deviceID: UInt32, profile: Int32)
        /// The card has not answered.
        case endRequest(deviceID: UInt32)
        /// None of the card's streams runs; they wait until their ports exist again, and lose nothing.
        case vacate(deviceID: UInt32)
        /// Replaces an earlier timer; `timedOut` follows.
        case startTimer(deviceID: UInt32, milliseconds: UInt64)
        case stopTimer(deviceID: UInt32)
    }

    /// As in WirePlumber: a pause between two recordings does not switch a headset back and forth.
    static let unusedMilliseconds: UInt64 = 2000
    /// A headset needs a few seconds to change its profile.
    static let answerMilliseconds = PipeWireStreamTracker.profileMilliseconds

    private(set) var cards: [UInt32: Card] = [:]
    private var hasEnded = false

    /// Handles a possible change of a stream or of the server's facts.
    ///
    /// - Parameter links: the links of the running streams.
    mutating func update(running links: some Collection<Link>, in facts: PipeWireInventory) -> [Action] {
        guard !hasEnded else { return [] }
        func isUnused(_ id: UInt32) -> Bool {
            facts.switchedCards[id] != nil && facts.devices[id]?.headsetState == .hfp
                && !Self.isUsedForCalls(id, by: links, in: facts)
        }
        var actions: [Action] = []
        for (id, card) in cards.sorted(by: { $0.key < $1.key }) {
            let isOver =
                switch card {
                case .requested: facts.devices[id]?.requestedProfile == nil
                case .unused: !isUnused(id)
                }
            if isOver { actions += forget(id) }
        }
        for case .awaiting(let uids) in links {
            for dormancy in uids.compactMap({ facts.location(uid: $0)?.dormancy }) {
                actions += request(dormancy.profile, ofCard: dormancy.deviceID, in: facts)
            }
        }
        for id in facts.switchedCards.keys.sorted() where cards[id] == nil && isUnused(id) {
            cards[id] = .unused
            actions.append(.startTimer(deviceID: id, milliseconds: Self.unusedMilliseconds))
        }
        return actions
    }

    /// Handles a card that has not answered and is asked again if needed, or a card that was unused for long enough.
    mutating func timedOut(_ id: UInt32, in facts: PipeWireInventory) -> [Action] {
        switch cards.removeValue(forKey: id) {
        case nil: return []
        case .requested: return [.endRequest(deviceID: id)]
        case .unused:
            guard let card = facts.switchedCards[id] else { return [] }
            return [.vacate(deviceID: id)] + request(card.former, ofCard: id, in: facts)
        }
    }

    /// Switches all cards back before the program ends; no request follows.
    mutating func end(in facts: PipeWireInventory) -> [Action] {
        hasEnded = true
        return cards.keys.sorted().flatMap { forget($0) }
            + facts.switchedCards.sorted { $0.key < $1.key }
            .filter { id, card in facts.devices[id]?.activeProfile != card.former }
            .map { .request(deviceID: $0, profile: $1.former) }
    }

    private mutating func request(_ profile: Int32, ofCard id: UInt32, in facts: PipeWireInventory) -> [Action] {
        guard cards[id] != .requested, let active = facts.devices[id]?.activeProfile, active != profile else {
            return []
        }
        cards[id] = .requested
        return [
            .request(deviceID: id, profile: profile),
            .startTimer(deviceID: id, milliseconds: Self.answerMilliseconds),
        ]
    }

    private mutating func forget(_ id: UInt32) -> [Action] {
        cards.removeValue(forKey: id) == nil ? [] : [.stopTimer(deviceID: id)]
    }

    /// Whether one of the streams is linked to the card, which is in HFP, or waits for its HFP ports.
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
