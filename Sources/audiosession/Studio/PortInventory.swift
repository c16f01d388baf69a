/// Every port of the machine, connected and available, whether the session uses it or not.
struct PortInventory: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var port: PortFacts
        var isOutput: Bool
        /// The host's own policy sends sound here, or takes it from here.
        var isDefault: Bool
        /// Why silence at an unplug is not promised for this port; nil where it is.
        ///
        /// Untrusted text.
        var caveat: String?
    }

    var entries: [Entry]

    var outputs: [PortFacts] { entries.filter(\.isOutput).map(\.port) }
}
