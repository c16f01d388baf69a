/// The claims of ours that the server has: a claim is granted when the contents of all earlier claims are known.
///
/// Pure. A claim's node has an id on the connection that made it, and appears with its serial on the other connection. Ids are
/// reused, and two connections have no common order: a claim may be matched with the node that had its id before. That node's
/// removal, and then the right node, arrive before the end of the round trip.
package struct PipeWireOwnClaims: Hashable, Sendable {
    private enum Stage: Hashable {
        /// Exit: its node appears in the registry -> `found`.
        case named(nodeID: UInt32)
        /// Nodes appear in the order of their serials: earlier nodes have already requested their properties, and the round trip
        /// lets these arrive. Exits: its answer -> `granted`; the node is removed -> `named`.
        case found(nodeID: UInt32, serial: UInt64, sync: Int32?)
        case granted
    }

    package struct Grant: Hashable, Sendable {
        package var tag: UInt64
        package var serial: UInt64
    }

    /// The claims by tag.
    private var claims: [UInt64: Stage] = [:]
    /// The serials of all claims in the registry, by node id.
    private var serials: [UInt32: UInt64] = [:]

    package init() {}

    /// - Returns: whether to request a round trip, as in `named`.
    package mutating func announced(nodeID: UInt32, serial: UInt64) -> Bool {
        serials[nodeID] = serial
        return find()
    }

    /// Records the node that the server has given our claim; may be called again for the same claim.
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

    /// Records the number of the round trip.
    package mutating func asked(_ seq: Int32) {
        for case (let tag, .found(let nodeID, let serial, nil)) in claims {
            claims[tag] = .found(nodeID: nodeID, serial: serial, sync: seq)
        }
    }

    /// - Returns: the claims that are granted now, in the order of the tags.
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

    /// Forgets a claim that failed or is withdrawn.
    ///
    /// - Returns: whether it was granted.
    @discardableResult
    package mutating func forget(_ tag: UInt64) -> Bool { claims.removeValue(forKey: tag) == .granted }
}
