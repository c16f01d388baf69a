/// How the frames of an MPEG audio file (MP3, MP2) are counted, and which of them belong together.
///
/// libsndfile takes the length from the first frame, and plays no further: it is right where that frame counts all others
/// (Xing), and reads a third of a file of variable rate that lacks it, or the first of several that were joined.
/// Source: ISO/IEC 11172-3, section 2.4.2.3; ISO/IEC 13818-3, section 2.4.2.3; LAME's VbrTag.c; ID3v2.4, section 3.1.
package enum MPEGSound: Equatable {
    /// The first frame counts all that the file has.
    case counted
    /// Nothing counts them; this number of frames was found.
    case uncounted(frames: Int64)
    /// Sounds one after the other, of which each begins with a frame that counts it, or has another form than the one before:
    /// their bytes.
    case joined([Range<Int64>])

    /// - Returns: nil for other files.
    init?(_ file: borrowing RegularFile) {
        var blocks = BlockReader(file)
        guard let start = Self.firstFrame(&blocks, from: Self.behindTags(&blocks, at: 0)) else { return nil }
        if let count = Self.count(in: start.frame, at: start.offset, &blocks), let bytes = count.bytes,
            !Self.goesOn(at: start.offset + bytes, &blocks)
        {
            self = .counted
            return
        }
        self = Self.scan(&blocks, from: start)
    }

    /// One frame's header.
    package struct Frame: Equatable {
        /// A change of it is another sound.
        let form: Int
        package let byteCount: Int64
        let sampleCount: Int
        /// Where the mark of a counting frame stands, in bytes behind the header.
        let sideByteCount: Int

        package init?(_ header: ArraySlice<UInt8>) {
            guard header.count >= 4, let first = header.first, first == 0xFF else { return nil }
            let bytes = header.prefix(4).map(Int.init)
            let (version, layer, rateIndex) = (bytes[1] >> 3 & 3, 4 - (bytes[1] >> 1 & 3), bytes[2] >> 2 & 3)
            let bitRateIndex = bytes[2] >> 4
            guard bytes[1] & 0xE0 == 0xE0, version != 1, layer != 4, rateIndex != 3, (1...14).contains(bitRateIndex)
            else {
                return nil
            }
            // Versions 2 and 2.5 have half and a quarter of the rates.
            let isFirst = version == 3
            let rate = [44_100, 48_000, 32_000][rateIndex] >> (isFirst ? 0 : version == 2 ? 1 : 2)
            let table = isFirst ? layer - 1 : layer == 1 ? 3 : 4
            let bitsPerSecond = Self.kilobits[table][bitRateIndex - 1] * 1000
            let padding = bytes[2] >> 1 & 1
            sampleCount = layer == 1 ? 384 : layer == 3 && !isFirst ? 576 : 1152
            byteCount = Int64(
                layer == 1
                    ? (12 * bitsPerSecond / rate + padding) * 4 : sampleCount / 8 * bitsPerSecond / rate + padding)
            let isMono = bytes[3] >> 6 == 3
            sideByteCount = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
            form = version << 5 | layer << 3 | rateIndex << 1 | (isMono ? 1 : 0)
            guard byteCount > 4 else { return nil }
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

    /// Where the ID3 tags end that a file of any kind may begin with; 0: it has none.
    static func offsetBehindTags(_ file: borrowing RegularFile) -> Int64 {
        guard file.bytes(at: 0, count: 3).elementsEqual("ID3".utf8) else { return 0 }
        var blocks = BlockReader(file)
        return min(behindTags(&blocks, at: 0), file.byteCount)
    }

    // MARK: The first frame

    private typealias Place = (offset: Int64, frame: Frame)

    /// Behind all tags that follow one another.
    private static func behindTags(_ blocks: inout BlockReader, at offset: Int64) -> Int64 {
        var offset = offset
        for _ in 0..<64 {
            guard let tag = ID3Tag.length(header: blocks.bytes(at: offset, count: 10)) else { break }
            offset += tag.whole
        }
        return offset
    }

    /// The frame there or soon behind, which another one follows; padding may stand before it.
    private static func firstFrame(_ blocks: inout BlockReader, from start: Int64) -> Place? {
        for offset in start..<start + 4096 {
            guard let frame = Frame(blocks.bytes(at: offset, count: 4)) else { continue }
            let next = blocks.bytes(at: offset + frame.byteCount, count: 4)
            if next.isEmpty || Frame(next)?.form == frame.form { return (offset, frame) }
        }
        return nil
    }

    /// The frames, without itself, and the bytes, with itself, that a frame counts; nil for a frame of sound.
    private static func count(
        in frame: Frame, at offset: Int64, _ blocks: inout BlockReader
    ) -> (frames: Int64?, bytes: Int64?)? {
        var rest = ByteReader(blocks.bytes(at: offset + 4 + Int64(frame.sideByteCount), count: 16))
        guard let mark = rest.take(4), mark.elementsEqual("Xing".utf8) || mark.elementsEqual("Info".utf8),
            let flags = rest.number(4)
        else { return nil }
        let frames = flags & 1 != 0 ? rest.number(4) : nil
        let bytes = flags & 2 != 0 ? rest.number(4) : nil
        return (frames.map(Int64.init), bytes.flatMap { $0 > 0 ? Int64($0) : nil })
    }

    /// Whether frames follow what was counted, and not only tags.
    private static func goesOn(at end: Int64, _ blocks: inout BlockReader) -> Bool {
        guard let next = firstFrame(&blocks, from: behindTags(&blocks, at: max(0, end - 2))) else { return false }
        // One more is what some encoders forget to count; two are sound.
        return Frame(blocks.bytes(at: next.offset + next.frame.byteCount, count: 4)) != nil
    }

    // MARK: All frames

    /// More are not told apart.
    private static let mostParts = 1000
    /// More than two days; a hostile file has them in few bytes each.
    private static let mostFrames: Int64 = 8_000_000
    /// A frame that is farther behind damage is not looked for.
    private static let longestDamage: Int64 = 1 << 20

    private static func scan(_ blocks: inout BlockReader, from start: Place) -> MPEGSound {
        var (offset, form, frames): (Int64, Int, Int64) = (start.offset, start.frame.form, 0)
        var starts: [Int64] = [0]
        var firstCount = count(in: start.frame, at: start.offset, &blocks)
        while true {
            let frame: Frame
            if let here = Frame(blocks.bytes(at: offset, count: 4)) {
                frame = here
            } else {
                guard let next = nextFrame(&blocks, from: behindTags(&blocks, at: offset)) else { break }
                (offset, frame) = next
            }
            if frames > 0, frame.form != form || count(in: frame, at: offset, &blocks) != nil {
                // A lone frame of another form is damage.
                guard Frame(blocks.bytes(at: offset + frame.byteCount, count: 4))?.form == frame.form else {
                    offset += 1
                    continue
                }
                guard starts.count < mostParts else { return .uncounted(frames: .max) }
                starts.append(offset)
                (form, firstCount) = (frame.form, nil)
            }
            frames += 1
            offset += frame.byteCount
            guard frames < mostFrames else { return .uncounted(frames: .max) }
        }
        guard starts.count > 1 else {
            // The counting frame does not count itself.
            let isCounted = firstCount?.frames.map { frames - 1 <= $0 } == true
            return isCounted ? .counted : .uncounted(frames: frames * Int64(start.frame.sampleCount))
        }
        let ends = starts.dropFirst() + [blocks.byteCount]
        return .joined(zip(starts, ends).map { $0..<$1 })
    }

    /// Behind damage: three frames that follow one another.
    private static func nextFrame(_ blocks: inout BlockReader, from start: Int64) -> Place? {
        var offset = start
        while offset + 4 <= min(blocks.byteCount, start + longestDamage) {
            if let frame = Frame(blocks.bytes(at: offset, count: 4)),
                let second = Frame(blocks.bytes(at: offset + frame.byteCount, count: 4)), second.form == frame.form
            {
                let third = offset + frame.byteCount + second.byteCount
                if third >= blocks.byteCount || Frame(blocks.bytes(at: third, count: 4))?.form == frame.form {
                    return (offset, frame)
                }
            }
            offset += 1
        }
        return nil
    }
}

/// Reads a file in blocks, for walks that ask for a few bytes at a time.
struct BlockReader: ~Copyable {
    private static let blockBytes = 65_536

    let byteCount: Int64
    private let descriptor: Int32
    private let start: Int64
    private var block: [UInt8] = []
    private var blockStart: Int64 = 0

    /// - Parameter file: kept open by the caller.
    init(_ file: borrowing RegularFile) {
        (byteCount, descriptor, start) = (file.byteCount, file.descriptor, file.start)
    }

    /// Up to `count` bytes, at most a block's; fewer at the end of the file.
    mutating func bytes(at offset: Int64, count: Int) -> ArraySlice<UInt8> {
        guard offset >= 0, offset < byteCount else { return [] }
        let wanted = Int(min(Int64(count), byteCount - offset))
        if offset < blockStart || offset + Int64(wanted) > blockStart + Int64(block.count) {
            block = RegularFile.bytes(
                descriptor, at: start + offset, count: Int(min(Int64(Self.blockBytes), byteCount - offset)))
            blockStart = offset
        }
        let first = Int(offset - blockStart)
        return block.dropFirst(first).prefix(wanted)
    }
}
