import Glibc

/// The path of a file as the system has it: bytes, which need not be UTF-8.
struct FilePath: Hashable, Sendable, ExpressibleByStringLiteral {
    var bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    init(stringLiteral text: String) { self.init(text) }

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// nil if it is not UTF-8.
    var text: String? { String(validating: bytes, as: UTF8.self) }

    /// For people and events; what is not UTF-8 is U+FFFD.
    var name: String { String(decoding: bytes, as: UTF8.self) }

    /// Without the last component; "." if there is no other.
    var directory: FilePath {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return FilePath(".") }
        return FilePath(bytes: slash == 0 ? [UInt8(ascii: "/")] : Array(bytes[..<slash]))
    }

    /// Of the last component, in lower case and without the dot; "" if there is none.
    var fileExtension: String {
        let last = bytes.split(separator: UInt8(ascii: "/")).last ?? []
        guard let dot = last.lastIndex(of: UInt8(ascii: ".")), dot > last.startIndex else { return "" }
        return String(decoding: last[(dot + 1)...], as: UTF8.self).lowercased()
    }

    /// - Parameter other: relative to this directory; an absolute one stays.
    func appending(_ other: FilePath) -> FilePath {
        if other.bytes.first == UInt8(ascii: "/") || bytes == Array(".".utf8) { return other }
        let slash = bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        return FilePath(bytes: bytes + slash + other.bytes)
    }

    /// What `stat` says; nil where there is nothing.
    var status: stat? {
        var status = stat()
        return withCString { stat($0, &status) } == 0 ? status : nil
    }

    /// - Parameter body: gets the path as C has it; it ends at a byte 0.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
        }
    }
}
