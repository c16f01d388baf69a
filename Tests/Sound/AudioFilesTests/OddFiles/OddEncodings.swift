import Foundation
import TestAudio

@testable import AudioFiles

/// The rows of compressed sound, which the `ffmpeg` program encodes in one run.
struct OddEncodings {
    private let directory: TemporaryDirectory

    /// What is encoded from which sound: the name, the sound, and the program's arguments.
    private static let outputs: [(name: String, input: Int, arguments: String)] = [
        ("cbr.mp3", 0, "-c:a libmp3lame -b:a 128k"), ("bare.mp3", 0, "-c:a libmp3lame -b:a 128k -write_xing 0"),
        ("vbr.mp3", 0, "-c:a libmp3lame -q:a 4"), ("vbrbare.mp3", 0, "-c:a libmp3lame -q:a 4 -write_xing 0"),
        ("mono44.mp3", 1, "-c:a libmp3lame -b:a 64k"), ("mono44bare.mp3", 1, "-c:a libmp3lame -b:a 64k -write_xing 0"),
        ("mono24.mp3", 2, "-c:a libmp3lame -b:a 48k -write_xing 0"), ("two.mp2", 0, "-c:a mp2 -b:a 192k"),
        ("v.ogg", 0, "-c:a libvorbis -q:a 4"), ("v2.ogg", 0, "-c:a libvorbis -q:a 7 -serial_offset 77"),
        ("vm.ogg", 1, "-c:a libvorbis -q:a 3 -serial_offset 99"), ("o.opus", 0, "-c:a libopus -b:a 96k"),
        ("om.opus", 1, "-c:a libopus -b:a 48k -ar 48000 -serial_offset 5"), ("f.oga", 0, "-c:a flac -f ogg"),
        ("f2.oga", 0, "-c:a flac -f ogg -serial_offset 9"), ("s.spx", 2, "-ar 16000 -c:a libspeex"),
        ("f.flac", 0, "-c:a flac"), ("f24.flac", 0, "-c:a flac -sample_fmt s32"), ("a.m4a", 0, "-c:a aac"),
        ("am.m4a", 1, "-c:a aac"), ("l.m4a", 0, "-c:a alac"), ("f.mp4", 0, "-c:a flac -strict -2"),
        ("frag.m4a", 0, "-c:a aac -movflags frag_keyframe+empty_moov -frag_duration 100000"), ("a.aac", 0, "-c:a aac"),
        ("am.aac", 1, "-c:a aac"), ("l.caf", 0, "-c:a alac"), ("o.caf", 0, "-c:a libopus"),
        ("i.caf", 0, "-c:a adpcm_ima_qt"), ("u.caf", 0, "-c:a pcm_mulaw"), ("a.mka", 0, "-c:a aac"),
        ("f.mka", 0, "-c:a flac"),
        ("m.mka", 0, "-c:a libmp3lame"), ("o.webm", 0, "-c:a libopus"), ("v.webm", 0, "-c:a libvorbis"),
        ("w.wma", 0, "-c:a wmav2"), ("w.wv", 0, "-c:a wavpack"), ("t.tta", 0, "-c:a tta"), ("a.ac3", 0, "-c:a ac3"),
        ("e.eac3", 0, "-c:a eac3"), ("d.dts", 0, "-c:a dca -strict -2"), ("ima.wav", 0, "-c:a adpcm_ima_wav"),
        ("ms.wav", 0, "-c:a adpcm_ms"), ("gsm.wav", 2, "-ar 8000 -c:a libgsm_ms"), ("mp3.wav", 0, "-c:a libmp3lame"),
        ("g726.wav", 2, "-ar 8000 -c:a g726"), ("x.w64", 0, "-c:a pcm_s16le"), ("x.voc", 0, "-c:a pcm_s16le"),
        ("a.ts", 0, "-c:a aac"), ("m.avi", 0, "-c:a libmp3lame"), ("m.flv", 0, "-c:a libmp3lame -ar 44100"),
        ("p.nut", 0, "-c:a pcm_s16le"), ("ima.aifc", 0, "-c:a adpcm_ima_qt"),
    ]

    init(in directory: TemporaryDirectory) throws {
        self.directory = directory
        let inputs = [(2, 48_000), (1, 44_100), (1, 24_000)].map { channels, rate in
            let samples = OddSound.samples(frames: rate / 2, channels: channels, rate: rate)
            return OddBytes.riff(
                OddBytes.format(1, channels: channels, bits: 16, rate: rate),
                OddBytes.chunk("data", OddSound.bytes(samples, .s16)))
        }
        var arguments: [String] = []
        for (index, bytes) in inputs.enumerated() {
            arguments += ["-i", try TestFile.write(bytes: bytes, named: "input\(index).wav", in: directory)]
        }
        arguments += ["-f", "lavfi", "-i", "color=red:s=32x32:r=1:d=1"]
        for output in Self.outputs {
            arguments += ["-map", "\(output.input):a"] + output.arguments.split(separator: " ").map(String.init)
            arguments.append(directory.path(output.name))
        }
        arguments += [
            "-map", "3:v", "-map", "0:a", "-c:v", "libtheora", "-c:a", "libvorbis", directory.path("theora.ogg"),
        ]
        try EncodedFile.run(arguments)
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: directory.path(name))))
    }

    private func sound(_ name: String) throws -> [Float] {
        try AudioFileReader(path: directory.path(name), outputSampleRate: nil).readFrames()
    }

    private static func cut(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.prefix(bytes.count * 6 / 10)) }

    // MARK: Rows

    /// Every output as it is, and cut; what differs from the program is said.
    func whole() throws -> [OddFile] {
        var rows: [OddFile] = []
        let gapless = "without the encoder's delay and padding, as the file tells them"
        let others: [String: OddFile.Right] = [
            "s.spx": .frames(7857...7857, gapless), "a.m4a": .frames(24_000...24_000, gapless),
            "am.m4a": .frames(22_050...22_050, gapless), "frag.m4a": .frames(25_024...25_024, gapless),
            // libsndfile and FFmpeg round the steps of the code in other ways.
            "ima.aifc": .ffmpeg(within: 5e-3),
        ]
        // In milliseconds, or with the last packet's padding.
        let coarse = [
            "l.caf", "o.caf", "a.mka", "f.mka", "m.mka", "o.webm", "v.webm", "w.wma", "a.ts", "m.avi", "m.flv", "p.nut",
        ]
        for output in Self.outputs where !["mp3", "ogg", "opus"].contains(output.name.split(separator: ".").last) {
            var row = OddFile(output.name, try bytes(output.name), others[output.name] ?? .ffmpeg(within: 2e-3))
            row.hasCoarseLength = coarse.contains(output.name)
            rows.append(row)
        }
        rows.append(OddFile("theora.ogg", try bytes("theora.ogg"), .ffmpeg(within: 2e-3)))
        return rows
    }

    func mpeg() throws -> [OddFile] {
        typealias B = OddBytes
        var rows: [OddFile] = []
        func row(_ name: String, _ bytes: [UInt8], _ right: OddFile.Right = .ffmpeg(within: 2e-3), isCut: Bool = false)
        {
            var row = OddFile(name, bytes, right, isCut: isCut)
            // A tag that looks like a frame, and a frame that needs one before it, are counted.
            row.hasCoarseLength = name.contains("APE") || name.hasPrefix("bare +") || name.contains("between")
            row.hasCoarseLength = row.hasCoarseLength || name.hasPrefix("zeros")
            rows.append(row)
        }
        for name in ["cbr.mp3", "bare.mp3", "vbr.mp3", "vbrbare.mp3", "mono44.mp3", "mono24.mp3", "two.mp2"] {
            let whole = try bytes(name)
            let hasCount = ["cbr.mp3", "vbr.mp3", "mono44.mp3"].contains(name)
            row(name, whole)
            row("\(name), ID3 with a picture", B.id3(B.picture(300_000)) + whole)
            row(
                "\(name), two ID3",
                B.id3([UInt8](repeating: 0, count: 60)) + B.id3([UInt8](repeating: 0, count: 9)) + whole)
            row("\(name), TAG behind", whole + B.oldTag)
            row(
                "\(name), APE behind", whole + B.apeTag + B.oldTag,
                hasCount
                    ? .frames(22_050...24_000, "what is counted; the program decodes the tag") : .ffmpeg(within: 2e-3))
            row("\(name), cut", Self.cut(whole), isCut: hasCount)
        }
        let (bare, mono, slow) = (try bytes("bare.mp3"), try bytes("mono44bare.mp3"), try bytes("mono24.mp3"))
        row("bare + bare", bare + bare)
        row("bare + vbr bare", bare + (try bytes("vbrbare.mp3")))
        row("bare, ID3 between", bare + B.id3(B.picture(5000)) + bare)
        // The program plays each counting frame as sound, and the encoder's delay and padding with it.
        let joined = "each part without its encoder's delay and padding"
        let counted = try bytes("cbr.mp3")
        row("cbr + cbr", counted + counted, .frames(48_000...48_000, joined))
        row("cbr + vbr + cbr", counted + (try bytes("vbr.mp3")) + counted, .frames(72_000...72_000, joined))
        row("bare + cbr", bare + counted, .frames(24_000 + 25_344...24_000 + 25_344, joined))
        // The program converts with another filter, and so with another number of frames at the seam.
        let converted = "the second part at the rate of the first"
        let monoFrames = (mono.count / 208 + 1) * 1152
        row("bare + mono 44.1", bare + mono, .frames(25_344 + monoFrames...25_344 + monoFrames + 6000, converted))
        row("mono 24 + bare", slow + bare, .frames(24_000...32_000, converted))
        row("zeros before", [UInt8](repeating: 0, count: 70_000) + counted)
        var delayed = counted
        if let mark = delayed.firstRange(of: Array("Lavc".utf8))?.lowerBound {
            delayed.replaceSubrange(mark + 21..<mark + 24, with: [0xFF, 0xF0, 0x00])
            row("cbr, delay 4095", delayed)
            delayed.replaceSubrange(mark + 21..<mark + 24, with: [0x24, 0x0F, 0xFF])
            row("cbr, padding 4095", delayed)
        }
        return rows
    }

    func xiph() throws -> [OddFile] {
        typealias B = OddBytes
        var rows: [OddFile] = []
        func row(_ name: String, _ bytes: [UInt8], _ right: OddFile.Right = .ffmpeg(within: 2e-3), isCut: Bool = false)
        {
            rows.append(OddFile(name, bytes, right, isCut: isCut))
        }
        let (vorbis, other, mono) = (try bytes("v.ogg"), try bytes("v2.ogg"), try bytes("vm.ogg"))
        let (opus, monoOpus) = (try bytes("o.opus"), try bytes("om.opus"))
        // The program counts 128 frames less of a file of one page, and as many more in a chain.
        let (first, second) = (try sound("v.ogg"), try sound("v2.ogg"))
        row("vorbis", vorbis, .frames(24_000...24_000, "as encoded"))
        row("vorbis mono", mono, .frames(22_050...22_050, "as encoded"))
        row("opus", opus)
        row("opus mono", monoOpus)
        row("vorbis + vorbis", vorbis + other, .literal(first + second, within: 0))
        row("vorbis + vorbis + vorbis", vorbis + other + vorbis, .literal(first + second + first, within: 0))
        row("vorbis + the same", vorbis + vorbis, .literal(first + first, within: 0))
        row("opus + opus mono", opus + monoOpus, .frames(48_000...48_000, "one channel is heard at its own level"))
        let converted = "the second part at the rate of the first; the program's filter ends elsewhere"
        row("vorbis + mono 44.1", vorbis + mono, .frames(48_000...48_000, converted))
        row("mono 44.1 + vorbis", mono + vorbis, .frames(44_100...44_100, converted))
        row("vorbis + opus", vorbis + opus, .frames(48_000...48_000, "the program ends at the other codec"))
        row("flac + flac in ogg", try bytes("f.oga") + bytes("f2.oga"))
        row("vorbis, cut in the second", vorbis + Self.cut(other), .literal(first, within: 0), isCut: true)
        row("vorbis, noise between", vorbis + B.noise(3000) + other, .literal(first + second, within: 0))
        row("vorbis, noise behind", vorbis + B.noise(3000), .literal(first, within: 0))

        let flac = try bytes("f.flac")
        func total(_ count: Int) -> [UInt8] {
            // 36 bits behind those of rate, channels and bits.
            var bytes = flac
            bytes[21] = bytes[21] & 0xF0
            bytes.replaceSubrange(22..<26, with: B.be(count, 4))
            return bytes
        }
        row("flac, no total", total(0), .ffmpeg(within: 0))
        row("flac, ID3 before", B.id3([UInt8](repeating: 0, count: 40)) + flac, .ffmpeg(within: 0))
        row("flac, TAG behind", flac + B.oldTag, .ffmpeg(within: 0))
        row("flac, total half", total(12_000), .frames(12_000...12_000, "what the header says, as libFLAC"))
        row("flac, total double", total(48_000), .ffmpeg(within: 0), isCut: true)
        row(
            "flac, cut", Self.cut(flac), .frames(4096...20_000, "libFLAC leaves out the frame that is cut"), isCut: true
        )
        return rows
    }

    /// Compressed WAV whose sizes are wrong.
    func wave() throws -> [OddFile] {
        var rows: [OddFile] = []
        for name in ["ima.wav", "ms.wav", "gsm.wav", "mp3.wav"] {
            let whole = try bytes(name)
            guard let data = whole.firstRange(of: Array("data".utf8))?.upperBound else { continue }
            for (size, text) in [(0, "0"), (0xFFFF_FFFF, "FFFFFFFF")] {
                var bytes = whole
                bytes.replaceSubrange(4..<8, with: OddBytes.le(size, 4))
                bytes.replaceSubrange(data..<data + 4, with: OddBytes.le(size, 4))
                rows.append(OddFile("\(name), sizes \(text)", bytes, .ffmpeg(within: 2e-3)))
            }
        }
        return rows
    }
}

/// The `ffmpeg` program.
enum FFmpegProgram {
    /// The sound of files, interleaved; all by one process, which takes longer to start than to decode.
    static func decode(_ paths: [String], in directory: TemporaryDirectory) throws -> [[Float]] {
        guard !paths.isEmpty else { return [] }
        var arguments = paths.flatMap { ["-i", $0] }
        let outputs = paths.indices.map { directory.path("decoded\($0)") }
        for (index, output) in outputs.enumerated() { arguments += ["-map", "\(index):a:0", "-f", "f32le", output] }
        try EncodedFile.run(arguments)
        return try outputs.map { output in
            let data = try Data(contentsOf: URL(filePath: output))
            return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        }
    }
}
