internal import AudioModel
internal import HostInterface

/// Decides how a stream is linked, and what the session is told when its links, ports or node change.
///
/// Pure. The shim has closed the gate, paused the stream and unlinked it before a loss gets here.
///
/// A link is made in stages (`Stage`). What a stage waits for is in the facts: `advance` is called after each of them.
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
        /// Exits: `linked`; unlinked, lost or failed -> `unlinked`. A link or a port that goes while the device stays starts it
        /// over: its ports may be on their way.
        case linking([Target], Making = Making())
        /// Exits: unlinked, lost or failed -> `unlinked`; a link removed -> `cut`. `remaking`: a session manager that starts
        /// makes all ports again, and so are the links; the session knows nothing of it.
        case linked([Target], remaking: Making? = nil)
        /// A link was removed while its ports were there. A removed device begins like that too, so that the burst's end
        /// decides. Exit: a node, port or route goes, or the burst ends -> `unlinked`.
        case cut([Target], first: Int)

        var targets: [Target] {
            switch self {
            case .unlinked, .awaiting: []
            case .linking(let targets, _), .linked(let targets, _), .cut(let targets, _): targets
            }
        }

        /// How far the links are that are being made; nil where none are.
        fileprivate(set) var making: Making? {
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

    /// Links that are being made.
    package struct Making: Hashable, Sendable {
        var stage = Stage.routes(requested: [])
        /// Why they were started over; empty where they were not.
        var trouble = ""
        /// Of links between ports that are there, one after the other.
        var refusals = 0
    }

    /// What the links wait for.
    ///
    /// Exit of each: the next one; started over -> `routes`.
    package enum Stage: Hashable, Sendable {
        /// The cards to switch to the chosen routes: before that, a sink is still something else. Each is asked once.
        case routes(requested: Set<Int>)
        /// The devices' ports, at the end of a burst: in the middle of it only some of them are there.
        case layout
        /// The ports of our own node, which has so many channels for each target.
        case ports(counts: [Int])
        /// The server to make the links. Exit: it has -> `linked`.
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

    /// The stream's own node.
    package enum Node: Hashable, Sendable {
        /// There is none. Exit: layout -> `made`.
        case none
        /// It has these channels. `id` is nil until the server has named it. Exit: taken away -> `none`.
        case made(channels: [String], id: UInt32?)

        var id: UInt32? { if case .made(_, let id) = self { id } else { nil } }
        var channels: [String] { if case .made(let channels, _) = self { channels } else { [] } }
    }

    /// Why a link ended.
    package struct LinkEnd: Hashable, Sendable {
        package enum Cause: Hashable, Sendable { case route, removed, failed }

        package var target: Int
        package var cause: Cause
        /// The server had made it.
        package var wasBound = true
        package var ports: [UInt32] = []
        package var words = ""
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
        case setRoute(deviceID: UInt32, cardDevice: Int32, routeIndex: Int32)
        /// Several devices have no common room, and get numbered channels.
        case makeNode(channels: [String])
        case addLink(target: Int, ourPort: UInt32, theirPort: UInt32)
        case openGate
        /// The shim watches the targets again; `advance` follows at the end of the burst that begins here.
        case startOver
        /// The links cannot be made. Answered by `failed`.
        case giveUp(String)
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
    /// A guess that fits most sinks; the layout makes another where it does not.
    package private(set) var node = Node.made(channels: ["FL", "FR"], id: nil)

    /// A port of a device takes 128 links; what is refused so often is refused for good.
    private static let mostRefusals = 3

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

    package mutating func named(nodeID: UInt32) {
        if case .made(let channels, _) = node { node = .made(channels: channels, id: nodeID) }
    }

    /// The server has taken the node away, or it could not be made.
    package mutating func lostNode() { node = .none }

    /// All links of the node are made.
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

    /// - Parameter managerStarts: a session manager may make all ports again.
    package mutating func linkEnded(
        _ end: LinkEnd, in facts: PipeWireInventory, managerStarts: Bool
    ) -> [Action] {
        let endsExist = end.ports.allSatisfy { facts.port($0) != nil }
        let isLinked = if case .linked = link { true } else { false }
        let mayReturn = link.making != nil || isLinked && managerStarts
        if end.cause != .route, mayReturn {
            let isRefusal = end.cause == .failed && !end.wasBound && endsExist
            return startOver(end.words, refusals: (link.making?.refusals ?? 0) + (isRefusal ? 1 : 0))
        }
        return end.cause == .removed && endsExist ? cut(target: end.target) : lost(target: end.target)
    }

    private mutating func startOver(_ words: String, refusals: Int) -> [Action] {
        var making = Making()
        (making.trouble, making.refusals) = (words, refusals)
        link.making = making
        return [.startOver]
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
        guard case .linked(let targets, _) = link else { return lost(target: target) }
        if hold == .held {
            // It was paused before, and told so.
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
            // While the link is made, the switch that it asks for may not have happened yet.
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

    // MARK: The stages of a link

    /// What a link waited for, and why it was started over before.
    package var awaited: String? {
        link.making.map { $0.stage.awaited + ($0.trouble.isEmpty ? "" : "; before, " + $0.trouble) }
    }

    /// Goes on with the links that are being made, as far as the facts allow.
    ///
    /// - Parameter isSettled: the facts are one consistent state.
    package mutating func advance(in facts: PipeWireInventory, isSettled: Bool) -> [Action] {
        switch link.making?.stage {
        case nil, .binding: return []
        case .routes(let requested):
            let (isSwitched, actions) = switchRoutes(requested, in: facts)
            guard isSwitched else { return actions }
            link.making?.stage = .layout
        case .layout:
            let channels = link.targets.map { facts.devicePorts(ofNode: $0.nodeID).map(\.channel) }
            guard isSettled, channels.allSatisfy({ !$0.isEmpty }) else { return [] }
            return layOut(channels) + advance(in: facts, isSettled: isSettled)
        case .ports(let counts): return makeLinks(counts, in: facts)
        }
        return advance(in: facts, isSettled: isSettled)
    }

    private mutating func switchRoutes(
        _ requested: Set<Int>, in facts: PipeWireInventory
    ) -> (isSwitched: Bool, [Action]) {
        var (requested, isSwitched, actions) = (requested, true, [Action]())
        for (index, target) in link.targets.enumerated() {
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
        link.making?.stage = .routes(requested: requested)
        return (isSwitched, actions)
    }

    /// The stream takes the device's own layout, so that nothing is mixed up or down.
    private mutating func layOut(_ channels: [[String]]) -> [Action] {
        let total = channels.joined().count
        guard total <= PipeWireInventory.mostChannels else {
            link = .unlinked
            return [
                .giveUp(
                    "the ports have more than \(PipeWireInventory.mostChannels) channels together; link to fewer of"
                        + " them")
            ]
        }
        link.making?.stage = .ports(counts: channels.map(\.count))
        let layout = channels.count == 1 ? channels[0] : (0..<total).map { "AUX\($0)" }
        guard node.channels != layout else { return [] }
        node = .made(channels: layout, id: nil)
        return [.makeNode(channels: layout)]
    }

    private mutating func makeLinks(_ counts: [Int], in facts: PipeWireInventory) -> [Action] {
        guard let making = link.making, let nodeID = node.id,
            let direction = link.targets.first.flatMap({ facts.nodes[$0.nodeID]?.direction })
        else { return [] }
        guard making.refusals < Self.mostRefusals else {
            link = .unlinked
            return [
                .giveUp(
                    "the device takes no more streams; end other programs that use it (\(making.trouble.prefix(90)))")
            ]
        }
        let ours = facts.ports(ofNode: nodeID, inputs: direction == .input)
        guard ours.count == node.channels.count else { return [] }
        var actions: [Action] = []
        for (index, target) in link.targets.enumerated() {
            let theirs = facts.devicePorts(ofNode: target.nodeID)
            guard theirs.count == counts[index] else {
                return startOver("the device changed its channels meanwhile", refusals: making.refusals)
            }
            for (our, their) in zip(ours[actions.count...], theirs) {
                actions.append(.addLink(target: index, ourPort: our.id, theirPort: their.id))
            }
        }
        link.making?.stage = .binding
        return actions
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
