/// What an MP3 file says about its length before its first sound.
enum MPEGHeader {
    /// Whether the first frame is the "Xing", "Info" or "VBRI" frame that counts the others.
    ///
    /// Source: libmpg123, which looks in the first frame only; ID3v2.4, section 3.1, for the tag before it.
    static func saysItsLength(_ file: borrowing RegularFile) -> Bool {
        var start: Int64 = 0
        let tag = file.bytes(at: 0, count: 10)
        if tag.count == 10, tag[0..<3].elementsEqual("ID3".utf8) {
            start = 10 + tag[6..<10].reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
        }
        // A frame has at most 1 441 bytes at layer III; some padding may stand between the tag and the frame.
        let frame = file.bytes(at: start, count: 4096)
        guard frame.count > 40 else { return false }
        let marks = ["Xing", "Info", "VBRI"].map { Array($0.utf8) }
        for index in 0..<frame.count - 4 where marks.contains(where: { $0[...] == frame[index..<index + 4] }) {
            return true
        }
        return false
    }
}
