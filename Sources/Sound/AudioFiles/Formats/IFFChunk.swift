/// A part of a WAV or AIFF file: a name of four letters, a length, and its contents.
struct IFFChunk {
    let name: String
    /// Where its contents begin, in bytes from the file's start.
    let offset: Int64
    /// As its header says; the file may end before.
    let byteCount: Int64
}

extension RegularFile {
    /// The first chunk after the file's header that satisfies the condition, which is asked about each in order.
    ///
    /// - Parameter limit: the chunks that are looked at: a damaged file must not keep the walk busy.
    func firstChunk(bigEndian: Bool, among limit: Int, where isWanted: (IFFChunk) -> Bool) -> IFFChunk? {
        var offset: Int64 = 12
        for _ in 0..<limit {
            let header = bytes(at: offset, count: 8)
            guard header.count == 8 else { return nil }
            let length = Int64(header.integer(at: 4, bytes: 4, bigEndian: bigEndian))
            let chunk = IFFChunk(name: header.text(at: 0), offset: offset + 8, byteCount: length)
            if isWanted(chunk) { return chunk }
            // Chunks of odd length are followed by one byte of padding.
            offset += 8 + length + (length & 1)
        }
        return nil
    }

    /// Whether the rest of the file is chunks, one after the other up to its end; also where there is no rest.
    func hasOnlyChunks(from offset: Int64, bigEndian: Bool) -> Bool {
        var offset = offset + (offset & 1)
        for _ in 0..<1000 where offset < byteCount {
            let header = bytes(at: offset, count: 8)
            guard header.count == 8, header[..<4].allSatisfy({ (0x20...0x7E).contains($0) }) else { return false }
            let length = Int64(header.integer(at: 4, bytes: 4, bigEndian: bigEndian))
            offset += 8 + length + (length & 1)
        }
        // The last chunk may lack its byte of padding.
        return offset == byteCount || offset == byteCount + 1
    }
}
