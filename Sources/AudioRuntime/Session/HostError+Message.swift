internal import AudioModel
package import HostInterface

extension HostError {
    /// One sentence, or more, for people: what happened, and what to do where that is known.
    package var message: String {
        switch self {
        case .unreachable(let text), .refused(let text): Self.sentence(text.printable)
        case .noSuchPort(let uid):
            "There is no port with the uid \"\(uid.printable)\" (any more). Choose one that is connected."
        case .connectionLost: "The connection to the sound server is lost. Start the server, then make a new session."
        }
    }

    /// A host's words, which are often a clause, with a capital and a full stop, so that more can follow them.
    private static func sentence(_ text: String) -> String {
        let capitalized = text.prefix(1).uppercased() + text.dropFirst()
        return text.last.map { ".!?".contains($0) } ?? true ? capitalized : capitalized + "."
    }
}
