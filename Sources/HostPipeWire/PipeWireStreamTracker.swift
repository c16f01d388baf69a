internal import AudioModel
internal import HostInterface

/// Decides what the session is told when a stream's links, ports or node change.
///
/// Pure. The shim has closed the gate, paused the stream and unlinked it before a loss gets here.
package struct PipeWireStreamTracker: Hashable, Sendable {
    /// One port that the stream is to be linked to.
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
        /// For the profile of a headset that has these ports. Exits: they are there -> `linking`; one of them goes, or the
        /// wait of a stream that runs takes too long -> `unlinked`.
        case awaiting([String])
        /// Exits: `linked`; unlinked, lost or failed -> `unlinked`.
        case linking([Target])
        /// Exits: unlinked, lost or failed -> `unlinked`; a link removed -> `cut`.
        case linked([Target], nodeID: UInt32)
        /// A link was removed while its ports were there. A removed device begins like that too, so that the burst's end
        /// decides. Exit: a node, port or route goes, or the burst ends -> `unlinked`.
        case cut([Target], first: Int, nodeID: UInt32)

        var targets: [Target] {
            switch self {
            case .unlinked, .awaiting: []
            case .linking(let targets), .linked(let targets, _), .cut(let targets, _, _): targets
            }
        }
    }

    /// Whether another program keeps the stream silent although its ports are there.
    package enum Hold: Hashable, Sendable {
        /// Exit: cut or paused by others -> `held`.
        case none
        /// Exits: linked or run by others -> `released`; linked by us, or lost -> `none`.
        case held
        /// No session manager runs, and the device has no ports. Exits: one comes, or linked by us -> `none`.
        case unserved
        /// Others may still be linking, channel by channel. Exit: the server rests while we are linked -> `none`.
        case released
    }

    package enum Action: Hashable, Sendable {
        case tellLost(portUID: String)
        case tellHeld
        case tellReleased
        case closeGate
        /// Answered by `lost`.
        case loseRoute(target: Int)
        case followRoute(target: Int, routeIndex: Int32)
        case destroyLink(id: UInt32)
        /// Replaces an earlier one; `timedOut` follows.
        case startTimer(milliseconds: UInt64)
        case stopTimer
        /// Answered by `failed`, or by `lacksManager`.
        case abortLink
        /// The headset does not change its profile. Answered by `failed`.
        case giveUpProfile
    }

    /// A graph that changes its rate or its driver pauses its nodes too: for 1.4 to 2.1 ms as measured, and longer where
    /// hardware has to be opened again.
    static let pauseMilliseconds: UInt64 = 100
    static let linkMilliseconds: UInt64 = 2000
    /// A headset's radio needs some seconds for another profile.
    static let profileMilliseconds: UInt64 = 8000

    package private(set) var link = Link.unlinked
    package private(set) var hold = Hold.none

    package init() {}

    // MARK: Our own calls

    package mutating func beginLink(to targets: [Target]) -> [Action] {
        link = .linking(targets)
        if hold == .held || hold == .unserved { hold = .none }
        return [.startTimer(milliseconds: Self.linkMilliseconds)]
    }

    /// A stream that does not run waits without a limit: its headset keeps the profile that it has.
    package mutating func awaitPorts(_ portUIDs: [String], isRunning: Bool) -> [Action] {
        link = .awaiting(portUIDs)
        if hold == .held || hold == .unserved { hold = .none }
        return isRunning ? [.startTimer(milliseconds: Self.profileMilliseconds)] : [.stopTimer]
    }

    package func started() -> [Action] {
        if case .awaiting = link { [.startTimer(milliseconds: Self.profileMilliseconds)] } else { [] }
    }

    /// A hold that was told goes on: its end is still to be told.
    package mutating func unlink() -> [Action] {
        link = .unlinked
        return [.stopTimer]
    }

    // MARK: The stream's facts

    package mutating func linked(nodeID: UInt32) -> [Action] {
        guard case .linking(let targets) = link else { return [] }
        link = .linked(targets, nodeID: nodeID)
        return [.stopTimer]
    }

    /// The target's route, or a port of its node's or of ours, is gone or has failed.
    package mutating func lost(target: Int) -> [Action] {
        let targets = link.targets
        link = .unlinked
        hold = .none
        guard targets.indices.contains(target) else { return [.stopTimer] }
        return [.stopTimer, .tellLost(portUID: targets[target].uid)]
    }

    /// The link to the target was removed; as far as is known by now, its ports are there.
    package mutating func cut(target: Int) -> [Action] {
        guard case .linked(let targets, let nodeID) = link else { return lost(target: target) }
        if hold == .held {
            // It was paused before, and told so.
            link = .unlinked
            return []
        }
        link = .cut(targets, first: target, nodeID: nodeID)
        hold = .none
        return [.stopTimer]
    }

    package mutating func failed() -> [Action] {
        hold = .none
        return unlink()
    }

    /// The link that was aborted waits until a session manager is there again.
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

    /// The link takes too long, or a pause has lasted: its links stay, so that what was no policy after all runs again by
    /// itself, and is told as released.
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

    /// What to link to again where the stream stands still; nil where it is held, or not linked.
    package var standingTargets: [Target]? {
        if case .linked(let targets, _) = link, hold != .held { targets } else { nil }
    }

    /// A session manager that starts pauses streams too.
    package func managerStarts() -> [Action] { if case .linked = link { [.stopTimer] } else { [] } }

    /// A stream that does not run is not paused by another program.
    package func stopped() -> [Action] {
        switch link {
        case .linked, .awaiting: [.stopTimer]
        case .unlinked, .linking, .cut: []
        }
    }

    /// The session did not ask for that link: it hears of the release, and links to the ports of its choice.
    package mutating func linkedByOthers(linkID: UInt32) -> [Action] {
        hold == .none ? [] : [.destroyLink(id: linkID)] + release()
    }

    // MARK: The server's facts

    package mutating func nodeRemoved(_ id: UInt32) -> [Action] {
        link.targets.firstIndex { $0.nodeID == id }.map { lost(target: $0) } ?? []
    }

    /// Also a port that another one replaces: the link was lost with it, not taken away.
    package mutating func portRemoved(ofNode id: UInt32) -> [Action] {
        guard case .cut(let targets, let first, let nodeID) = link else { return [] }
        return id == nodeID
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
            // While the link is made, the switch that it asks for may not have happened yet.
            if case .linking = link { continue }
            guard followed != route else { continue }
            targets[index].routeIndex = followed
            actions.append(.followRoute(target: index, routeIndex: followed))
        }
        switch link {
        case .unlinked, .awaiting, .linking: break
        case .linked(_, let nodeID): link = .linked(targets, nodeID: nodeID)
        case .cut(_, let first, let nodeID): link = .cut(targets, first: first, nodeID: nodeID)
        }
        return actions
    }

    package mutating func settled(in facts: PipeWireInventory) -> [Action] {
        if case .awaiting(let uids) = link, let missing = uids.first(where: { facts.location(uid: $0) == nil }) {
            link = .unlinked
            return [.stopTimer, .tellLost(portUID: missing)]
        }
        guard case .cut(let targets, let first, _) = link else { return [] }
        guard targets.allSatisfy(facts.isActive) else { return lost(target: first) }
        link = .unlinked
        hold = .held
        return [.tellHeld]
    }

    package mutating func rested() {
        guard hold == .released, !link.targets.isEmpty else { return }
        hold = .none
    }

    private mutating func release() -> [Action] {
        guard hold == .held else { return [] }
        hold = .released
        return [.tellReleased]
    }
}

extension PipeWireInventory {
    /// The node is there, and switched to the target's route.
    fileprivate func isActive(_ target: PipeWireStreamTracker.Target) -> Bool {
        // Ids are used again, serials never.
        guard let node = nodes[target.nodeID], node.serial == target.serial else { return false }
        guard let index = target.routeIndex else { return true }
        guard let device = node.deviceID.flatMap({ devices[$0] }), let cardDevice = node.cardDevice else {
            return false
        }
        return device.activeRoutes[cardDevice] == index
            && device.routes?.contains { $0.index == index && $0.isAvailable } == true
    }
}
