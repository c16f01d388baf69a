internal import AudioFiles

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
            // The last two bits name an emphasis that there is not.
            guard let frame = MPEGSound.Frame(header[...]), header[3] & 3 != 2 else { return nil }
            length = Int(frame.byteCount)
            kind = UInt32(header[1]) << 8 | UInt32(header[2] & 0x0C)
        }
    }
}
