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
        let start = ID3Tag.length(header: RegularFile.bytes(descriptor, at: 0, count: 10)[...])?.whole ?? 0
        guard frames > 0, let first = MPEGSound.Frame(RegularFile.bytes(descriptor, at: start, count: 4)[...]) else {
            return
        }
        let place = start + 4 + Int64(first.sideByteCount)
        let mark = Array("Xing".utf8)
        guard [mark, [0, 0, 0, 0]].contains(RegularFile.bytes(descriptor, at: place, count: 4)) else { return }
        // 1: the number of MPEG frames follows, and nothing else.
        let count = UInt32(clamping: frames / Int64(first.sampleCount))
        let text = mark + [0, 0, 0, 1] + withUnsafeBytes(of: count.bigEndian, Array.init)
        _ = pwrite(descriptor, text, text.count, off_t(place))
    }
}
