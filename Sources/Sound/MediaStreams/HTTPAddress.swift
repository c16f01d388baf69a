import Foundation

/// An http or https address in its parts.
///
/// Pure.
struct HTTPAddress: Hashable, Sendable {
    enum Scheme: String, Hashable, Sendable {
        case http, https

        var usualPort: UInt16 { self == .http ? 80 : 443 }
    }

    /// A name and a password in an address, which only the server that the address names may get.
    struct Credentials: Hashable, Sendable {
        var user: String
        var password: String
    }

    let scheme: Scheme
    /// An IPv6 address has no brackets.
    let host: String
    let port: UInt16
    /// Path and query as a request has them.
    let target: String
    private(set) var credentials: Credentials?

    /// nil for text that is no such address; characters that an address may not have are encoded.
    init?(_ text: String) {
        guard let url = URL(string: text.encodedOnce) else { return nil }
        self.init(url)
    }

    private init?(_ url: URL) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme.flatMap({ Scheme(rawValue: $0.lowercased()) }),
            let host = parts.encodedHost, !host.isEmpty,
            let port = UInt16(exactly: parts.port ?? Int(scheme.usualPort)), port > 0
        else { return nil }
        self.scheme = scheme
        self.host = (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host).lowercased()
        self.port = port
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        target = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
        credentials = parts.user.map { Credentials(user: $0, password: parts.password ?? "") }
        // They become lines of a request.
        let isPlain = (self.host + target).utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isPlain, !self.host.isEmpty else { return nil }
    }

    /// Where a redirection leads; nil where that is no http or https address.
    ///
    /// The credentials go along to the same server only, and from http to https of the same host. Those that the
    /// redirection names are dropped.
    func redirected(to location: String) -> HTTPAddress? {
        guard let base = URL(string: text), let url = URL(string: location.encodedOnce, relativeTo: base),
            var next = HTTPAddress(url)
        else { return nil }
        let isSame = (next.scheme, next.host, next.port) == (scheme, host, port)
        let isUpgrade =
            (scheme, next.scheme, next.host) == (.http, .https, host) && port == scheme.usualPort
            && next.port == next.scheme.usualPort
        next.credentials = isSame || isUpgrade ? credentials : nil
        return next
    }

    /// Host and port, as the header Host has them.
    var authority: String { port == scheme.usualPort ? bracketedHost : "\(bracketedHost):\(port)" }

    private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    var textWithCredentials: String {
        guard let credentials else { return text }
        let allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7F}"))
        let words = [credentials.user, credentials.password].map {
            $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        }
        return "\(scheme.rawValue)://\(words[0]):\(words[1])@\(authority)\(target)"
    }

    /// Without the credentials.
    var text: String { "\(scheme.rawValue)://\(authority)\(target)" }
}

extension String {
    /// An address or a part of one; what its path, query and fragment may not have is encoded, and what is encoded stays.
    ///
    /// `URL` encodes each "%" again where it has to encode anything.
    fileprivate var encodedOnce: String {
        let parts = Substring(self)
        let start =
            if parts.hasPrefix("//") {
                parts.index(parts.startIndex, offsetBy: 2)
            } else if let mark = parts.firstRange(of: "://"), !parts[..<mark.lowerBound].contains(where: \.endsHost) {
                mark.upperBound
            } else {
                String.Index?.none
            }
        let path = start.map { parts[$0...].firstIndex(where: \.endsHost) ?? parts.endIndex } ?? parts.startIndex
        return parts[..<path] + Self.encodedOnce(Array(parts[path...].utf8))
    }

    private static func encodedOnce(_ bytes: [UInt8]) -> String {
        var text = ""
        var hasFragment = false
        for (index, byte) in bytes.enumerated() {
            let isKept =
                switch byte {
                case UInt8(ascii: "%"):
                    index + 2 < bytes.count && bytes[index + 1].isHexadecimalDigit
                        && bytes[index + 2].isHexadecimalDigit
                case UInt8(ascii: "#"): !hasFragment
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "-._~:/?@!$&'()*+,;=".utf8.contains(byte)
                }
            hasFragment = hasFragment || byte == UInt8(ascii: "#")
            let digits = String(byte, radix: 16, uppercase: true)
            text += isKept ? String(UnicodeScalar(byte)) : digits.count < 2 ? "%0\(digits)" : "%\(digits)"
        }
        return text
    }
}

extension Character {
    fileprivate var endsHost: Bool { self == "/" || self == "?" || self == "#" }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool { Character(UnicodeScalar(self)).isHexDigit }
}
