/// The status and the headers of a server's answer.
///
/// Pure; the values may be anything.
struct HTTPHead: Sendable {
    /// 0: the server has not answered.
    let status: Int
    private let fields: [(name: String, value: String)]
    private let isShoutcast: Bool

    /// - Parameter isShoutcast: the answer has no number of HTTP, but "ICY".
    init(status: Int, fields: [(name: String, value: String)], isShoutcast: Bool = false) {
        self.status = status
        self.fields = fields.map { ($0.lowercased(), $1) }
        self.isShoutcast = isShoutcast
    }

    /// The first header of a name in small letters.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// A radio station tells its name and the like.
    var isStation: Bool { isShoutcast || fields.contains { $0.name.hasPrefix("icy-") } }

    var contentLength: Int64? { self["content-length"].flatMap(Self.number) }

    /// The place of a part's first byte, and the size of the whole where the server tells it.
    var contentRange: (first: Int64, size: Int64?)? {
        guard let value = self["content-range"], value.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = value.dropFirst(6).split(whereSeparator: { $0 == "-" || $0 == "/" })
        guard parts.count == 3, let first = Self.number(parts[0]) else { return nil }
        return (first, Self.number(parts[2]))
    }

    /// Of the file that it is the answer for.
    var version: FileVersion {
        func value(_ name: String) -> String? {
            self[name].flatMap { $0.isEmpty || $0.utf8.count > 1024 || $0.utf8.contains { $0 < 0x20 } ? nil : $0 }
        }
        let size = status == 206 ? contentRange?.size : transferEncoding == nil ? contentLength : nil
        return FileVersion(tag: value("etag"), date: value("last-modified"), size: size)
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

/// What a server says about a file by which it can be told from the file that takes its place.
struct FileVersion: Hashable, Sendable {
    /// `ETag`.
    var tag: String?
    /// `Last-Modified`.
    var date: String?
    /// In bytes.
    var size: Int64?

    /// For `If-Range`, which takes no weak tag; nil: the server says nothing that can be asked for.
    var condition: String? { tag.flatMap { $0.hasPrefix("W/") ? nil : $0 } ?? date }

    /// - Parameter other: what one of the two does not say decides nothing.
    func isOther(than other: FileVersion) -> Bool {
        var isSame: Bool?
        if let tag, let before = other.tag {
            isSame = tag == before
        } else if let date, let before = other.date {
            isSame = date == before
        }
        if isSame == false { return true }
        guard let size, let before = other.size, size != before else { return false }
        // Servers tell too great a length at first: one that takes it back, and says the same else, has the same file.
        let isCorrection = isSame ?? [tag, date, other.tag, other.date].allSatisfy { $0 == nil }
        return size > before || !isCorrection
    }
}
