internal import AudioModel

/// A node with a claim or an output stream, of whichever program, as the server and its maker describe it.
///
/// Every text is untrusted.
package struct PipeWireProgramNode: Hashable, Sendable {
    package var serial: UInt64
    package var nodeID: UInt32
    /// The connection that made it, as the server says; nil for a node that has outlived its maker.
    package var clientID: UInt32?
    package var isClaim = false
    package var isRunning = false
    /// It is muted, or its volume is 0.
    package var isSilent = false
    /// Those among `keys` that it has.
    package var properties: [String: String] = [:]

    /// What is read of the properties.
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

    /// A session of this library made it.
    package var isSession: Bool { properties["audiosession.stream"] != nil }

    /// A guard's, and not a session's.
    package var isGuard: Bool { isClaim && properties["node.name"] == "audiosession.guard" }

    /// A stream that records; only guards see it.
    package var isCapture: Bool { properties["media.class"] == "Stream/Input/Audio" }

    /// It measures, and keeps nothing of what it hears.
    package var isMeter: Bool { isTrue("resample.peaks") || isTrue("stream.monitor") }

    /// The session manager links it, and moves it when its sink goes.
    package var isMovable: Bool {
        isTrue("node.autoconnect") && !isTrue("node.dont-reconnect") && !isTrue("node.dont-move")
            && !isTrue("node.exclusive")
    }
}

/// Who is connected to the server, ourselves among them, and which nodes are of other programs.
///
/// Pure. A node is known as ours or another's when we know who we are; until then it waits.
package struct PipeWireClients: Sendable {
    package struct Client: Hashable, Sendable {
        /// As the server sees it, which may be in another namespace than ours; nil where it does not.
        package var processID: UInt32?
        package var name: String?
    }

    /// Session managers carry no mark that all of them share; these are the two there have been.
    private static let managerNames = ["WirePlumber", "pipewire-media-session"]

    private var clients: [UInt32: Client] = [:]
    private var managerID: UInt32?
    /// The session manager's choices.
    ///
    /// A sandbox hides other clients, but not the metadata they keep.
    private var metadata: Set<UInt32> = []
    private var linkFactoryID: UInt32?
    /// Of the connection that has our nodes; nil until the server has said it.
    package private(set) var ownID: UInt32?
    private var waiting: [PipeWireProgramNode] = []

    package init() {}

    /// - Returns: whether it is of the session manager.
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

    /// - Returns: whether it was of the session manager.
    package mutating func remove(_ id: UInt32) -> Bool {
        clients[id] = nil
        if linkFactoryID == id { linkFactoryID = nil }
        let wasManager = managerID == id
        if wasManager { managerID = nil }
        return metadata.remove(id) != nil || wasManager
    }

    /// Its client; nil where there is none, or it is hidden.
    package var manager: Client? { managerID.flatMap { clients[$0] } }

    /// One runs, which sets up the ports of devices.
    package var hasManager: Bool { managerID != nil || keepsTargets }

    /// The session manager keeps the targets that are set for nodes.
    package var keepsTargets: Bool { !metadata.isEmpty }

    /// The server lets this program make links.
    package var mayLink: Bool { linkFactoryID != nil }

    /// - Returns: the nodes that have waited for it.
    package mutating func learnOwnID(_ id: UInt32) -> [PipeWireProgramNode] {
        ownID = id
        defer { waiting = [] }
        return waiting
    }

    /// - Returns: the node, or nil where it waits.
    package mutating func admit(_ node: PipeWireProgramNode) -> PipeWireProgramNode? {
        guard ownID == nil else { return node }
        waiting.removeAll { $0.serial == node.serial }
        waiting.append(node)
        return nil
    }

    package mutating func forget(_ serial: UInt64) { waiting.removeAll { $0.serial == serial } }

    /// Of another program: a claim not of our connection; a stream not of it, nor of a sound library in this process, nor of
    /// a loopback or filter.
    package func isForeign(_ node: PipeWireProgramNode) -> Bool {
        if let id = node.clientID, id == ownID { return false }
        if node.isClaim { return true }
        // A node that outlives its maker is no program.
        return !isBesideUs(node) && node.properties["node.link-group"] == nil && !node.isTrue("object.linger")
            && !node.isTrue("node.virtual")
    }

    /// A sound library beside us in this process is no other program.
    ///
    /// A session is.
    private func isBesideUs(_ node: PipeWireProgramNode) -> Bool {
        guard let process = node.clientID.flatMap({ clients[$0]?.processID }) else { return false }
        return process == ownID.flatMap { clients[$0]?.processID } && !node.isSession
    }

    /// The server's word for a claim; a sound server's daemon is the client of many programs, and says which.
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
