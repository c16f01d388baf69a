import AudioModel
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles

/// AAC and Apple Lossless, written and read again; and read by another program.
struct LibavWriterTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static let types = [
        AudioFileType(container: .mpeg4, coding: .aac), AudioFileType(container: .adts, coding: .aac),
        AudioFileType(container: .mpeg4, coding: .appleLossless(bits: 16)),
        AudioFileType(container: .mpeg4, coding: .appleLossless(bits: 24)),
    ]

    private static let frames = 100_037

    private func write(_ type: AudioFileType, channels: Int, quality: Double? = nil) throws -> (String, [Float]) {
        let path = directory.path("sound.\(type.container == .adts ? "aac" : "m4a")")
        let samples = TestSignal.sine(hertz: 440).samples(frames: Self.frames, channels: channels, sampleRate: 48_000)
        let writer = try AudioFileWriter(
            path: path, type: type, sampleRate: 48_000, channels: ChannelLabel.standard(count: channels),
            quality: quality,
            title: "Tone", artist: "Nobody")
        // In blocks that are no multiple of the encoder's.
        for start in stride(from: 0, to: samples.count, by: 1009 * channels) {
            try writer.write(Array(samples[start..<min(start + 1009 * channels, samples.count)]))
        }
        try writer.close()
        return (path, samples)
    }

    @Test(arguments: types, [1, 2]) func file_isReadAgain(type: AudioFileType, channels: Int) throws {
        let (path, samples) = try write(type, channels: channels)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        #expect(reader.type.container == type.container && reader.type.coding == type.coding)
        #expect(reader.info.channels == ChannelLabel.standard(count: channels))
        #expect(reader.info.title == (type.container == .adts ? nil : "Tone"))
        let read = try reader.readFrames()
        switch type.coding {
        case .appleLossless(let bits):
            #expect(read.count == samples.count)
            #expect(largestDifference(read, samples) <= Float(1 / Double(1 << (bits - 1))))
        case _ where type.container == .adts:
            // It does not tell what the encoder added.
            #expect((samples.count..<samples.count + 4096 * channels).contains(read.count))
        default:
            #expect(read.count == samples.count)
            #expect(largestDifference(read.dropFirst(16_384).prefix(60_000), samples.dropFirst(16_384)) < 0.02)
        }
    }

    @Test func quality_isTheSize() throws {
        let sizes = try [0, 0.5, 1].map { quality in
            let (path, _) = try write(Self.types[1], channels: 2, quality: quality)
            return try Data(contentsOf: URL(filePath: path)).count
        }
        #expect(sizes == sizes.sorted())
        #expect(
            AudioFileType.aacBitRate(quality: AudioFileType.aacQuality(bitRate: 128_000, channelCount: 2)) == 64_000)
        for bitRate in [8_000, 256_000] {
            #expect(
                AudioFileType.aacBitRate(quality: AudioFileType.aacQuality(bitRate: bitRate, channelCount: 1))
                    == bitRate)
        }
        // What AAC can have.
        #expect(AudioFileType.aacBitRate(quality: AudioFileType.aacQuality(bitRate: 0, channelCount: 2)) == 8_000)
        #expect(AudioFileType.aacBitRate(quality: AudioFileType.aacQuality(bitRate: .max, channelCount: 1)) == 288_000)
    }

    /// FFmpeg's encoder is poor at tones: at 64 kb/s a block of 1024 frames can be all error.
    @Test(arguments: [1, 2]) func tone_isClean_withoutAQuality(channels: Int) throws {
        let (path, samples) = try write(Self.types[0], channels: channels)
        let read = try AudioFileReader(path: path, outputSampleRate: nil).readFrames()
        #expect(largestDifference(read.dropFirst(16_384).prefix(60_000), samples.dropFirst(16_384)) < 0.02)
    }

    @Test func whatAACDoesNotTake_isNotWritable() {
        let aac = Self.types[0]
        #expect(aac.isWritable(sampleRate: 44_100, channelCount: 2))
        #expect(!aac.isWritable(sampleRate: 44_000, channelCount: 2))
        #expect(!aac.isWritable(sampleRate: 44_100, channelCount: 9))
        // libsndfile writes it, and all of it at the end.
        for bits in [16, 20, 24] {
            #expect(
                !AudioFileType(container: .caf, coding: .appleLossless(bits: bits)).isWritable(
                    sampleRate: 48_000, channelCount: 2))
        }
        #expect(!AudioFileType(container: .mpeg4, coding: .mp3).isWritable(sampleRate: 44_100, channelCount: 2))
        #expect(aac.name == "AAC (MPEG-4)")
        #expect(throws: AudioFileWriteError.self) {
            try AudioFileWriter(
                path: directory.path("a.m4a"), type: aac, sampleRate: 44_000, channels: [.left, .right])
        }
    }

    @Test(arguments: types) func fileWithoutSound_isWritten(type: AudioFileType) throws {
        let path = directory.path("empty")
        try AudioFileWriter(path: path, type: type, sampleRate: 48_000, channels: [.mono]).close()
        #expect(FileManager.default.fileExists(atPath: path))
    }

    /// FFmpeg's own program finds the same length.
    @Test(arguments: types) func otherPrograms_readIt(type: AudioFileType) throws {
        let (path, _) = try write(type, channels: 2)
        let raw = directory.path("raw")
        let process = Process()
        process.executableURL = URL(filePath: EncodedFile.encoder)
        process.arguments = ["-v", "error", "-nostdin", "-i", path, "-f", "s16le", raw]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let frames = try Data(contentsOf: URL(filePath: raw)).count / 4
        #expect(abs(frames - Self.frames) < 4096)
    }
}
