import AudioModel
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles

/// Files that FFmpeg's program encoded, read by FFmpeg's libraries.
@Suite
struct LibavTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A kind of file, and what is known of it.
    struct Kind: CustomTestStringConvertible {
        var ending: String
        var codec: String
        var name: String
        var type: AudioFileType
        /// Frames that the encoder adds before and behind the sound, and the file does not tell.
        var added = 0...0
        var isLossless = false
        /// The rate that the codec works at.
        var sampleRate = 44_100

        var testDescription: String { "\(codec) in \(ending)" }
    }

    static let kinds = [
        Kind(ending: "m4a", codec: "aac", name: "AAC (MPEG-4)", type: AudioFileType(container: .mpeg4, coding: .aac)),
        Kind(
            ending: "m4a", codec: "alac", name: "Apple Lossless, 16 bit (MPEG-4)",
            type: AudioFileType(container: .mpeg4, coding: .appleLossless(bits: 16)), isLossless: true),
        Kind(
            ending: "aac", codec: "aac", name: "AAC (ADTS)", type: AudioFileType(container: .adts, coding: .aac),
            added: 1024...2048),
        // FFmpeg 9 tells what it adds before the sound.
        Kind(
            ending: "mka", codec: "aac", name: "AAC", type: AudioFileType(container: .other, coding: .aac),
            added: 0...2048),
        Kind(
            ending: "mka", codec: "flac", name: "FLAC", type: AudioFileType(container: .other, coding: .other),
            isLossless: true),
        Kind(
            ending: "webm", codec: "libopus", name: "Opus", type: AudioFileType(container: .other, coding: .opus),
            sampleRate: 48_000),
        Kind(
            ending: "wma", codec: "wmav2", name: "Windows Media Audio",
            type: AudioFileType(container: .other, coding: .other), added: -2048...4096),
        Kind(
            ending: "wv", codec: "wavpack", name: "WAVPACK", type: AudioFileType(container: .other, coding: .other),
            isLossless: true),
    ]

    private func file(_ kind: Kind, seconds: Double = 2, channels: Int = 2) throws -> (path: String, wav: String) {
        try EncodedFile.write(
            .sine(hertz: 440), seconds: seconds, sampleRate: kind.sampleRate, channels: channels, codec: kind.codec,
            ending: kind.ending, in: directory)
    }

    @Test(arguments: kinds) func open_tellsWhatTheFileIs(kind: Kind) throws {
        let reader = try AudioFileReader(path: try file(kind).path, outputSampleRate: nil)
        #expect(reader.info.formatName == kind.name)
        #expect(reader.type == kind.type)
        #expect(reader.info.sampleRate == Double(kind.sampleRate))
        #expect(reader.info.channels == [.left, .right])
        // ADTS has no tags.
        #expect(reader.info.title == (kind.ending == "aac" ? nil : "Tone"))
        #expect(reader.info.artist == (kind.ending == "aac" ? nil : "Nobody"))
        #expect(abs(reader.info.duration - 2) < 0.1)
    }

    /// Without the encoder's delay and padding where the file tells them.
    @Test(arguments: kinds) func length_isThatOfTheSound(kind: Kind) throws {
        let reader = try FrameReader(path: try file(kind).path)
        let frames = 2 * kind.sampleRate
        #expect((frames + kind.added.lowerBound...frames + kind.added.upperBound).contains(Int(reader.info.frameCount)))
        var samples = [Double](repeating: 0, count: 4096 * 2)
        var read = 0
        while case let got = try samples.withUnsafeMutableBufferPointer({ try reader.read(into: $0) }), got > 0 {
            read += got
        }
        #expect(read == Int(reader.info.frameCount))
    }

    @Test(arguments: kinds) func sound_isTheEncodedOne(kind: Kind) throws {
        let (path, wav) = try file(kind)
        let original = try AudioFileReader(path: wav, outputSampleRate: nil).readFrames()
        let decoded = try AudioFileReader(path: path, outputSampleRate: nil).readFrames()
        if kind.isLossless {
            #expect(decoded == original)
        } else if kind.added == 0...0 {
            // The very frames: a shift by one would be 0.03.
            #expect(largestDifference(decoded.dropFirst(8192).prefix(100_000), original.dropFirst(8192)) < 0.02)
        }
        #expect(decoded.peak > 0.4)
    }

    @Test(arguments: kinds) func seek_landsOnTheFrame(kind: Kind) throws {
        let path = try file(kind).path
        let all = try AudioFileReader(path: path, outputSampleRate: nil).readFrames()
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        for frame in [70_000, 0, 1, 9000, 30_000, 81_234, 100] {
            try reader.seek(toFrame: Int64(frame))
            #expect(reader.position == Int64(frame))
            let heard = try reader.readFrames(500)
            #expect(heard.count == 1000, "\(frame)")
            #expect(largestDifference(heard, all[(frame * 2)...]) < 0.01, "\(frame)")
        }
    }

    @Test func surround_hasItsPlaces() throws {
        let path = try file(Self.kinds[0], channels: 6).path
        let reader = try AudioFileReader(path: path, outputSampleRate: 48_000)
        #expect(reader.info.channels.count == 6)
        #expect(Set(reader.info.channels).isSuperset(of: [.left, .right, .center, .lowFrequency]))
        #expect(
            try AudioFileReader(path: try file(Self.kinds[0], channels: 1).path, outputSampleRate: nil).info.channels
                == [.mono])
    }

    @Test func data_isReadAsTheFile() throws {
        let path = try file(Self.kinds[0]).path
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let reader = try AudioFileReader(contents: bytes, name: "the data", outputSampleRate: nil)
        #expect(try reader.readFrames() == AudioFileReader(path: path, outputSampleRate: nil).readFrames())
    }

    @Test(arguments: ["m4a", "aac", "mka", "wma", "wv", "ape", "amr", "ac3"]) func damagedBeginning_isRefusedInWords(
        ending: String
    ) throws {
        let beginnings: [String: [UInt8]] = [
            "m4a": Array("\0\0\0\u{20}ftypM4A ".utf8), "aac": [0xFF, 0xF1, 0x50], "mka": [0x1A, 0x45, 0xDF, 0xA3],
            "wma": [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], "wv": Array("wvpk".utf8),
            "ape": Array("MAC ".utf8),
            "amr": Array("#!AMR".utf8), "ac3": [0x0B, 0x77],
        ]
        let bytes = try #require(beginnings[ending]) + [UInt8](repeating: 7, count: 500)
        let path = try TestFile.write(bytes: bytes, named: "damaged.\(ending)", in: directory)
        let error = try #require(openError(path))
        #expect(error.kind == .notAudio)
        #expect(error.message.contains("damaged.\(ending)"))
        #expect(error.message.contains("begins like"))
    }

    /// Cut in the middle: what there is plays, and then it is an error, or the end where the file tells no length.
    @Test(arguments: kinds) func cutFile_playsAsFarAsItGoes(kind: Kind) throws {
        let path = try file(kind).path
        let bytes = try Data(contentsOf: URL(filePath: path))
        for part in [0.05, 0.5, 0.9] {
            let cut = try TestFile.write(
                bytes: bytes.prefix(Int(Double(bytes.count) * part)), named: "cut.\(kind.ending)", in: directory)
            guard let reader = try? AudioFileReader(path: cut, outputSampleRate: 48_000) else { continue }
            let (samples, error) = reader.readToEnd()
            #expect(samples.allSatisfy { $0.magnitude < 2 })
            if let error { #expect(error.message.contains("cut.\(kind.ending)")) }
        }
    }

    /// Whatever the bytes are, it opens or says why; nothing hangs, and nothing is out of range.
    @Test(arguments: kinds) func mutatedFile_endsOrIsRefused(kind: Kind) throws {
        let original = [UInt8](try Data(contentsOf: URL(filePath: try file(kind, seconds: 0.5).path)))
        var random = Seeded(seed: 7)
        for _ in 0..<30 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let path = try TestFile.write(bytes: bytes, named: "mutated.\(kind.ending)", in: directory)
            guard let reader = try? AudioFileReader(path: path, outputSampleRate: 48_000) else { continue }
            let samples = try? reader.readFrames(200_000)
            #expect(samples?.allSatisfy { $0.isFinite } ?? true)
            try? reader.seek(toFrame: 5000)
            _ = try? reader.readFrames(1000)
        }
    }
}
