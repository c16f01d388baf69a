/// The fuzzer's bytes, read as the values that a target needs.
///
/// As random numbers, each byte is one number: what the fuzzer changes stays near what it was.
struct ByteSource: RandomNumberGenerator {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    /// 0 at the end.
    mutating func byte() -> UInt8 {
        guard !isAtEnd else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    /// At the end they go on: `random(in:using:)` would ask for ever for another number than 0.
    mutating func next() -> UInt64 {
        guard isAtEnd else { return UInt64(byte()) &* 0x0101_0101_0101_0101 }
        position += 1
        return UInt64(position) &* 0x9E37_79B9_7F4A_7C15
    }

    mutating func bool() -> Bool { byte() & 1 == 1 }

    mutating func int(below limit: Int) -> Int { Int(byte()) % limit }

    mutating func word<T: FixedWidthInteger>(_ type: T.Type) -> T {
        (0..<T.bitWidth / 8).reduce(0) { word, _ in word << 8 | T(truncatingIfNeeded: byte()) }
    }

    mutating func double() -> Double { Double(bitPattern: word(UInt64.self)) }

    /// Most often a small one, which meets others.
    mutating func id() -> UInt32 {
        let byte = byte()
        return byte < 250 ? UInt32(byte % 8) : word(UInt32.self)
    }

    /// One of these, or up to 255 bytes of anything.
    mutating func text(or known: [String]) -> String {
        let choice = Int(byte())
        if choice < 128, !known.isEmpty { return known[choice % known.count] }
        let count = min(Int(byte()), bytes.count - min(position, bytes.count))
        defer { position += count }
        return String(decoding: bytes[min(position, bytes.count)..<min(position + count, bytes.count)], as: UTF8.self)
    }

    mutating func optionalText(or known: [String]) -> String? { bool() ? text(or: known) : nil }
}
