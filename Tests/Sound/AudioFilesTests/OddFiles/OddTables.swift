import Foundation

/// The rows of linear PCM, made here.
enum OddTables {
    static let frames = 12_000
    static let stereo = OddSound.samples(frames: frames, channels: 2)
    static let mono = OddSound.samples(frames: frames, channels: 1)

    /// G.711 keeps 8 bits; the two libraries agree on their values.
    private static func step(_ form: OddSound.Form) -> Float { form == .s8 || form == .u8 ? 1.0 / 128 : 0.03 }

    static func wave() -> [OddFile] {
        typealias B = OddBytes
        var rows: [OddFile] = []
        for (form, tag) in [
            (OddSound.Form.u8, 1), (.s16, 1), (.s24, 1), (.s32, 1), (.f32, 3), (.f64, 3), (.alaw, 6), (.ulaw, 7),
        ] {
            let data = OddSound.bytes(stereo, form)
            let format = B.format(tag, channels: 2, bits: 8 * form.bytes)
            let name = "wav \(form)"
            rows += [
                OddFile("\(name)", B.riff(format, B.chunk("data", data))),
                OddFile("\(name), sizes 0", B.riff(format, B.chunk("data", data, size: 0), size: 0)),
                OddFile("\(name), data 0", B.riff(format, B.chunk("data", data, size: 0))),
                OddFile(
                    "\(name), sizes FFFFFFFF",
                    B.riff(format, B.chunk("data", data, size: 0xFFFF_FFFF), size: 0xFFFF_FFFF)),
                OddFile(
                    "\(name), data 7FFFF000",
                    B.riff(format, B.chunk("data", data, size: 0x7FFF_F000), size: 0x7FFF_F024)),
                OddFile(
                    "\(name), cut",
                    B.riff(format, B.chunk("data", Array(data.prefix(data.count / 2 + 1)), size: data.count)),
                    isCut: true),
                OddFile("\(name), two data", B.riff(format, B.chunk("data", data), B.chunk("data", data))),
            ]
        }
        let data = OddSound.bytes(stereo, .s16)
        let format = B.format(1, channels: 2, bits: 16)
        let sound = B.chunk("data", data)
        let list = B.chunk("LIST", Array("INFOISFT\u{6}\0\0\0tool1\0".utf8))
        rows += [
            OddFile("wav, riff 0", B.riff(format, sound, size: 0)),
            OddFile("wav, sizes 80000000", B.riff(format, B.chunk("data", data, size: 0x8000_0000), size: 0x8000_0024)),
            OddFile(
                "wav, data 1 GB more", B.riff(format, B.chunk("data", data, size: data.count + 1 << 30)), isCut: true),
            OddFile("wav, TAG behind", B.riff(format, sound) + B.oldTag),
            OddFile("wav, noise behind", B.riff(format, sound) + B.noise(1000)),
            OddFile("wav, LIST before and behind", B.riff(format, list, sound, list)),
            OddFile("wav, LIST of zeros", B.riff(format, B.chunk("LIST", [UInt8](repeating: 0, count: 5000)), sound)),
            OddFile("wav, JUNK first", B.riff(B.chunk("JUNK", [UInt8](repeating: 0, count: 28)), format, sound)),
            OddFile("wav, odd chunk", B.riff(format, B.chunk("axml", [UInt8](repeating: 0x78, count: 499)), sound)),
            OddFile("wav, ID3 before", B.id3([UInt8](repeating: 0, count: 40)) + B.riff(format, sound)),
            OddFile("wav, fact lies", B.riff(format, B.chunk("fact", B.le(1000, 4)), sound)),
            OddFile("wav, one frame", B.riff(format, B.chunk("data", Array(data.prefix(4))))),
            OddFile("wav, fmt of 18", B.riff(B.format(1, channels: 2, bits: 16, extra: [0, 0]), sound)),
            OddFile("wav, block 0", B.riff(B.format(1, channels: 2, bits: 16, block: 0), sound)),
            OddFile("wav, 12 in 16", B.riff(B.format(1, channels: 2, bits: 12), sound), .literal(stereo, within: 0)),
            OddFile("wav, data 0 and a chunk", B.riff(format, B.chunk("data", []), list), .frames(0...0, "no sound")),
            OddFile(
                "wav, 20 in 24",
                B.riff(
                    B.extensible(channels: 2, bits: 24, valid: 20, mask: 3),
                    B.chunk("data", OddSound.bytes(stereo, .s24)))),
            OddFile(
                "wav, 24 in 32",
                B.riff(
                    B.extensible(channels: 2, bits: 32, valid: 24, mask: 3),
                    B.chunk("data", OddSound.bytes(stereo, .s32))),
                .literal(stereo, within: 0)),
            OddFile(
                "wav, 24 in 32 by the block only",
                B.riff(
                    B.format(1, channels: 2, bits: 24, block: 8), B.chunk("data", OddSound.bytes(stereo, .s32))),
                .literal(stereo, within: 0)),
        ]
        for (name, count, mask) in [
            ("mono, two bits", 1, 3), ("mono, left", 1, 1), ("mono, LFE", 1, 8), ("stereo, no mask", 2, 0),
            ("stereo, all bits", 2, -1), ("stereo, center and LFE", 2, 0xC), ("quad", 4, 0x33), ("5.1", 6, 0x3F),
            ("5.1 side", 6, 0x60F), ("5.1, no mask", 6, 0), ("7.1", 8, 0x63F), ("9 of 6", 9, 0x3F),
        ] {
            let samples = OddSound.samples(frames: 3000, channels: count)
            rows.append(
                OddFile(
                    "wav, mask: \(name)",
                    B.riff(
                        B.extensible(channels: count, bits: 16, valid: 16, mask: mask & 0xFFFF_FFFF),
                        B.chunk("data", OddSound.bytes(samples, .s16)))))
        }
        for name in ["RF64", "BW64"] {
            let sizes: [UInt8] = B.le(data.count + 80, 8) + B.le(data.count, 8) + B.le(frames, 8) + B.le(0, 4)
            let none = [UInt8](repeating: 0, count: 28)
            let mark = 0xFFFF_FFFF
            rows += [
                OddFile(
                    name,
                    B.riff(B.chunk("ds64", sizes), format, B.chunk("data", data, size: mark), size: mark, name: name)),
                OddFile("\(name), no mark", B.riff(B.chunk("ds64", sizes), format, sound, name: name)),
                OddFile(
                    "\(name), sizes 0",
                    B.riff(B.chunk("ds64", none), format, B.chunk("data", data, size: mark), size: mark, name: name),
                    .literal(stereo, within: 0)),
            ]
        }
        for form in [OddSound.Form.s16, .s24, .f32] {
            let data = OddSound.bytes(stereo, form, bigEndian: true)
            let format = B.format(form == .f32 ? 3 : 1, channels: 2, bits: 8 * form.bytes, bigEndian: true)
            for (name, size) in [("", data.count), (", data 0", 0)] {
                rows.append(
                    OddFile(
                        "RIFX \(form)\(name)",
                        B.riff(format, B.chunk("data", data, size: size, bigEndian: true), name: "RIFX"),
                        .literal(stereo, within: 0)))
            }
        }
        return rows
    }

    static func aiff() -> [OddFile] {
        typealias B = OddBytes
        var rows: [OddFile] = []
        let order: [UInt8] = B.be(10, 4) + Array("enda".utf8) + B.be(1, 2)
        let atoms: [UInt8] = B.be(12, 4) + Array("frmafl32".utf8) + order + B.be(8, 4) + B.be(0, 4)
        let wave = B.chunk("wave", atoms, bigEndian: true)
        let kinds: [(kind: String?, form: OddSound.Form, bits: Int, isLittle: Bool)] = [
            (nil, .s8, 8, false), (nil, .s16, 16, false), (nil, .s24, 24, false), (nil, .s32, 32, false),
            ("NONE", .s16, 16, false), ("twos", .s16, 16, false), ("sowt", .s16, 16, true), ("sowt", .s24, 24, true),
            ("raw ", .u8, 8, false), ("in24", .s24, 24, false), ("in24", .s24, 16, false), ("in32", .s32, 32, false),
            ("in32", .s32, 16, false), ("42ni", .s24, 24, true), ("23ni", .s32, 32, true), ("fl32", .f32, 32, false),
            ("FL32", .f32, 32, false), ("fl64", .f64, 64, false), ("ulaw", .ulaw, 8, false), ("ALAW", .alaw, 8, false),
        ]
        for (kind, form, bits, isLittle) in kinds {
            let data = OddSound.bytes(stereo, form, bigEndian: !isLittle)
            let head = B.common(kind, channels: 2, frames: frames, bits: bits)
            let name = "aiff \(kind ?? "") \(form) \(bits)"
            let right = OddFile.Right.literal(stereo, within: [.s8, .u8, .ulaw, .alaw].contains(form) ? step(form) : 0)
            rows += [
                OddFile(name, B.aiff(kind, head, B.sound(data)), right),
                OddFile("\(name), size 0", B.aiff(kind, head, B.sound(data, size: 0)), right),
                OddFile(
                    "\(name), cut",
                    B.aiff(kind, head, B.sound(Array(data.prefix(data.count / 2)), size: data.count + 8)),
                    .literal(
                        Array(stereo.prefix(frames)), within: [.s8, .u8, .ulaw, .alaw].contains(form) ? step(form) : 0),
                    isCut: true),
            ]
        }
        for (kind, form) in [("fl32", OddSound.Form.f32), ("fl64", .f64), ("in24", .s24), ("in32", .s32)] {
            let data = OddSound.bytes(stereo, form)
            let head = B.common(kind, channels: 2, frames: frames, bits: 8 * form.bytes)
            rows.append(
                OddFile(
                    "aiff \(kind), little-endian by wave", B.aiff(kind, head, wave, B.sound(data)),
                    .literal(stereo, within: 0)))
        }
        let data = OddSound.bytes(stereo, .s16, bigEndian: true)
        let head = B.common(nil, channels: 2, frames: frames, bits: 16)
        rows += [
            OddFile("aiff, COMM last", B.aiff(nil, B.sound(data), head), .literal(stereo, within: 0)),
            OddFile("aiff, offset", B.aiff(nil, head, B.sound(data, offset: 512)), .literal(stereo, within: 0)),
            OddFile("aiff, TAG behind", B.aiff(nil, head, B.sound(data)) + B.oldTag, .literal(stereo, within: 0)),
        ]
        return rows
    }

    static func others() -> [OddFile] {
        typealias B = OddBytes
        var rows: [OddFile] = []
        for (form, code) in [
            (OddSound.Form.s16, 3), (.s24, 4), (.s32, 5), (.f32, 6), (.f64, 7), (.ulaw, 1), (.alaw, 27),
        ] {
            let data = OddSound.bytes(stereo, form, bigEndian: true)
            for (name, size, part, isCut) in [
                ("", data.count, data, false), (", size FFFFFFFF", 0xFFFF_FFFF, data, false),
                (", cut", data.count, Array(data.prefix(data.count / 2)), true),
            ] {
                let head = Array(".snd".utf8) + [32, size, code, 48_000, 2, 0, 0].flatMap { B.be($0, 4) }
                rows.append(OddFile("au \(form)\(name)", head + part, isCut: isCut))
            }
        }
        for (form, flags) in [(OddSound.Form.s16, 0), (.s16, 2), (.s24, 0), (.f32, 1), (.f32, 3)] {
            let data = OddSound.bytes(stereo, form, bigEndian: flags & 2 == 0)
            let rate = B.be(Int(bitPattern: UInt(48_000.0.bitPattern)), 8)
            let description = [flags, 2 * form.bytes, 1, 2, 8 * form.bytes].flatMap { B.be($0, 4) }
            let start: [UInt8] = Array("caff".utf8) + [0, 1, 0, 0] + Array("desc".utf8) + B.be(32, 8)
            let head: [UInt8] = start + rate + Array("lpcm".utf8) + description
            for (name, size, part, isCut) in [
                ("", data.count + 4, data, false), (", size -1", -1, data, false),
                (", cut", data.count + 4, Array(data.prefix(data.count / 2)), true),
            ] {
                let before: [UInt8] = head + Array("data".utf8) + B.be(size, 8) + B.be(0, 4)
                rows.append(OddFile("caf \(form) \(flags)\(name)", before + part, isCut: isCut))
            }
        }
        return rows + [dsd()]
    }

    /// A tone of one bit, by a modulator of the second order.
    private static func dsd() -> OddFile {
        typealias B = OddBytes
        let (count, block) = (282_240, 4096)
        func channel(_ hertz: Double) -> [UInt8] {
            var (bytes, first, second) = ([UInt8](repeating: 0, count: count / 8), 0.0, 0.0)
            for index in 0..<count {
                let value = 0.4 * sin(2 * .pi * hertz * Double(index) / 2_822_400) + 2 * first - second
                let bit = value >= 0
                (second, first) = (first, value - (bit ? 1 : -1))
                if bit { bytes[index / 8] |= 1 << (index % 8) }
            }
            return bytes + [UInt8](repeating: 0x69, count: (block - bytes.count % block) % block)
        }
        let (left, right) = (channel(1000), channel(2000))
        var data: [UInt8] = []
        for start in stride(from: 0, to: left.count, by: block) {
            data += left[start..<start + block] + right[start..<start + block]
        }
        let fields = [1, 0, 2, 2, 2_822_400, 1, count, 0, block, 0].flatMap { B.le($0, 4) }
        let format: [UInt8] = Array("fmt ".utf8) + B.le(52, 8) + fields
        let sound: [UInt8] = Array("data".utf8) + B.le(12 + data.count, 8) + data
        let head = Array("DSD ".utf8) + [28, 28 + format.count + sound.count, 0].flatMap { B.le($0, 8) }
        return OddFile("dsf", head + format + sound)
    }
}
