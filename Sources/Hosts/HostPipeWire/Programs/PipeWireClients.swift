internal import AudioModel

/// A node of any program with a claim or a stream, as the server and its maker describe it.
///
/// Every text is untrusted.
package struct PipeWireProgramNode: Hashable, Sendable {
    package var serial: UInt64
    package var nodeID: UInt32
    /// The client that made the node, as the server reports it; nil for a node that has outlived its maker.
    package var clientID: UInt32?
    package var isClaim = false
    package var isRunning = false
    /// The stream is muted, or its volume is 0.
    package var isSilent = false
    /// The node's properties, limited to `keys`.
    package var properties: [String: String] = [:]

    /// The properties that are read.
    static let keys = [
        "application.name", "application.process.binary", "application.process.host", "application.process.id",
        "audiosession.claim.category", "audiosession.claim.mode", "audiosession.claim.notifies-others",
        "audiosession.claim.options", "audiosession.claim.policy", "audiosession.claim.waiting", "audiosession.focus",
        "audiosession.guard.hands-over", "audiosession.guard.obeys", "audiosession.stream", "media.class", "media.role",
        "node.autoconnect",
        "node.dont-move", "node.dont-reconnect", "node.exclusive", "node.link-group", "node.name", "node.virtual",
        "object.linger", "resample.peaks", "stream.monitor",
    ]

    package func isTrue(_ key: String) -> Bool { properties[key] == "true" || properties[key] == "1" }

    /// Whether a session of this library made the node.
    package var isSession: Bool { properties["audiosession.stream"] != nil }
}

/// The server's clients including ourselves, and which nodes belong to other programs.
///
/// Pure. A node waits until our own client id is known; only then is it known as ours or another program's.
package struct PipeWireClients: Sendable {
    package struct Client: Hashable, Sendable {
        /// The process id as the server sees it, which may be in another namespace than ours; nil if the server does not report it.
        package var processID: UInt32?
        package var name: String?
    }

    /// Session managers have no common property that marks them; these are the two that have existed.
    private static let managerNames = ["WirePlumber", "pipewire-media-session"]

    private var clients: [UInt32: Client] = [:]
    private var managerID: UInt32?
    /// The metadata objects with the session manager's choices.
    ///
    /// A sandbox hides other clients, but not their metadata.
    private var metadata: Set<UInt32> = []
    private var linkFactoryID: UInt32?
    /// The client of the connection that has our nodes; nil until the server has reported it.
    package private(set) var ownID: UInt32?
    private var waiting: [PipeWireProgramNode] = []

    package init() {}

    /// - Returns: whether the object belongs to the session manager.
    package mutating func note(_ object: PipeWireObject) -> Bool {
        switch object {
        case .client(let id, let client):
            clients[id] = client
            guard client.name.map(Self.managerNames.contains) == true else { return false }
            managerID = id
            return true
        case .factory(let id, "link-factory"): linkFactoryID = id
        case .metadata(let id): return metadata.insert(id).inserted
        default: break
        }
        return false
    }

    /// - Returns: whether the object belonged to the session manager.
    package mutating func remove(_ id: UInt32) -> Bool {
        clients[id] = nil
        if linkFactoryID == id { linkFactoryID = nil }
        let wasManager = managerID == id
        if wasManager { managerID = nil }
        return metadata.remove(id) != nil || wasManager
    }

    /// The session manager's client; nil if none runs or it is hidden.
    package var manager: Client? { managerID.flatMap { clients[$0] } }

    /// Whether a session manager runs, which sets up the ports of devices.
    package var hasManager: Bool { managerID != nil || keepsTargets }

    /// Whether a session manager keeps the targets that are set for nodes.
    package var keepsTargets: Bool { !metadata.isEmpty }

    /// Whether the server lets this program make links.
    package var mayLink: Bool { linkFactoryID != nil }

    /// - Returns: the nodes that have waited for our own id.
    package mutating func learnOwnID(_ id: UInt32) -> [PipeWireProgramNode] {
        ownID = id
        defer { waiting = [] }
        return waiting
    }

    /// - Returns: the node, or nil if it waits.
    package mutating func admit(_ node: PipeWireProgramNode) -> PipeWireProgramNode? {
        guard ownID == nil else { return node }
        waiting.removeAll { $0.serial == node.serial }
        waiting.append(node)
        return nil
    }

    package mutating func forget(_ serial: UInt64) { waiting.removeAll { $0.serial == serial } }

    /// Whether the node belongs to another program.
    ///
    /// A claim does if it is not of our connection. A stream does if it is not of our connection, of a sound library in this process,
    /// or of a loopback or filter.
    package func isForeign(_ node: PipeWireProgramNode) -> Bool {
        if let id = node.clientID, id == ownID { return false }
        if node.isClaim { return true }
        // A node that outlives its maker belongs to no program.
        return !isBesideUs(node) && node.properties["node.link-group"] == nil && !node.isTrue("object.linger")
            && !node.isTrue("node.virtual")
    }

    /// Whether a sound library in this process made the node; such a library is not another program.
    ///
    /// Another session in this process does count as another program.
    private func isBesideUs(_ node: PipeWireProgramNode) -> Bool {
        guard let process = node.clientID.flatMap({ clients[$0]?.processID }) else { return false }
        return process == ownID.flatMap { clients[$0]?.processID } && !node.isSession
    }

    /// The process id: for a claim as the server reports it; for a stream as the node reports it, because a sound server's daemon
    /// is the client of many programs.
    package func processID(of node: PipeWireProgramNode) -> UInt32? {
        let said = node.isClaim ? nil : node.properties["application.process.id"].flatMap { UInt32($0) }
        return said.flatMap { $0 == 0 ? nil : $0 } ?? node.clientID.flatMap { clients[$0]?.processID }
    }

    package func name(of node: PipeWireProgramNode) -> String? {
        node.properties["application.name"] ?? node.clientID.flatMap { clients[$0]?.name }
    }
}

extension PipeWireClaim {
    package init(_ node: PipeWireProgramNode, name: String?) {
        self.init(
            serial: ClaimSerial(number: node.serial), clientID: node.clientID,
            category: node.properties["audiosession.claim.category"], mode: node.properties["audiosession.claim.mode"],
            policy: node.properties["audiosession.claim.policy"],
            options: node.properties["audiosession.claim.options"], name: name,
            isWaiting: node.isTrue("audiosession.claim.waiting"),
            notifiesOthers: node.isTrue("audiosession.claim.notifies-others"))
    }
}

extension PipeWireOtherStream {
    init(_ node: PipeWireProgramNode, name: String?) {
        self.init(
            serial: node.serial, nodeID: node.nodeID, clientID: node.clientID, isRunning: node.isRunning,
            isSilent: node.isSilent, role: node.properties["media.role"], name: name)
    }
}
