import Threading

/// The length that an MP3 file says before its first sound, for files that are written.
///
/// Source: libmpg123, which looks in the first frame only; LAME's VbrTag.c.
enum MPEGHeader {
    /// Writes a length into the first frame, which LAME leaves empty until the file is closed.
    ///
    /// Without it, libmpg123 takes the length from that frame's rate, which may be far above the others'.
    ///
    /// - Parameters:
    ///   - frames: of sound, which the file has already.
    ///   - descriptor: of a file that is open for reading too.
    static func announce(frames: Int64, in descriptor: Int32) {
        let start = soundStart(beginning: bytes(descriptor, at: 0, count: 10))
        let header = bytes(descriptor, at: start, count: 4)
        guard frames > 0, header.count == 4, header[0] == 0xFF, header[1] & 0xE0 == 0xE0 else { return }
        let isFirstVersion = header[1] >> 3 & 3 == 3
        let isMono = header[3] >> 6 == 3
        let sideBytes = isFirstVersion ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
        let place = start + 4 + Int64(sideBytes)
        let mark = Array("Xing".utf8)
        guard [mark, [0, 0, 0, 0]].contains(bytes(descriptor, at: place, count: 4)) else { return }
        // 1: the number of MPEG frames follows, and nothing else.
        let count = UInt32(clamping: frames / (isFirstVersion ? 1152 : 576))
        let text = mark + [0, 0, 0, 1] + withUnsafeBytes(of: count.bigEndian, Array.init)
        _ = pwrite(descriptor, text, text.count, off_t(place))
    }

    private static func bytes(_ descriptor: Int32, at offset: Int64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }

    /// Behind the tag, if there is one.
    ///
    /// Source: ID3v2.4, section 3.1.
    ///
    /// - Parameter beginning: the file's first ten bytes.
    private static func soundStart(beginning: [UInt8]) -> Int64 {
        guard beginning.count == 10, beginning[0..<3].elementsEqual("ID3".utf8) else { return 0 }
        return 10 + beginning[6..<10].reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
    }
}
