/// What the pages of an Ogg file tell that libsndfile does not.
///
/// Source: RFC 3533, section 6 (page header).
struct OggPages {
    /// The file ends within a page.
    ///
    /// The length of an Ogg stream is in its last page, so a file that was cut off claims to be just as long as it is; the
    /// trace is a page of which only the beginning is there. A stream that ends at a page's end without the end-of-stream
    /// mark is taken as whole: recordings of network streams look like that.
    let isCut: Bool

    /// The largest position, in the codec's ticks, of the pages near the file's ends; 0 if none has one.
    let largestGranule: UInt64

    /// The position, in the codec's ticks, where the last page with sound begins; 0 where it is the only one.
    let lastPageStart: UInt64

    /// Header, 255 lacing values, and 255 segments of 255 bytes.
    private static let largestPage = 27 + 255 + 255 * 255
    private static let capture = Array("OggS".utf8)

    init(_ file: borrowing RegularFile) {
        // Of two pages.
        let count = 2 * Self.largestPage + 4
        let tail = file.bytes(at: max(0, file.byteCount - Int64(count)), count: count)
        isCut = Self.isCut(tail)
        // Large enough that the first page with sound is among them, also behind a cover picture's damaged beginning.
        let head = file.bytes(at: 0, count: 4 * Self.largestPage)
        let ends = Self.granules(tail)
        largestGranule = (Self.granules(head) + ends).max() ?? 0
        lastPageStart = ends.dropLast().last ?? 0
    }

    private static func isCut(_ tail: [UInt8]) -> Bool {
        for length in (1..<4).reversed() where tail.count > length && tail.suffix(length) == capture.prefix(length) {
            return true
        }
        guard let page = pageStarts(tail).last.map({ Array(tail[$0...]) }) else { return false }
        guard page.count >= 27 else { return true }
        let segments = Int(page[26])
        guard page.count >= 27 + segments else { return true }
        let payload = page[27..<27 + segments].reduce(0) { $0 + Int($1) }
        return page.count < 27 + segments + payload
    }

    private static func granules(_ bytes: [UInt8]) -> [UInt64] {
        pageStarts(bytes).filter { $0 + 14 <= bytes.count }
            .map { bytes[($0 + 6)..<($0 + 14)].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
            // All ones: no packet ends on the page.
            .filter { $0 != .max }
    }

    private static func pageStarts(_ bytes: [UInt8]) -> [Int] {
        guard bytes.count >= 4 else { return [] }
        return (0...bytes.count - 4).filter { bytes[$0] == capture[0] && bytes[$0..<$0 + 4] == capture[...] }
    }
}
