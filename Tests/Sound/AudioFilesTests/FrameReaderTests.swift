import AudioModel
import Foundation
import TestAudio
import Testing

@testable import AudioFiles

struct FrameReaderTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ samples: [Double], _ name: String, _ type: AudioFileType, channels: Int = 1) throws -> String {
        let path = directory.path(name)
        let writer = try AudioFileWriter(
            path: path, type: type, sampleRate: 48_000, channels: ChannelLabel.standard(count: channels))
        try samples.withUnsafeBufferPointer { try writer.write($0) }
        try writer.close()
        return path
    }

    private func read(_ reader: FrameReader, frames: Int) throws -> [Double] {
        var output = [Double](repeating: 0, count: frames * reader.info.channels.count)
        let got = try output.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
        return Array(output.prefix(got * reader.info.channels.count))
    }

    @Test(arguments: [
        (AudioFileType(container: .wav, coding: .integer(bits: 8)), 8),
        (AudioFileType(container: .wav, coding: .integer(bits: 16)), 16),
        (AudioFileType(container: .aiff, coding: .integer(bits: 24)), 24),
        (AudioFileType(container: .caf, coding: .integer(bits: 32)), 32),
        (AudioFileType(container: .flac, coding: .integer(bits: 24)), 24),
        (AudioFileType(container: .mpeg4, coding: .appleLossless(bits: 24)), 24),
    ])
    func steps_ofEveryWidth_comeBackExactly(type: AudioFileType, bits: Int) throws {
        let fullScale = Double(UInt64(1) << UInt64(bits - 1))
        let samples = [-fullScale, -1, 0, 1, fullScale - 1, (fullScale / 3).rounded()].map { $0 / fullScale }
        let path = try write(samples, "a.bin", type)
        let reader = try FrameReader(path: path)
        #expect(try read(reader, frames: 100) == samples)
        #expect(try read(reader, frames: 100).isEmpty)
        #expect(reader.type.coding == type.coding && reader.type.container == type.container)
        #expect(reader.info.frameCount == 6)
    }

    @Test func seek_toAnyFrame_readsFromThere() throws {
        let samples = (0..<48_000).map { Double($0 % 32_768) / 32_768 }
        let path = try write(samples, "a.flac", AudioFileType(container: .flac, coding: .integer(bits: 16)))
        let reader = try FrameReader(path: path)
        for frame in [30_000, 5, 47_999, 0] as [Int64] {
            try reader.seek(toFrame: frame)
            #expect(reader.position == frame)
            #expect(try read(reader, frames: 1) == [samples[Int(frame)]])
        }
        try reader.seek(toFrame: 1 << 60)
        #expect(reader.position == 48_000)
        try reader.seek(toFrame: -5)
        #expect(reader.position == 0)
    }

    @Test func places_areKeptInTheFile() throws {
        let path = try write(
            [Double](repeating: 0, count: 12), "a.wav", AudioFileType(container: .wav, coding: .float(bits: 32)),
            channels: 6)
        #expect(try FrameReader(path: path).info.channels == ChannelLabel.standard(count: 6))
    }

    @Test func typeThatIsNotWritten_isRefused() throws {
        let error = #expect(throws: AudioFileWriteError.self) {
            try AudioFileWriter(
                path: directory.path("x"), type: AudioFileType(container: .other, coding: .other), sampleRate: 48_000,
                channels: [.mono])
        }
        #expect(error?.message.contains("use a WAV, CAF, AIFF, FLAC or Ogg file") == true)
        #expect(
            !AudioFileType(container: .flac, coding: .integer(bits: 32)).isWritable(sampleRate: 48_000, channelCount: 1)
        )
        #expect(AudioFileType(container: .ogg, coding: .opus).isWritable(sampleRate: 48_000, channelCount: 2))
    }

    @Test func doubles_throughTheRateConverter_areAsFloatsAreButFiner() throws {
        let tone = (0..<9_600).map { 0.5 * sin(2 * .pi * 1_000 * Double($0) / 48_000) }
        let fine = try convert(tone, .highest)
        let coarse = try convert(tone.map { Float($0) }, .high)
        #expect(fine.count == 19_200 && coarse.count == 19_200)
        let errors = (2_000..<17_000).map { index in
            let ideal = 0.5 * sin(2 * .pi * 1_000 * Double(index) / 96_000)
            return (abs(fine[index] - ideal), abs(Double(coarse[index]) - ideal))
        }
        #expect(errors.map(\.0).max()! < 0x1p-24, "28 bit precision")
        #expect(errors.map(\.1).max()! < 0x1p-18, "20 bit precision")
    }

    private func convert<Sample: BinaryFloatingPoint & Sendable>(
        _ samples: [Sample], _ quality: RateConversionQuality
    ) throws -> [Sample] {
        let converter = try SampleRateConverter<Sample>(from: 48_000, to: 96_000, channels: 1, quality: quality)
        let block = UnsafeMutableBufferPointer<Sample>.allocate(capacity: 30_000)
        defer { block.deallocate() }
        var result: [Sample] = []
        let first = try samples.withUnsafeBufferPointer { try converter.convert($0, into: block) }
        #expect(first.consumedFrames == samples.count)
        result += block[..<first.producedFrames]
        while true {
            let rest = try converter.convert(nil, into: block)
            guard rest.producedFrames > 0 else { return result }
            result += block[..<rest.producedFrames]
        }
    }
}
