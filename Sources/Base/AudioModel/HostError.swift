/// Why a host could not do what was asked.
package enum HostError: Error, Hashable, Sendable, Codable {
    /// No server answers, or this build has no client for one. The text says what was tried and what to do.
    case unreachable(String)
    /// The server refused (permissions, limits). The text is the server's.
    case refused(String)
    /// The port is not connected, or no longer.
    case noSuchPort(uid: String)
    /// The connection was lost; nothing works until `HostEvent.connectionRestored`.
    case connectionLost

    /// One sentence, or more, for people: what happened, and what to do where that is known.
    package var message: String {
        switch self {
        case .unreachable(let text), .refused(let text): Self.sentence(text.printable)
        case .noSuchPort(let uid):
            "There is no port with the uid \"\(uid.printable)\" now. Choose one that is connected."
        case .connectionLost: "The connection to the sound server is lost. Wait until it is back, then try again."
        }
    }

    /// A host's text, which is often a clause, as a sentence, so that another sentence can follow.
    private static func sentence(_ text: String) -> String {
        let capitalized = text.prefix(1).uppercased() + text.dropFirst()
        return text.last.map { ".!?".contains($0) } ?? true ? capitalized : capitalized + "."
    }
}
