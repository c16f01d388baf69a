/// Everything a host knows about its ports at one instant.
package struct Inventory: Hashable, Sendable {
    /// The ports that are connected and available, best first (the order in which a host would fall back).
    package var ports: [Port]
    /// Where the host's own policy sends sound now; nil when it names none, or one that is not in `ports`.
    package var defaultOutputUID: String?
    package var defaultInputUID: String?
    /// The uids of outputs that one sink switches between (a card's speaker and its jack, say): of each group only one
    /// sounds at a time.
    package var alternatives: [[String]]

    package init(
        ports: [Port] = [], defaultOutputUID: String? = nil, defaultInputUID: String? = nil,
        alternatives: [[String]] = []
    ) {
        self.ports = ports
        self.defaultOutputUID = defaultOutputUID
        self.defaultInputUID = defaultInputUID
        self.alternatives = alternatives
    }

    package static let empty = Inventory()

    package func port(uid: String) -> Port? { ports.first { $0.uid == uid } }
    package var outputs: [Port] { ports.filter { $0.direction == .output } }
    package var inputs: [Port] { ports.filter { $0.direction == .input } }
}
