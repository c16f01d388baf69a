internal import AudioModel
package import HostInterface

extension HostError {
    /// One sentence, or more, for people: what happened, and what to do where that is known.
    package var message: String {
        switch self {
        case .unreachable(let text), .refused(let text): text.printable
        case .noSuchPort(let uid): "There is no port with the uid \"\(uid.printable)\" (any more). Choose one that is connected."
        case .connectionLost: "The connection to the sound server is lost. Start the server, then make a new session."
        }
    }
}
