/// The length of a FLAC file whose header does not say it, as an encoder leaves it that writes into a pipe.
///
/// Source: RFC 9639, sections 8.2 and 9.
enum FLACLength {
    /// Where the last frame is looked for, in bytes from the end; a frame of 8 channels has some 100 000.
    private static let reach = 1 << 20

    /// The frames up to the end of the last one, whose checksum has to be right; nil where it is not found.
    static func frames(_ file: borrowing RegularFile) -> Int64? {
        guard let information = FLACBlocks.contents(ofKind: 0, in: file, limit: 64).first, information.count >= 4,
            // A part of a longer stream counts on from there.
            Frame(file.bytes(at: FLACBlocks.end(in: file), count: 32)[...])?.number == 0
        else { return nil }
        let sizes = [0, 2].map { Int64(information.integer(at: $0, bytes: 2, bigEndian: true)) }
        let tail = file.bytes(at: max(0, file.byteCount - Int64(reach)), count: reach)
        var candidates = 0
        for place in tail.indices.dropLast(6).reversed() where tail[place] == 0xFF && tail[place + 1] & 0xFE == 0xF8 {
            guard let frame = Frame(tail[place...].prefix(32)) else { continue }
            candidates += 1
            // Chance makes a few in a megabyte; more are made to keep the search busy.
            guard candidates <= 64 else { return nil }
            guard checksum16(tail[place...]) == 0 else { continue }
            // Frames of one size are counted, others have the number of their first sample.
            let start = frame.isVariable ? frame.number : frame.number * sizes[0]
            guard frame.isVariable || sizes[0] == sizes[1] || frame.number == 0 else { return nil }
            return start + frame.size <= SoundFile.longest ? start + frame.size : nil
        }
        return nil
    }

    private struct Frame {
        let isVariable: Bool
        let number: Int64
        /// In samples of one channel.
        let size: Int64

        init?(_ bytes: ArraySlice<UInt8>) {
            var rest = ByteReader(bytes)
            guard let sync = rest.number(2), let codes = rest.number(2), codes & 1 == 0 else { return nil }
            isVariable = sync & 1 == 1
            guard let number = Self.number(&rest) else { return nil }
            self.number = number
            switch codes >> 12 {
            case 0: return nil
            case 1: size = 192
            case let code where code < 6: size = 576 << (code - 2)
            case 6:
                guard let value = rest.number(1) else { return nil }
                size = Int64(value) + 1
            case 7:
                guard let value = rest.number(2) else { return nil }
                size = Int64(value) + 1
            case let code: size = 256 << (code - 8)
            }
            let rateBytes = [12: 1, 13: 2, 14: 2][codes >> 8 & 15] ?? 0
            guard rest.take(rateBytes) != nil else { return nil }
            let header = bytes[bytes.startIndex..<rest.bytes.startIndex]
            guard let sum = rest.number(1), FLACLength.checksum8(header) == sum else { return nil }
        }

        /// In the form of UTF-8, with up to seven bytes.
        private static func number(_ rest: inout ByteReader) -> Int64? {
            guard let first = rest.number(1) else { return nil }
            let ones = (~UInt8(first)).leadingZeroBitCount
            if ones == 0 { return Int64(first) }
            guard (2...7).contains(ones), let others = rest.take(ones - 1), others.allSatisfy({ $0 & 0xC0 == 0x80 })
            else {
                return nil
            }
            return others.reduce(Int64(first) & (1 << max(0, 7 - ones) - 1)) { $0 << 6 | Int64($1 & 0x3F) }
        }
    }

    private static func checksum8(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ Int(byte)) { sum, _ in (sum << 1 ^ (sum & 0x80 != 0 ? 0x07 : 0)) & 0xFF }
        }
    }

    private static func checksum16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { sum, byte in sum << 8 ^ table[Int(UInt8(sum >> 8) ^ byte)] }
    }

    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { sum, _ in sum << 1 ^ (sum & 0x8000 != 0 ? 0x8005 : 0) }
    }
}
