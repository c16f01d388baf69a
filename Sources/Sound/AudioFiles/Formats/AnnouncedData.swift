/// The sound data of a file as its header announces it: to be compared with the bytes that are there.
///
/// libsndfile plays what is there and says nothing but a line in a log of 2 048 bytes, which a long comment overflows;
/// hence this short walk through the chunks of WAV, RF64, AIFF, CAF and AU files.
/// Source: the formats' specifications; libsndfile 1.2.0, wav.c, aiff.c, caf.c.
struct AnnouncedData: Equatable {
    /// Where the data begin, in bytes from the file's start.
    var offset: Int64
    var byteCount: Int64

    /// - Returns: nil for other formats, for a header without a data chunk, and for a length that only stands in for
    ///   an unknown one, as programs write that send a file into a pipe.
    init?(header file: borrowing RegularFile) {
        let start = file.bytes(at: 0, count: 32)
        guard start.count == 32 else { return nil }
        switch start.text(at: 0) {
        case "RIFF", "RF64", "BW64", "RIFX", "FORM":
            guard let chunks = ChunkHeader(file), let length = chunks.announcedByteCount else { return nil }
            self.init(offset: chunks.data.lowerBound, byteCount: length)
        case "caff": self.init(coreAudioFile: file)
        case ".snd":
            let length = Int64(start.integer(at: 8, bytes: 4, bigEndian: true))
            guard length == 0 || !Self.standsForUnknown(length) else { return nil }
            self.init(offset: Int64(start.integer(at: 4, bytes: 4, bigEndian: true)), byteCount: length)
        default: return nil
        }
    }

    private init(offset: Int64, byteCount: Int64) {
        self.offset = offset
        self.byteCount = byteCount
    }

    private init?(coreAudioFile file: borrowing RegularFile) {
        var offset: Int64 = 8
        for _ in 0..<Self.chunkLimit {
            let chunk = file.bytes(at: offset, count: 12)
            guard chunk.count == 12 else { return nil }
            // A length of -1 says "to the end of the file"; beyond half the range of Int64 it can only be damage.
            let length = Int64(bitPattern: chunk.integer(at: 4, bytes: 8, bigEndian: true))
            guard length >= 0, length < Int64.max / 2 else { return nil }
            if chunk.text(at: 0) == "data" {
                // The data begin with an edit count of four bytes.
                guard length >= 4 else { return nil }
                self.init(offset: offset + 16, byteCount: length - 4)
                return
            }
            offset += 12 + length
            guard offset < file.byteCount else { return nil }
        }
        return nil
    }

    /// Enough for any honest file; a damaged one must not keep the walk busy.
    private static let chunkLimit = 4096

    /// 0 and the neighbourhoods of 2^31 and 2^32 are what recorders leave that cannot come back to fill in the length.
    static func standsForUnknown(_ length: Int64) -> Bool {
        length == 0 || (0x7F00_0000...0x8000_0000).contains(length) || length >= 0xFFFF_0000
    }
}
