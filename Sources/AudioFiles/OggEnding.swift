/// Whether an Ogg file ends where one of its pages does.
///
/// The length of an Ogg stream is in its last page, so a file that was cut off claims to be just as long as it is; the
/// trace is a page of which only the beginning is there. A stream that ends at a page's end without the end-of-stream
/// mark is taken as whole: recordings of network streams look like that.
/// Source: RFC 3533, section 6.
enum OggEnding {
    /// Header, 255 lacing values, and 255 segments of 255 bytes.
    private static let largestPage = 27 + 255 + 255 * 255

    static func isCut(_ file: borrowing RegularFile) -> Bool {
        let start = max(0, file.byteCount - Int64(largestPage) - 4)
        let tail = file.bytes(at: start, count: largestPage + 4)
        let capture = Array("OggS".utf8)
        for length in (1..<4).reversed() where tail.count > length && tail.suffix(length) == capture.prefix(length) {
            return true
        }
        var page = tail.count - 4
        while page >= 0 {
            if tail[page] == capture[0], tail[page..<page + 4] == capture[...] {
                return isCut(tail[page...])
            }
            page -= 1
        }
        return false
    }

    private static func isCut(_ page: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(page)
        guard bytes.count >= 27 else { return true }
        let segments = Int(bytes[26])
        guard bytes.count >= 27 + segments else { return true }
        let payload = bytes[27..<27 + segments].reduce(0) { $0 + Int($1) }
        return bytes.count < 27 + segments + payload
    }
}
