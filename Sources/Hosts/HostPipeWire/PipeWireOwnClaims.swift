/// Which claims of ours the server has: one is granted when what all earlier claims say is known.
///
/// Pure. A claim's node has an id on the connection that made it, and comes with its serial on the other one. Ids are used
/// again, and two connections have no common order: a claim may find the node that had its id before. The removal of that
/// node comes before the end of the round trip, and the right node too.
package struct PipeWireOwnClaims: Hashable, Sendable {
    private enum Stage: Hashable {
        /// Exit: its node is in the registry -> `found`.
        case named(nodeID: UInt32)
        /// Nodes come in the order of their serials: those before it have asked for their properties, which the round trip
        /// lets arrive. Exits: its answer -> `granted`; the node is removed -> `named`.
        case found(nodeID: UInt32, serial: UInt64, sync: Int32?)
        case granted
    }

    package struct Grant: Hashable, Sendable {
        package var tag: UInt64
        package var serial: UInt64
    }

    /// By tag.
    private var claims: [UInt64: Stage] = [:]
    /// Of all claims in the registry, by the ids of their nodes.
    private var serials: [UInt32: UInt64] = [:]

    package init() {}

    /// - Returns: whether a round trip is to be asked for, as in `named`.
    package mutating func announced(nodeID: UInt32, serial: UInt64) -> Bool {
        serials[nodeID] = serial
        return find()
    }

    /// The server has given our claim this node; may come again.
    package mutating func named(_ tag: UInt64, nodeID: UInt32) -> Bool {
        if claims[tag] == nil { claims[tag] = .named(nodeID: nodeID) }
        return find()
    }

    private mutating func find() -> Bool {
        var hasFound = false
        for case (let tag, .named(let nodeID)) in claims {
            guard let serial = serials[nodeID] else { continue }
            claims[tag] = .found(nodeID: nodeID, serial: serial, sync: nil)
            hasFound = true
        }
        return hasFound
    }

    /// The number of the round trip.
    package mutating func asked(_ seq: Int32) {
        for case (let tag, .found(let nodeID, let serial, nil)) in claims {
            claims[tag] = .found(nodeID: nodeID, serial: serial, sync: seq)
        }
    }

    /// In the order of the tags.
    package mutating func synced(_ seq: Int32) -> [Grant] {
        var grants: [Grant] = []
        for case (let tag, .found(_, let serial, seq)) in claims {
            claims[tag] = .granted
            grants.append(Grant(tag: tag, serial: serial))
        }
        return grants.sorted { $0.tag < $1.tag }
    }

    package mutating func removed(serial: UInt64) {
        serials = serials.filter { $0.value != serial }
        for case (let tag, .found(let nodeID, serial, _)) in claims { claims[tag] = .named(nodeID: nodeID) }
    }

    /// It failed, or is taken down.
    ///
    /// - Returns: whether it was granted.
    @discardableResult
    package mutating func forget(_ tag: UInt64) -> Bool { claims.removeValue(forKey: tag) == .granted }
}
