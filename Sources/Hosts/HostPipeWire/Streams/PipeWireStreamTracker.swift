/// Decides how a stream is linked, and what the session receives when its links, ports or node change.
///
/// Pure. The shim has already closed the gate, paused the stream and unlinked it when a loss is reported here.
///
/// `PipeWireLinkMaking` makes the links, in stages. Facts show when a stage is complete: `advance` is called after each fact.
package struct PipeWireStreamTracker: Hashable, Sendable {
    /// A port to which the stream is to be linked.
    package struct Target: Hashable, Sendable {
        package var uid: String
        package var nodeID: UInt32
        package var serial: UInt64
        /// nil for a node without routes.
        package var routeIndex: Int32?
    }

    package enum Link: Hashable, Sendable {
        /// Exits: `awaiting`, `linking`.
        case unlinked
        /// Waits for a headset's profile with these ports. Exits: the ports exist -> `linking`; one of them disappears, or a running
        /// stream waits too long -> `unlinked`.
        case awaiting([String])
        /// Exits: `linked`; unlinked, lost or failed -> `unlinked`. If a link or a port disappears while the device stays, linking
        /// starts over: the device's ports may still be on their way.
        case linking([Target], PipeWireLinkMaking = .init())
        /// Exits: unlinked, lost or failed -> `unlinked`; a link is removed -> `cut`. `remaking`: a starting session manager
        /// creates all ports again, so the links are made again; the session is not told.
        case linked([Target], remaking: PipeWireLinkMaking? = nil)
        /// A link was removed while its ports existed. The removal of a device also begins like this, so the end of the burst
        /// decides. Exit: a node, port or route disappears, or the burst ends -> `unlinked`.
        case cut([Target], first: Int)

        var targets: [Target] {
            switch self {
            case .unlinked, .awaiting: []
            case .linking(let targets, _), .linked(let targets, _), .cut(let targets, _): targets
            }
        }

        /// The progress of the links that are being made; nil if none are.
        fileprivate(set) var making: PipeWireLinkMaking? {
            get {
                switch self {
                case .linking(_, let making): making
                case .linked(_, let making): making
                case .unlinked, .awaiting, .cut: nil
                }
            }
            set {
                switch self {
                case .linking(let targets, _): if let newValue { self = .linking(targets, newValue) }
                case .linked(let targets, _): self = .linked(targets, remaking: newValue)
                case .unlinked, .awaiting, .cut: break
                }
            }
        }
    }

    /// The stream's own node.
    package enum Node: Hashable, Sendable {
        /// No node exists. Exit: the layout is known -> `made`.
        case none
        /// The node has these channels. `id` is nil until the server has named the node. Exit: the node is removed -> `none`.
        case made(channels: [String], id: UInt32?)

        var id: UInt32? { if case .made(_, let id) = self { id } else { nil } }
        var channels: [String] { if case .made(let channels, _) = self { channels } else { [] } }
    }

    /// Why a link ended.
    package struct LinkEnd: Hashable, Sendable {
        package enum Cause: Hashable, Sendable { case route, removed, failed }

        package var target: Int
        package var cause: Cause
        /// Whether the server had made the link.
        package var wasBound = true
        package var ports: [UInt32] = []
        package var words = ""
    }

    /// Whether another program keeps the stream silent although its ports exist.
    package enum Hold: Hashable, Sendable {
        /// Exits: cut or paused by others -> `held`; no session manager -> `unserved`.
        case none
        /// Exits: linked or run by others -> `released`; linked by us, lost or failed -> `none`.
        case held
        /// No session manager runs, and the device has no ports. Exits: a session manager appears, or we link, lose or fail -> `none`.
        case unserved
        /// Other programs may still be linking, channel by channel. Exits: no facts for a while and we are linked -> `none`; paused
        /// by others -> `held`.
        case released
    }

    package enum Action: Hashable, Sendable {
        case tellLost(portUID: String)
        case tellHeld
        case tellReleased
        case closeGate
        /// The answer is `lost`.
        case loseRoute(target: Int)
        case followRoute(target: Int, routeIndex: Int32)
        case destroyLink(id: UInt32)
        case setRoute(deviceID: UInt32, cardDevice: Int32, routeIndex: Int32)
        /// Several devices have no common channel layout; the node gets numbered channels for them.
        case makeNode(channels: [String])
        case addLink(target: Int, ourPort: UInt32, theirPort: UInt32)
        case openGate
        /// The shim watches the targets again; `advance` follows at the end of the burst that starts here.
        case startOver
        /// The links cannot be made. The answer is `failed`.
        case giveUp(String)
        /// Replaces an earlier timer; `timedOut` follows.
        case startTimer(milliseconds: UInt64)
        case stopTimer
        /// The answer is `failed` or `lacksManager`.
        case abortLink
        /// The headset does not change its profile. The answer is `failed`.
        case giveUpProfile
    }

    /// A graph that changes its rate or its driver also pauses its nodes: for 1.4 to 2.1 ms as measured, and longer if hardware
    /// must be opened again.
    static let pauseMilliseconds: UInt64 = 100
    static let linkMilliseconds: UInt64 = 2000
    /// A headset needs a few seconds to change its profile.
    static let profileMilliseconds: UInt64 = 8000

    package private(set) var link = Link.unlinked
    package private(set) var hold = Hold.none
    /// Starts with a layout that fits most sinks; the layout stage makes another node if it does not fit.
    package private(set) var node = Node.made(channels: ["FL", "FR"], id: nil)

    // MARK: Our own calls

    package mutating func beginLink(to targets: [Target]) -> [Action] {
        link = .linking(targets)
        if hold == .held || hold == .unserved { hold = .none }
        return [.startTimer(milliseconds: Self.linkMilliseconds)]
    }

    /// Waits for ports; a stream that does not run waits without a limit, because its headset keeps its profile.
    package mutating func awaitPorts(_ portUIDs: [String], isRunning: Bool) -> [Action] {
        link = .awaiting(portUIDs)
        if hold == .held || hold == .unserved { hold = .none }
        return isRunning ? [.startTimer(milliseconds: Self.profileMilliseconds)] : [.stopTimer]
    }

    package func started() -> [Action] {
        if case .awaiting = link { [.startTimer(milliseconds: Self.profileMilliseconds)] } else { [] }
    }

    /// Unlinks the stream; a hold that was reported continues, because its end must be reported too.
    package mutating func unlink() -> [Action] {
        link = .unlinked
        return [.stopTimer]
    }

    // MARK: The stream's facts

    package mutating func named(nodeID: UInt32) {
        if case .made(let channels, _) = node { node = .made(channels: channels, id: nodeID) }
    }

    /// Handles a node that the server has removed, or that could not be created.
    package mutating func lostNode() { node = .none }

    /// Handles the completion of all links of the node.
    package mutating func linked(nodeID: UInt32) -> [Action] {
        named(nodeID: nodeID)
        switch link {
        case .unlinked, .awaiting, .cut, .linked(_, remaking: nil): return []
        case .linking(let targets, _):
            link = .linked(targets)
            return [.openGate, .stopTimer]
        case .linked(let targets, _):
            link = .linked(targets)
            return [.openGate]
        }
    }

    /// - Parameter managerStarts: whether a session manager may create all ports again.
    package mutating func linkEnded(
        _ end: LinkEnd, in facts: PipeWireInventory, managerStarts: Bool
    ) -> [Action] {
        let endsExist = end.ports.allSatisfy { facts.port($0) != nil }
        let isLinked = if case .linked = link { true } else { false }
        let mayReturn = link.making != nil || isLinked && managerStarts
        if end.cause != .route, mayReturn {
            let isRefusal = end.cause == .failed && !end.wasBound && endsExist
            link.making = .init(after: end.words, refusals: (link.making?.refusals ?? 0) + (isRefusal ? 1 : 0))
            return [.startOver]
        }
        return end.cause == .removed && endsExist ? cut(target: end.target) : lost(target: end.target)
    }

    /// Handles the loss or failure of the target's route, of a port of its node, or of one of our ports.
    package mutating func lost(target: Int) -> [Action] {
        let targets = link.targets
        link = .unlinked
        hold = .none
        guard targets.indices.contains(target) else { return [.stopTimer] }
        return [.stopTimer, .tellLost(portUID: targets[target].uid)]
    }

    /// Handles the removal of the link to the target; as far as is known so far, its ports exist.
    package mutating func cut(target: Int) -> [Action] {
        guard case .linked(let targets, _) = link else { return lost(target: target) }
        if hold == .held {
            // The stream was paused before, and the session was told.
            link = .unlinked
            return []
        }
        link = .cut(targets, first: target)
        hold = .none
        return [.stopTimer]
    }

    package mutating func failed() -> [Action] {
        hold = .none
        return unlink()
    }

    /// Makes the aborted link wait until a session manager runs again.
    package mutating func lacksManager() -> [Action] {
        link = .unlinked
        hold = .unserved
        return [.stopTimer, .tellHeld]
    }

    package mutating func managerCame() -> [Action] {
        guard hold == .unserved else { return [] }
        hold = .none
        return [.tellReleased]
    }

    package mutating func paused() -> [Action] {
        if case .linked = link { [.startTimer(milliseconds: Self.pauseMilliseconds)] } else { [] }
    }

    /// Handles a link that takes too long, or a pause that has lasted.
    ///
    /// The links of a paused stream stay: if no policy caused the pause, the stream runs again by itself and is reported as released.
    package mutating func timedOut() -> [Action] {
        switch link {
        case .unlinked, .cut: return []
        case .awaiting: return [.giveUpProfile]
        case .linking: return [.abortLink]
        case .linked:
            guard hold != .held else { return [] }
            hold = .held
            return [.closeGate, .tellHeld]
        }
    }

    package mutating func running() -> [Action] {
        let actions: [Action] = if case .linked = link { [.stopTimer] } else { [] }
        return actions + release()
    }

    /// The targets to which a stream without progress must be linked again; nil if the stream is held or not linked.
    package var standingTargets: [Target]? {
        if case .linked(let targets, _) = link, hold != .held { targets } else { nil }
    }

    /// Ignores pauses while a session manager starts, because its start also pauses streams.
    package func managerStarts() -> [Action] { if case .linked = link { [.stopTimer] } else { [] } }

    /// Stops the timer: a stream that does not run is not paused by another program.
    package func stopped() -> [Action] {
        switch link {
        case .linked, .awaiting: [.stopTimer]
        case .unlinked, .linking, .cut: []
        }
    }

    /// Destroys a link that the session did not request: the session receives the release and links to the ports of its choice.
    package mutating func linkedByOthers(linkID: UInt32) -> [Action] {
        hold == .none ? [] : [.destroyLink(id: linkID)] + release()
    }

    // MARK: The server's facts

    package mutating func nodeRemoved(_ id: UInt32) -> [Action] {
        link.targets.firstIndex { $0.nodeID == id }.map { lost(target: $0) } ?? []
    }

    /// Handles a removed port, even if another port replaces it: the link was lost with the port, and no policy removed it.
    package mutating func portRemoved(ofNode id: UInt32) -> [Action] {
        guard case .cut(let targets, let first) = link else { return [] }
        return id == node.id
            ? lost(target: first) : targets.firstIndex { $0.nodeID == id }.map { lost(target: $0) } ?? []
    }

    package mutating func routesChanged(ofDevice id: UInt32, in facts: PipeWireInventory) -> [Action] {
        var actions: [Action] = []
        var targets = link.targets
        for index in targets.indices {
            guard let route = targets[index].routeIndex, let node = facts.nodes[targets[index].nodeID],
                node.deviceID == id, let device = facts.devices[id]
            else { continue }
            guard let followed = device.routeFollowed(from: route, on: node) else {
                if case .cut = link { return lost(target: index) }
                return [.loseRoute(target: index)]
            }
            // While linking, the card may not have made the requested switch yet.
            if case .linking = link { continue }
            guard followed != route else { continue }
            targets[index].routeIndex = followed
            actions.append(.followRoute(target: index, routeIndex: followed))
        }
        switch link {
        case .unlinked, .awaiting, .linking: break
        case .linked(_, let making): link = .linked(targets, remaking: making)
        case .cut(_, let first): link = .cut(targets, first: first)
        }
        return actions
    }

    package mutating func settled(in facts: PipeWireInventory) -> [Action] {
        if case .awaiting(let uids) = link, let missing = uids.first(where: { facts.location(uid: $0) == nil }) {
            link = .unlinked
            return [.stopTimer, .tellLost(portUID: missing)]
        }
        guard case .cut(let targets, let first) = link else { return [] }
        guard targets.allSatisfy(facts.isActive) else { return lost(target: first) }
        link = .unlinked
        hold = .held
        return [.tellHeld]
    }

    package mutating func rested() {
        guard hold == .released, !link.targets.isEmpty else { return }
        hold = .none
    }

    // MARK: Making links

    /// The condition for which linking waited, and why it started over before.
    package var awaited: String? { link.making?.awaited }

    /// Advances the links that are being made, as far as the facts allow.
    ///
    /// - Parameter isSettled: whether the facts are one consistent state.
    package mutating func advance(in facts: PipeWireInventory, isSettled: Bool) -> [Action] {
        guard var making = link.making else { return [] }
        let actions = making.advance(from: &node, to: link.targets, in: facts, isSettled: isSettled)
        link.making = making
        if case .giveUp? = actions.last { link = .unlinked }
        return actions
    }

    private mutating func release() -> [Action] {
        guard hold == .held else { return [] }
        hold = .released
        return [.tellReleased]
    }
}

extension PipeWireInventory {
    /// Whether the node exists and is switched to the target's route.
    fileprivate func isActive(_ target: PipeWireStreamTracker.Target) -> Bool {
        // Ids are reused, serials are not.
        guard let node = nodes[target.nodeID], node.serial == target.serial else { return false }
        guard let index = target.routeIndex else { return true }
        guard let device = node.deviceID.flatMap({ devices[$0] }), let cardDevice = node.cardDevice else {
            return false
        }
        return device.activeRoutes[cardDevice] == index
            && device.routes?.contains { $0.index == index && $0.isAvailable } == true
    }
}
