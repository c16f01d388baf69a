/// Every port of the machine, connected and available, whether the session uses it or not.
struct PortInventory: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var port: PortFacts
        var isOutput: Bool
        /// The host's own policy sends sound here, or takes it from here.
        var isDefault: Bool
    }

    var entries: [Entry]

    var outputs: [PortFacts] { entries.filter(\.isOutput).map(\.port) }
}
