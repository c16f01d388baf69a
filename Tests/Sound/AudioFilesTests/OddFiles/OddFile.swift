import Foundation

/// A sound file that a strict reader refuses, cuts, or plays as noise, and what is right.
struct OddFile {
    enum Right {
        /// The `ffmpeg` program's frames, within this difference.
        case ffmpeg(within: Float)
        /// These samples, interleaved, within this difference; where the program is wrong or the header says more than it reads.
        case literal([Float], within: Float)
        /// So many frames, for the reason that is given, and sound in them.
        case frames(ClosedRange<Int>, String)
        /// No sound.
        case refused
    }

    var name: String
    var bytes: [UInt8]
    var right: Right
    /// It ends before what its header says, or between two parts: an error follows the sound.
    var isCut = false
    /// The length that a player shows is the container's, in milliseconds or packets.
    var hasCoarseLength = false

    init(_ name: String, _ bytes: [UInt8], _ right: Right = .ffmpeg(within: 1e-6), isCut: Bool = false) {
        (self.name, self.bytes, self.right, self.isCut) = (name, bytes, right, isCut)
    }
}

/// A tone that is another at each frame, so that a shift by one shows, and other in each channel.
enum OddSound {
    static func samples(frames: Int, channels: Int, rate: Int = 48_000) -> [Float] {
        var samples: [Float] = []
        samples.reserveCapacity(frames * channels)
        for frame in 0..<frames {
            let time = Double(frame) / Double(rate)
            for channel in 0..<channels {
                let phase = 2 * Double.pi * (300 * Double(channel + 1) * time + 900 * time * time)
                // Exact in 16 bits.
                samples.append(Float((0.35 * sin(phase) * 32_768).rounded()) / 32_768)
            }
        }
        return samples
    }

    enum Form: String, CaseIterable {
        case s8, u8, s16, s24, s32, f32, f64, alaw, ulaw

        var bytes: Int {
            switch self {
            case .s8, .u8, .alaw, .ulaw: 1
            case .s16: 2
            case .s24: 3
            case .s32, .f32: 4
            case .f64: 8
            }
        }
    }

    static func bytes(_ samples: [Float], _ form: Form, bigEndian: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * form.bytes)
        func add(_ value: UInt64, _ count: Int) {
            for place in 0..<count {
                bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * (bigEndian ? count - 1 - place : place))))
            }
        }
        for sample in samples {
            let wide = Int64(Double(sample) * 2_147_483_648)
            switch form {
            case .s8: add(UInt64(bitPattern: wide >> 24), 1)
            case .u8: add(UInt64(bitPattern: wide >> 24 + 128), 1)
            case .s16: add(UInt64(bitPattern: wide >> 16), 2)
            case .s24: add(UInt64(bitPattern: wide >> 8), 3)
            case .s32: add(UInt64(bitPattern: wide), 4)
            case .f32: add(UInt64(sample.bitPattern), 4)
            case .f64: add(Double(sample).bitPattern, 8)
            case .alaw: bytes.append(aLaw(Int(wide >> 16)))
            case .ulaw: bytes.append(muLaw(Int(wide >> 16)))
            }
        }
        return bytes
    }

    /// Source: ITU-T G.711.
    private static func aLaw(_ sample: Int) -> UInt8 {
        let magnitude = min(sample < 0 ? -sample - 1 : sample, 32_767) >> 3
        let sign = sample < 0 ? 0 : 0x80
        var (segment, limit) = (0, 0x1F)
        while magnitude > limit, segment < 7 { (segment, limit) = (segment + 1, limit << 1 | 1) }
        let step = segment < 2 ? magnitude >> 1 : magnitude >> segment
        return UInt8((segment << 4 | step & 0xF) ^ 0x55 ^ sign)
    }

    private static func muLaw(_ sample: Int) -> UInt8 {
        let magnitude = min(abs(sample), 32_635) + 132
        let segment = max(0, (Int.bitWidth - magnitude.leadingZeroBitCount) - 8)
        return ~UInt8((sample < 0 ? 0x80 : 0) | segment << 4 | (magnitude >> (segment + 3)) & 0xF)
    }
}

/// Chunks, tags and headers.
enum OddBytes {
    static func le(_ value: Int, _ count: Int) -> [UInt8] { littleEndian(value, count) }
    static func be(_ value: Int, _ count: Int) -> [UInt8] { littleEndian(value, count).reversed() }

    static func chunk(_ name: String, _ contents: [UInt8], size: Int? = nil, bigEndian: Bool = false) -> [UInt8] {
        let length = size ?? contents.count
        return Array(name.utf8) + (bigEndian ? be(length, 4) : le(length, 4)) + contents
            + (contents.count.isMultiple(of: 2) ? [] : [0])
    }

    static func format(
        _ tag: Int, channels: Int, bits: Int, block: Int? = nil, rate: Int = 48_000, extra: [UInt8] = [],
        bigEndian: Bool = false
    ) -> [UInt8] {
        let block = block ?? channels * ((bits + 7) / 8)
        let number = bigEndian ? be : le
        let fields = [(tag, 2), (channels, 2), (rate, 4), (rate * block, 4), (block, 2), (bits, 2)]
        return chunk("fmt ", fields.flatMap { number($0.0, $0.1) } + extra, bigEndian: bigEndian)
    }

    static func extensible(channels: Int, bits: Int, valid: Int, mask: Int, tag: Int = 1) -> [UInt8] {
        let identifier: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        let fields: [UInt8] = le(22, 2) + le(valid, 2) + le(mask, 4) + le(tag, 2)
        return format(0xFFFE, channels: channels, bits: bits, extra: fields + identifier)
    }

    static func riff(_ chunks: [UInt8]..., size: Int? = nil, name: String = "RIFF") -> [UInt8] {
        var body = Array("WAVE".utf8)
        for chunk in chunks { body += chunk }
        let isBig = name == "RIFX"
        let length = size ?? body.count
        return Array(name.utf8) + (isBig ? be(length, 4) : le(length, 4)) + body
    }

    /// An 80-bit float.
    static func extended(_ rate: Int) -> [UInt8] {
        let exponent = Int.bitWidth - 1 - rate.leadingZeroBitCount
        return be(exponent + 16_383, 2) + be(rate << (63 - exponent), 8)
    }

    static func common(_ kind: String?, channels: Int, frames: Int, bits: Int, rate: Int = 48_000) -> [UInt8] {
        let name: [UInt8] = kind.map { Array($0.utf8) + [UInt8](repeating: 0, count: 2) } ?? []
        let fields: [UInt8] = be(channels, 2) + be(frames, 4) + be(bits, 2)
        return chunk("COMM", fields + extended(rate) + name, bigEndian: true)
    }

    static func sound(_ data: [UInt8], size: Int? = nil, offset: Int = 0) -> [UInt8] {
        let before: [UInt8] = be(offset, 4) + be(0, 4) + [UInt8](repeating: 0x7F, count: offset)
        return chunk("SSND", before + data, size: size, bigEndian: true)
    }

    static func aiff(_ kind: String?, _ chunks: [UInt8]...) -> [UInt8] {
        var body = Array((kind == nil ? "AIFF" : "AIFC").utf8)
        if kind != nil { body += chunk("FVER", be(0xA280_5140, 4), bigEndian: true) }
        for chunk in chunks { body += chunk }
        return Array("FORM".utf8) + be(body.count, 4) + body
    }

    static func id3(_ contents: [UInt8], version: UInt8 = 3, flags: UInt8 = 0) -> [UInt8] {
        var bytes: [UInt8] = Array("ID3".utf8) + [version, 0, flags]
        for shift in [21, 14, 7, 0] { bytes.append(UInt8(truncatingIfNeeded: contents.count >> shift & 0x7F)) }
        return bytes + contents
    }

    /// A picture that no reader decodes, of many bytes.
    static func picture(_ count: Int) -> [UInt8] {
        var random = OddRandom()
        let image = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x7F) }
        let contents: [UInt8] = Array("\0image/jpeg\0\u{3}\0".utf8) + [0xFF, 0xD8, 0xFF, 0xE0] + image
        let head: [UInt8] = Array("APIC".utf8) + be(contents.count, 4)
        return head + [0, 0] + contents
    }

    static var apeTag: [UInt8] {
        let footer: [UInt8] = Array("APETAGEX".utf8) + le(2000, 4) + le(532, 4) + le(0, 8)
        return [UInt8](repeating: 0x41, count: 500) + footer + [UInt8](repeating: 0, count: 8)
    }

    static var oldTag: [UInt8] { Array("TAG".utf8) + [UInt8](repeating: 0x78, count: 125) }

    static func bytes(of samples: [Int]) -> [UInt8] { samples.flatMap { le($0, 2) } }

    static func noise(_ count: Int) -> [UInt8] {
        var random = OddRandom()
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}

/// The same bytes in each run.
private struct OddRandom {
    private var state: UInt64 = 1
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
