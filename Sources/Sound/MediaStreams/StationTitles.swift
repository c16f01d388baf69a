/// Takes the titles out of the bytes of a radio station, which sends one after every so many bytes of sound.
///
/// A pure value; the bytes may be anything, and a title takes 4080 of them at most.
///
/// Source: the servers of Icecast 2.4 and SHOUTcast 1.9 (`icy-metaint`).
struct StationTitles {
    /// Bytes of sound between two titles.
    private let interval: Int
    private var next: Next
    private var text: [UInt8] = []

    /// What the next byte is of.
    private enum Next {
        /// So many bytes are left. Legal exit: `length`.
        case sound(Int)
        /// The number of 16 bytes that the title has. Legal exits: `text`, `sound`.
        case length
        /// So many bytes are left. Legal exit: `sound`.
        case text(Int)
    }

    static let intervals = 1...(1 << 24)

    /// Nil where the station sends no titles.
    init?(_ head: HTTPHead) {
        guard head.isStation, let interval = head["icy-metaint"].flatMap({ Int($0) }) else { return nil }
        self.init(interval: interval)
    }

    /// - Parameter interval: in `intervals`; nil otherwise.
    init?(interval: Int) {
        guard Self.intervals.contains(interval) else { return nil }
        (self.interval, next) = (interval, .sound(interval))
    }

    /// Moves the bytes of sound to the front.
    ///
    /// - Returns: how many these are, and the title that was complete last; nil: none was.
    mutating func take(_ bytes: UnsafeMutableRawBufferPointer) -> (sound: Int, title: String?) {
        var (read, kept, title) = (0, 0, String?.none)
        while read < bytes.count {
            switch next {
            case .sound(let left):
                let count = min(left, bytes.count - read)
                if kept != read {
                    // They may overlap.
                    (bytes.baseAddress! + kept).copyMemory(from: bytes.baseAddress! + read, byteCount: count)
                }
                (read, kept) = (read + count, kept + count)
                next = count == left ? .length : .sound(left - count)
            case .length:
                let count = Int(bytes[read]) * 16
                read += 1
                text = []
                next = count > 0 ? .text(count) : .sound(interval)
            case .text(let left):
                let count = min(left, bytes.count - read)
                text += bytes[read..<read + count]
                read += count
                next = count == left ? .sound(interval) : .text(left - count)
                if count == left { title = Self.title(text) ?? title }
            }
        }
        return (kept, title)
    }

    /// Of "StreamTitle='…';": without control characters, in UTF-8 or else Latin 1; nil where the text has none.
    static func title(_ text: [UInt8]) -> String? {
        guard let start = text.firstRange(of: Array("StreamTitle='".utf8))?.upperBound else { return nil }
        let rest = text[start...]
        let quote = UInt8(ascii: "'")
        // A title may have the quote too; the last one ends it where nothing follows.
        let end = rest.firstRange(of: [quote, UInt8(ascii: ";")])?.lowerBound ?? rest.lastIndex(of: quote)
        let bytes = rest[..<(end ?? rest.endIndex)].prefix { $0 != 0 }
        let title =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        return title.printable
    }
}

/// What a station calls the sound from a frame on.
package struct StationTitle: Hashable, Sendable {
    /// 1 is the first one.
    package var number: UInt64
    /// The first frame that was decoded after it came: less than a second early or late, by what a decoder holds.
    package var frame: Int64
    /// Untrusted text without control characters; empty where nothing is known.
    package var text: String
}
