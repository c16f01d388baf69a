extension [UInt8] {
    /// Four bytes as ASCII text.
    ///
    /// The caller has checked that they are there.
    func text(at offset: Int) -> String { String(decoding: self[offset..<offset + 4], as: UTF8.self) }

    /// Up to eight bytes as a number; the caller has checked that they are there.
    func integer(at offset: Int, bytes: Int, bigEndian: Bool) -> UInt64 {
        let slice = self[offset..<offset + bytes]
        return bigEndian
            ? slice.reduce(0) { $0 << 8 | UInt64($1) } : slice.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
