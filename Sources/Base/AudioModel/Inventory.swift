/// Everything a host knows about its ports at one instant.
package struct Inventory: Hashable, Sendable, Codable {
    /// The ports that are connected and available, best first (the order in which a host would fall back).
    package var ports: [Port]
    /// Where the host's own policy sends sound now; nil when it names none, or one that is not in `ports`.
    package var defaultOutputUID: String?
    package var defaultInputUID: String?
    /// The uids of outputs that one sink switches between (a card's speaker and its jack), and of inputs that one source
    /// switches between: of each group only the first is in use.
    package var alternatives: [[String]]
    /// By uid; ports without a volume, and ports that are not switched on, are missing.
    package var volumes: [String: PortVolume]
    /// The Bluetooth headsets that have both profiles.
    package var headsets: [Headset]

    package init(
        ports: [Port] = [], defaultOutputUID: String? = nil, defaultInputUID: String? = nil,
        alternatives: [[String]] = [], volumes: [String: PortVolume] = [:], headsets: [Headset] = []
    ) {
        self.ports = ports
        self.defaultOutputUID = defaultOutputUID
        self.defaultInputUID = defaultInputUID
        self.alternatives = alternatives
        self.volumes = volumes
        self.headsets = headsets
    }

    package static let empty = Inventory()

    package func port(uid: String) -> Port? { ports.first { $0.uid == uid } }
    package var outputs: [Port] { ports.filter { $0.direction == .output } }
    package var inputs: [Port] { ports.filter { $0.direction == .input } }
}
