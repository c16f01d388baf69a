/// The status and the headers of a server's answer.
///
/// Pure; the bytes may be anything.
struct HTTPHead: Sendable {
    /// Of a head, with all of its headers.
    static let longest = 65_536

    let status: Int
    /// What the server calls the status; it may have any characters.
    let phrase: String
    private let fields: [(name: String, value: String)]
    private let isShoutcast: Bool

    /// - Parameter bytes: with the empty line at the end.
    /// - Returns: nil where this is no answer of HTTP/1 or of Shoutcast.
    init?(_ bytes: some Collection<UInt8>) {
        let lines = bytes.split(separator: 0x0A).map { line in
            String(decoding: line.prefix { $0 != 0x0D }, as: UTF8.self)
        }
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1.") || words[0] == "ICY", words[1].count == 3,
            let status = Int(words[1]), (100...599).contains(status)
        else { return nil }
        self.status = status
        phrase = words.count > 2 ? String(words[2]) : ""
        isShoutcast = words[0] == "ICY"
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (line[..<colon].lowercased(), String(value))
        }
    }

    /// The first header of a name in small letters.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// A radio station tells its name and the like.
    var isStation: Bool { isShoutcast || fields.contains { $0.name.hasPrefix("icy-") } }

    var isRedirection: Bool { [301, 302, 303, 307, 308].contains(status) && self["location"] != nil }

    var contentLength: Int64? { self["content-length"].flatMap(Self.number) }

    /// The place of a part's first byte, and the size of the whole where the server tells it.
    var contentRange: (first: Int64, size: Int64?)? {
        guard let value = self["content-range"], value.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = value.dropFirst(6).split(whereSeparator: { $0 == "-" || $0 == "/" })
        guard parts.count == 3, let first = Self.number(parts[0]) else { return nil }
        return (first, Self.number(parts[2]))
    }

    /// What the bytes are packed with; nil: nothing.
    var contentEncoding: String? {
        self["content-encoding"].flatMap { ["", "identity"].contains($0.lowercased()) ? nil : $0 }
    }

    var transferEncoding: String? {
        self["transfer-encoding"].flatMap { ["", "identity"].contains($0.lowercased()) ? nil : $0.lowercased() }
    }

    private static func number(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
