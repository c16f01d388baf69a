import Foundation

/// The entries of an M3U or PLS file.
///
/// Pure.
struct Playlist: Equatable {
    struct Entry: Equatable {
        /// A path or an address as it stands in the file.
        var name: [UInt8]
        var title: String?
    }

    private(set) var entries: [Entry] = []
    /// It lists the pieces of one stream, not files.
    private(set) var isStream = false

    /// nil for more lines than four to each entry that a list may have.
    init?(_ bytes: [UInt8], isPLS: Bool) {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let most = 4 * MediaList.longestList
        let pieces = text.split(maxSplits: most) { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard pieces.count <= most else { return nil }
        let lines = pieces.map(Self.trimmed)
        if isPLS { readPLS(lines) } else { readM3U(lines) }
    }

    private mutating func readM3U(_ lines: [[UInt8]]) {
        var title: String?
        for line in lines where !line.isEmpty {
            if line.starts(with: Array("#EXT-X-".utf8)) { isStream = true }
            if line.starts(with: Array("#EXTINF:".utf8)) {
                title = line.firstIndex(of: UInt8(ascii: ",")).map { Self.text(line[($0 + 1)...]) }
            }
            guard line[0] != UInt8(ascii: "#") else { continue }
            entries.append(Entry(name: line, title: title))
            title = nil
        }
    }

    /// "File1=..." and "Title1=...", in any order.
    private mutating func readPLS(_ lines: [[UInt8]]) {
        var (names, titles): ([Int: [UInt8]], [Int: String]) = ([:], [:])
        for line in lines {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let key = Self.text(line[..<equals]).lowercased()
            let value = Self.trimmed(line[(equals + 1)...])
            if key.hasPrefix("file"), let number = Int(key.dropFirst(4)) { names[number] = value }
            if key.hasPrefix("title"), let number = Int(key.dropFirst(5)) { titles[number] = Self.text(value[...]) }
        }
        entries = names.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
            Entry(name: $0.value, title: titles[$0.key])
        }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        return Array(line.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
}
