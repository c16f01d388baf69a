/// Why a host could not do what was asked.
package enum HostError: Error, Hashable, Sendable, Codable {
    /// No server answers, or this build has no client for one. The text says what was tried and what to do.
    case unreachable(String)
    /// The server said no (permissions, limits). The text carries its words.
    case refused(String)
    /// The port is not there (any more).
    case noSuchPort(uid: String)
    /// The connection was lost; nothing works until `HostEvent.connectionRestored`.
    case connectionLost

    /// One sentence, or more, for people: what happened, and what to do where that is known.
    package var message: String {
        switch self {
        case .unreachable(let text), .refused(let text): Self.sentence(text.printable)
        case .noSuchPort(let uid):
            "There is no port with the uid \"\(uid.printable)\" now. Choose one that is connected."
        case .connectionLost: "The connection to the sound server is lost. Start the server, then make a new session."
        }
    }

    /// A host's words, which are often a clause, with a capital and a full stop, so that more can follow them.
    private static func sentence(_ text: String) -> String {
        let capitalized = text.prefix(1).uppercased() + text.dropFirst()
        return text.last.map { ".!?".contains($0) } ?? true ? capitalized : capitalized + "."
    }
}
