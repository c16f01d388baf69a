package import AudioModel

/// The output that an app wants for its session; it stays while the device is away, and holds again when that is back.
package enum OutputChoice: Hashable, Sendable, Codable {
    /// The app leaves it to the user, the host and the category.
    case automatic
    case port(uid: String)
    /// The first of the kind among the usable outputs, whichever that is now.
    case kind(PortKind)

    package func port(among usable: [Port]) -> Port? {
        switch self {
        case .automatic: nil
        case .port(let uid): usable.first { $0.uid == uid }
        case .kind(let kind): usable.first { $0.kind == kind }
        }
    }
}
