extension [UInt8] {
    /// Four bytes as ASCII text.
    ///
    /// The caller has checked that they are there.
    package func text(at offset: Int) -> String { String(decoding: self[offset..<offset + 4], as: UTF8.self) }

    /// Up to eight bytes as a number; the caller has checked that they are there.
    package func integer(at offset: Int, bytes: Int, bigEndian: Bool) -> UInt64 {
        let slice = self[offset..<offset + bytes]
        return bigEndian
            ? slice.reduce(0) { $0 << 8 | UInt64($1) } : slice.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Reads untrusted bytes from first to last; what asks for more than there is gets nil.
package struct ByteReader {
    /// What was not read yet.
    package private(set) var bytes: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard (0...bytes.count).contains(count) else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    /// Up to four bytes, big-endian, of which the lower bits count.
    package mutating func number(_ count: Int, _ bitsPerByte: Int = 8) -> Int? {
        take(count)?.reduce(0) { $0 << bitsPerByte | Int($1) & (1 << bitsPerByte - 1) }
    }

    /// Four bytes, little-endian.
    package mutating func littleEndian() -> Int? { take(4)?.reversed().reduce(0) { $0 << 8 | Int($1) } }

    /// Up to a zero of one or two bytes, which is read too.
    package mutating func text(unit: Int) -> ArraySlice<UInt8>? {
        let starts = stride(from: bytes.startIndex, through: bytes.endIndex - unit, by: unit)
        guard let end = starts.first(where: { bytes[$0..<$0 + unit].allSatisfy { $0 == 0 } }) else { return nil }
        defer { _ = take(unit) }
        return take(end - bytes.startIndex)
    }
}
