import AudioFiles
import AudioModel

/// Why a server's bytes do not come.
enum ServerFault: Error, Hashable, Sendable {
    case cancelled
    /// The text is no address.
    case notAnAddress
    /// The network's word about it.
    case unreachable(String)
    /// What is missing here, and what to do about it.
    case notReady(String)
    case timedOut(seconds: Double)
    /// The connection ended before its time.
    case lost
    /// No answer of HTTP, or one that contradicts itself.
    case malformed(String)
    case status(Int)
    case untrusted(host: String, reason: String)
    /// From https to this address.
    case steppedDown(to: String)
    case redirected(String)
    case packed(with: String)
    /// It says that it sends parts, and sends something else.
    case otherPart
    case withoutParts
    /// It is another file than the one that was begun.
    case changed
    case openedTooSlowly(seconds: Double)
    /// The words of the app that gives the bytes.
    case refused(String)

    /// Another connection would end in the same way.
    var isFinal: Bool {
        switch self {
        case .unreachable, .timedOut, .lost, .malformed: false
        case .status(let status): status < 500
        case .cancelled, .notAnAddress, .notReady, .untrusted, .steppedDown, .redirected, .packed, .otherPart,
            .withoutParts, .changed, .openedTooSlowly, .refused:
            true
        }
    }

    /// - Parameter address: without a password.
    func error(address: String) -> AudioFileError {
        let name = address.quoted
        switch self {
        case .cancelled: return AudioFileError(.cancelled, "\(name) was not opened to its end.")
        case .notAnAddress:
            return AudioFileError(
                .notFound, "\(name) is not a complete address; give one such as https://example.org/song.mp3.")
        case .status(404), .status(410):
            return AudioFileError(.notFound, "The server has nothing at \(name); check the address.")
        case .status(401), .status(407):
            return AudioFileError(
                .notReadable,
                "\(name) needs a name and a password that the server accepts (\(reason)); give them in the address: "
                    + "https://name:password@server/…. Only Basic and Digest authentication are supported.")
        case .status(403):
            return AudioFileError(.notReadable, "The server does not give \(name) to everyone (\(reason)).")
        case .untrusted:
            return AudioFileError(
                .unreachable,
                "\(name) was not opened, because \(reason). Another computer may pretend to be this server. If you trust it "
                    + "all the same, name the file of its authority in SSL_CERT_FILE, or use 'audiosession play --insecure'."
            )
        case .steppedDown:
            return AudioFileError(
                .unreachable,
                "\(name) was not opened, because \(reason). Give an address that stays with https. If you accept this, use "
                    + "'audiosession play --insecure'.")
        case .notReady, .refused: return AudioFileError(.unreachable, "\(name) cannot be opened: \(reason).")
        case .packed, .otherPart, .withoutParts:
            return AudioFileError(
                .unreachable, "\(name) cannot be played: \(reason). Download it, and play the file.")
        case .changed:
            return AudioFileError(
                .unreachable, "\(name) cannot be played on: \(reason). \(Self.adviceOnChange)")
        case .unreachable, .timedOut, .lost, .malformed, .status, .redirected, .openedTooSlowly:
            return AudioFileError(
                .unreachable,
                "\(name) cannot be opened: \(reason). Check the address and the network, and try again.")
        }
    }

    static let adviceOnChange = "Play it again from its beginning."

    /// A part of a sentence, safe for a terminal.
    var reason: String {
        switch self {
        case .cancelled: "the wait was ended"
        case .notAnAddress: "the address is not complete"
        case .unreachable(let text), .notReady(let text), .refused(let text): text.printable
        case .timedOut(let seconds): "the server did not answer within \(seconds.short) s"
        case .lost: "the connection to its server is lost"
        case .malformed(let text): "the server's answer is invalid: \(text.printable)"
        case .status(let status): "the server answers \(status)"
        case .untrusted(let host, let reason): "the certificate of \(host.quoted) is not valid: \(reason.printable)"
        case .steppedDown(let address):
            "its server redirects from https to http (\(String(address.prefix(200)).quoted)), where everybody on the way "
                + "can read and change it"
        case .redirected(let text): text.printable
        case .packed(let encoding):
            "the server sends it packed (Content-Encoding: \(String(encoding.prefix(40)).printable)), although it was "
                + "asked not to"
        case .otherPart:
            "the server says that it sends parts of a file, and does not send the part that it is asked for"
        case .withoutParts:
            "the server sends it from its beginning only, and this file has to be read from several places (in an M4A file, "
                + "the index is at the end)"
        case .changed: "the file on the server is not the one that was begun"
        case .openedTooSlowly(let seconds): "its beginning did not come within \(seconds.short) s"
        }
    }
}

extension Double {
    fileprivate var short: String { self == rounded() ? String(Int(self)) : String(self) }
}
