internal import AudioModel

/// Makes the links of a stream, in stages.
///
/// Pure. Facts show when a stage is complete: `advance` is called after each fact.
package struct PipeWireLinkMaking: Hashable, Sendable {
    typealias Action = PipeWireStreamTracker.Action
    typealias Target = PipeWireStreamTracker.Target
    typealias Node = PipeWireStreamTracker.Node

    /// The condition for which the links wait.
    ///
    /// Exit of each case: the next one; linking starts over -> `routes`.
    private enum Stage: Hashable {
        /// The cards must switch to the chosen routes: before that, a sink still has another route. Each card is
        /// asked once.
        case routes(requested: Set<Int>)
        /// The devices' ports must exist at the end of a burst: in the middle of a burst, some of them may be missing.
        case layout
        /// The ports of our own node must exist; `counts` holds the number of channels for each target.
        case ports(counts: [Int])
        /// The server must make the links. Exit: it has made them, and this value ends.
        case binding

        var awaited: String {
            switch self {
            case .routes: "the card to switch to the chosen route"
            case .layout: "the device's ports; is a session manager (wireplumber) running?"
            case .ports: "the stream's own ports"
            case .binding: "the server to make the links"
            }
        }
    }

    /// A device's port accepts 128 links; after this many refusals, the refusal counts as final.
    private static let mostRefusals = 3

    private var stage = Stage.routes(requested: [])
    /// Why linking started over; empty if it did not.
    private let trouble: String
    /// How often in a row the server has refused a link between existing ports.
    let refusals: Int

    /// - Parameter trouble: why linking starts over.
    init(after trouble: String = "", refusals: Int = 0) {
        self.trouble = trouble
        self.refusals = refusals
    }

    /// The condition for which linking waits, and why it started over before.
    var awaited: String { stage.awaited + (trouble.isEmpty ? "" : "; before, " + trouble) }

    /// Advances as far as the facts allow.
    ///
    /// - Parameters:
    ///   - node: the stream's own node.
    ///   - isSettled: whether the facts are one consistent state.
    /// - Returns: what follows; nothing follows a last `giveUp`.
    mutating func advance(
        from node: inout Node, to targets: [Target], in facts: PipeWireInventory, isSettled: Bool
    ) -> [Action] {
        switch stage {
        case .binding: return []
        case .routes(let requested):
            let (isSwitched, actions) = switchRoutes(of: targets, requested, in: facts)
            guard isSwitched else { return actions }
            stage = .layout
        case .layout:
            let channels = targets.map { facts.devicePorts(ofNode: $0.nodeID).map(\.channel) }
            guard isSettled, channels.allSatisfy({ !$0.isEmpty }) else { return [] }
            let total = channels.joined().count
            guard total <= PipeWireInventory.mostChannels else {
                return [
                    .giveUp(
                        "the ports have more than \(PipeWireInventory.mostChannels) channels together; link to fewer of"
                            + " them")
                ]
            }
            stage = .ports(counts: channels.map(\.count))
            // The device's own layout, so that nothing is mixed up or down.
            let layout = channels.count == 1 ? channels[0] : (0..<total).map { "AUX\($0)" }
            guard node.channels == layout else {
                node = .made(channels: layout, id: nil)
                return [.makeNode(channels: layout)]
            }
        case .ports(let counts): return makeLinks(from: node, to: targets, counts, in: facts)
        }
        return advance(from: &node, to: targets, in: facts, isSettled: isSettled)
    }

    private mutating func switchRoutes(
        of targets: [Target], _ requested: Set<Int>, in facts: PipeWireInventory
    ) -> (isSwitched: Bool, [Action]) {
        var (requested, isSwitched, actions) = (requested, true, [Action]())
        for (index, target) in targets.enumerated() {
            guard let route = target.routeIndex else { continue }
            guard let node = facts.nodes[target.nodeID], let cardDevice = node.cardDevice,
                let device = node.deviceID.flatMap({ facts.devices[$0] })
            else {
                isSwitched = false
                continue
            }
            guard device.activeRoutes[cardDevice] != route else { continue }
            isSwitched = false
            guard requested.insert(index).inserted else { continue }
            actions.append(.setRoute(deviceID: device.id, cardDevice: cardDevice, routeIndex: route))
        }
        stage = .routes(requested: requested)
        return (isSwitched, actions)
    }

    private mutating func makeLinks(
        from node: Node, to targets: [Target], _ counts: [Int], in facts: PipeWireInventory
    ) -> [Action] {
        guard let nodeID = node.id, let direction = targets.first.flatMap({ facts.nodes[$0.nodeID]?.direction }) else {
            return []
        }
        guard refusals < Self.mostRefusals else {
            return [
                .giveUp("the device takes no more streams; end other programs that use it (\(trouble.prefix(90)))")
            ]
        }
        let ours = facts.ports(ofNode: nodeID, inputs: direction == .input)
        guard ours.count == node.channels.count else { return [] }
        var actions: [Action] = []
        for (index, target) in targets.enumerated() {
            let theirs = facts.devicePorts(ofNode: target.nodeID)
            guard theirs.count == counts[index] else {
                self = Self(after: "the device changed its channels meanwhile", refusals: refusals)
                return [.startOver]
            }
            for (our, their) in zip(ours[actions.count...], theirs) {
                actions.append(.addLink(target: index, ourPort: our.id, theirPort: their.id))
            }
        }
        stage = .binding
        return actions
    }
}
