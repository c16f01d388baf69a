package import AudioModel

/// The order in which the connected ports have come.
///
/// The ports of one inventory arrive together, in its order; so do the ports of the first inventory. A port that leaves
/// and returns becomes the last one.
package struct ArrivalOrder: Hashable, Sendable {
    /// Oldest first; each group arrived with one inventory.
    private var groups: [[PortIdentity]] = []

    package init() {}

    package mutating func note(_ inventory: Inventory) {
        let present = inventory.ports.map(PortIdentity.init)
        let stillThere = Set(present)
        groups = groups.map { $0.filter(stillThere.contains) }.filter { !$0.isEmpty }
        let known = Set(groups.joined())
        let arrivals = present.filter { !known.contains($0) }
        if !arrivals.isEmpty { groups.append(arrivals) }
    }

    /// The ports in order of arrival; ports that were not noted come last, in the order given.
    package func sorted(_ ports: [Port]) -> [Port] {
        let known = groups.joined().compactMap { identity in ports.first { PortIdentity($0) == identity } }
        return known + ports.filter { !known.contains($0) }
    }

    /// The ports of the newest group, in the order given; all ports if none was noted.
    package func newest(of ports: [Port]) -> [Port] {
        for group in groups.reversed() {
            let members = ports.filter { group.contains(PortIdentity($0)) }
            if !members.isEmpty { return members }
        }
        return ports
    }
}
