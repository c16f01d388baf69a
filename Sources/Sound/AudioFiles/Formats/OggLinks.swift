/// The streams that a chained Ogg file has one after the other.
///
/// libsndfile reads the first one.
/// Source: RFC 3533, sections 4 and 6.
enum OggLinks {
    /// Files up to this size are walked through page by page; longer ones only where their ends have different streams.
    ///
    /// Two streams of one number, which the format forbids, are found in the former only.
    private static let walkedBytes: Int64 = 16 << 20
    /// More are not told apart.
    private static let most = 1000
    /// A hostile file has them in few bytes each.
    private static let mostPages = 4_000_000
    /// A page that is farther behind damage is not looked for.
    private static let longestDamage: Int64 = 1 << 20

    /// - Returns: the bytes of each, in their order, without what stands behind the last page of one; one: the file is no
    ///   chain, or none that can be taken apart.
    static func ranges(in file: borrowing RegularFile) -> [Range<Int64>] {
        let whole = [0..<file.byteCount]
        guard file.bytes(at: 0, count: 4).elementsEqual("OggS".utf8) else { return whole }
        guard file.byteCount <= walkedBytes || endsInAnotherStream(file) else { return whole }
        var blocks = BlockReader(file)
        var (ranges, start, offset, isInSound): ([Range<Int64>], Int64, Int64, Bool) = ([], 0, 0, false)
        var pages = 0
        while let page = page(&blocks, from: offset) {
            pages += 1
            guard pages <= mostPages else { return whole }
            if page.isFirst, isInSound {
                ranges.append(start..<offset)
                start = page.offset
                guard ranges.count < most else { return whole }
            }
            isInSound = !page.isFirst
            offset = min(page.end, file.byteCount)
        }
        return file.byteCount - offset < longestDamage ? ranges + [start..<offset] : whole
    }

    private struct Page {
        let offset: Int64
        let end: Int64
        /// Of its stream.
        let isFirst: Bool
    }

    /// The page there, or the next one behind damage.
    private static func page(_ blocks: inout BlockReader, from start: Int64) -> Page? {
        var offset = start
        while offset + 27 <= min(blocks.byteCount, start + longestDamage) {
            let header = Array(blocks.bytes(at: offset, count: 27 + 255))
            guard header.count >= 27 else { return nil }
            guard header[0] == 0x4F, header.starts(with: "OggS".utf8), header[4] == 0 else {
                offset += 1
                continue
            }
            let segments = Int(header[26])
            guard header.count >= 27 + segments else { return nil }
            let payload = header[27..<27 + segments].reduce(0) { $0 + Int64($1) }
            return Page(offset: offset, end: offset + 27 + Int64(segments) + payload, isFirst: header[5] & 2 != 0)
        }
        return nil
    }

    private static func endsInAnotherStream(_ file: borrowing RegularFile) -> Bool {
        // A page has at most 65 307 bytes.
        let tail = file.bytes(at: max(0, file.byteCount - 2 * 65_307), count: 2 * 65_307)
        let last = tail.indices.dropLast(27).last { tail[$0] == 0x4F && tail[$0...].starts(with: "OggS\0".utf8) }
        guard let last else { return false }
        // Those that begin together have their first pages at the file's beginning.
        var blocks = BlockReader(file)
        var (serials, offset): (Set<[UInt8]>, Int64) = ([], 0)
        while let page = page(&blocks, from: offset), page.isFirst, serials.count < 64 {
            serials.insert(Array(blocks.bytes(at: page.offset + 14, count: 4)))
            offset = page.end
        }
        return !serials.contains(Array(tail[last + 14..<last + 18]))
    }
}
