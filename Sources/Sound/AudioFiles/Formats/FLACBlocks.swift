/// The blocks before the sound of a FLAC file.
///
/// Source: RFC 9639, sections 8.1 and 8.8.
package enum FLACBlocks {
    /// The contents of the blocks of a kind.
    ///
    /// - Parameter limit: what begins farther into the file, in bytes, is left out.
    package static func contents(ofKind kind: UInt8, in file: borrowing RegularFile, limit: Int64) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        walk(file, limit: limit) { blockKind, offset, length in
            if blockKind == kind { blocks.append(file.bytes(at: offset, count: length)) }
        }
        return blocks
    }

    /// Where the sound begins.
    static func end(in file: borrowing RegularFile) -> Int64 {
        var end: Int64 = 4
        walk(file, limit: file.byteCount) { _, offset, length in end = offset + Int64(length) }
        return end
    }

    private static func walk(
        _ file: borrowing RegularFile, limit: Int64, _ visit: (_ kind: UInt8, _ offset: Int64, _ length: Int) -> Void
    ) {
        var offset: Int64 = 4
        // Enough for any honest file.
        for _ in 0..<1000 where offset <= limit {
            let header = file.bytes(at: offset, count: 4)
            guard header.count == 4 else { break }
            let length = Int(header.integer(at: 1, bytes: 3, bigEndian: true))
            visit(header[0] & 0x7F, offset + 4, length)
            if header[0] & 0x80 != 0 { break }
            offset += 4 + Int64(length)
        }
    }
}
