/// The blocks before the sound of a FLAC file.
///
/// Source: RFC 9639, sections 8.1 and 8.8.
enum FLACBlocks {
    /// The contents of the blocks of a kind.
    ///
    /// - Parameter limit: what begins farther into the file, in bytes, is left out.
    static func contents(ofKind kind: UInt8, in file: borrowing RegularFile, limit: Int64) -> [[UInt8]] {
        var (blocks, offset): ([[UInt8]], Int64) = ([], 4)
        // Enough for any honest file.
        for _ in 0..<1000 where offset <= limit {
            let header = file.bytes(at: offset, count: 4)
            guard header.count == 4 else { break }
            let length = Int(header.integer(at: 1, bytes: 3, bigEndian: true))
            if header[0] & 0x7F == kind { blocks.append(file.bytes(at: offset + 4, count: length)) }
            if header[0] & 0x80 != 0 { break }
            offset += 4 + Int64(length)
        }
        return blocks
    }
}
