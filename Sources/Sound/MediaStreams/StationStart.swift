/// Leaves out the rest of the frame in which a radio station is joined, so that its first bytes say what it sends.
///
/// FFmpeg recognises MP3 and AAC by frames from the first byte on. Otherwise it asks for as much as it may, which takes a
/// station seconds to send. A pure value; the bytes may be anything, and what is no such sound passes as it is.
///
/// Source: ISO/IEC 11172-3 and 13818-3 (MPEG audio), ISO/IEC 13818-7 (ADTS).
struct StationStart {
    /// What came and was not given.
    private var held: [UInt8] = []
    private var isFound = false

    /// More than two of the longest frames; what has no frames by then passes as it is.
    static let most = 16_384
    /// Frames in a row that are no accident.
    private static let enough = 3

    /// All that came has been given, and what follows passes as it is.
    var isDone: Bool { isFound && held.isEmpty }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        held += bytes
        guard !isFound else { return }
        if let start = Self.start(of: held) {
            held.removeFirst(start)
            isFound = true
        } else if held.count >= Self.most {
            isFound = true
        }
    }

    /// - Returns: how many bytes it has put there; 0: none can be given yet.
    mutating func take(into room: UnsafeMutableRawBufferPointer) -> Int {
        guard isFound else { return 0 }
        let count = min(room.count, held.count)
        room.copyBytes(from: held[..<count])
        held.removeFirst(count)
        return count
    }

    /// No more comes: what there is passes as it is.
    mutating func end() { isFound = true }

    /// Where the first frame begins that others follow, or a file of another kind; nil: not known yet.
    static func start(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= 8 else { return nil }
        if beginnings.contains(where: { bytes.starts(with: $0) }) || bytes[4..<8].elementsEqual("ftyp".utf8) {
            return 0
        }
        return bytes.indices.first { bytes[$0] == 0xFF && hasFrames(bytes, at: $0) }
    }

    /// The last one is Matroska's.
    private static let beginnings =
        ["OggS", "ID3", "fLaC", "RIFF"].map { Array($0.utf8) } + [[0x1A, 0x45, 0xDF, 0xA3]]

    private static func hasFrames(_ bytes: [UInt8], at start: Int) -> Bool {
        var (place, kind) = (start, UInt32?.none)
        for _ in 0..<enough {
            guard place + 7 <= bytes.count, let frame = Frame(bytes[place..<place + 7]),
                kind ?? frame.kind == frame.kind
            else { return false }
            kind = frame.kind
            place += frame.length
        }
        return true
    }

    /// The header of a frame.
    struct Frame {
        /// With the header, in bytes.
        var length: Int
        /// What all frames of a stream have in common.
        var kind: UInt32

        /// - Parameter bytes: 7.
        /// - Returns: nil where no frame begins.
        init?(_ bytes: ArraySlice<UInt8>) {
            let header = Array(bytes)
            guard header.count >= 7, header[0] == 0xFF else { return nil }
            if header[1] & 0xF6 == 0xF0 { self.init(adts: header) } else { self.init(mpeg: header) }
        }

        private init?(adts header: [UInt8]) {
            length = Int(header[3] & 3) << 11 | Int(header[4]) << 3 | Int(header[5] >> 5)
            // Rate and profile.
            kind = UInt32(header[1]) << 8 | UInt32(header[2] & 0xFC)
            guard length > 7, header[2] >> 2 & 15 < 13 else { return nil }
        }

        private init?(mpeg header: [UInt8]) {
            let (version, layer) = (Int(header[1] >> 3 & 3), 4 - Int(header[1] >> 1 & 3))
            let (bitrate, rate) = (Int(header[2] >> 4), Int(header[2] >> 2 & 3))
            guard header[1] & 0xE0 == 0xE0, version != 1, layer != 4, (1...14).contains(bitrate), rate != 3,
                header[3] & 3 != 2
            else { return nil }
            let isFirst = version == 3
            let hertz = [44_100, 48_000, 32_000][rate] / (isFirst ? 1 : version == 2 ? 2 : 4)
            let row = isFirst ? layer - 1 : layer == 1 ? 3 : 4
            let bits = Self.kilobits[row][bitrate - 1] * 1000
            let padding = Int(header[2] >> 1 & 1)
            length =
                switch layer {
                case 1: (12 * bits / hertz + padding) * 4
                case 3 where !isFirst: 72 * bits / hertz + padding
                default: 144 * bits / hertz + padding
                }
            kind = UInt32(header[1]) << 8 | UInt32(header[2] & 0x0C)
        }

        /// Of version 1, by layer, and of the others.
        private static let kilobits = [
            [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
            [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
            [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
            [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
            [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        ]
    }
}
