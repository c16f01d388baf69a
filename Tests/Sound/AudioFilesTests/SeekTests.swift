import Foundation
import TestAudio
import Testing

@testable import AudioFiles

struct SeekTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static let targets: [Int64] = [0, 1, 4095, 4096, 47_999, 100_000, 143_999, 50_000, 49_999]

    @Test(arguments: FormatTests.exactFormats.map(\.0))
    func frames_afterSeek_areExactWhileFormatIsLossless(format: AudioFileFormat) throws {
        let path = try TestFile.write(.ramp, seconds: 3, format: format, in: directory)
        let expected = TestSignal.ramp.samples(frames: 144_000, channels: 2, sampleRate: 48_000)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        for target in Self.targets {
            try reader.seek(toFrame: target)
            #expect(reader.position == target)
            let start = 2 * Int(target)
            #expect(try reader.readFrames(3000) == Array(expected[start..<min(start + 6000, expected.count)]))
        }
    }

    @Test(arguments: FormatTests.lossyFormats.map(\.0))
    func frames_afterSeek_areInPlaceWhileFormatIsLossy(format: AudioFileFormat) throws {
        let path = try TestFile.write(.quadrature(hertz: 440), seconds: 3, format: format, in: directory)
        let whole = try AudioFileReader(path: path, outputSampleRate: nil).readFrames()
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        for target in Self.targets {
            try reader.seek(toFrame: target)
            let found = try reader.readFrames(6000)
            #expect(found.count / 2 == min(6000, 144_000 - Int(target)))
            // After 100 ms the decoders have settled. One frame beside the place would differ by
            // 2 pi * 440 / 48 000 * 0.5 = 0.029; the decoders' own state is worth less than half of that.
            let settled = 2 * 4800
            guard found.count > settled else { continue }
            #expect(largestDifference(found[settled...], whole[(2 * Int(target) + settled)...]) < 0.012)
        }
    }

    /// libsndfile's own seek into the last page, whose end is without the encoder's padding, lands elsewhere.
    @Test(arguments: [3, 0.2]) func frames_afterSeekIntoTheLastPageOfVorbis_areInPlace(seconds: Double) throws {
        let path = try EncodedFile.write(
            .quadrature(hertz: 440), seconds: seconds, sampleRate: 44_100, channels: 2, codec: "libvorbis",
            ending: "ogg", in: directory
        ).path
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        let whole = try reader.readFrames()
        let count = whole.count / 2
        for place in [6500, 7000, 8000] {
            for other in [0, count / 3] {
                try reader.seek(toFrame: Int64(other))
                _ = try reader.readFrames(100)
                try reader.seek(toFrame: Int64(count - place))
                let found = try reader.readFrames(6000)
                #expect(largestDifference(found[6000...], whole[(2 * (count - place) + 6000)...]) < 0.012)
            }
        }
    }

    @Test func position_whileTargetIsOutside_isClamped() throws {
        let path = try TestFile.write(.ramp, seconds: 1, in: directory)
        for rate in [48_000.0, 44_100] {
            let reader = try AudioFileReader(path: path, outputSampleRate: rate)
            let history: [Int64] = try [-1, -.infinity, .nan, 0.5, 1, 1.5, 1e300, .infinity].map { seconds in
                try reader.seek(toSeconds: seconds)
                return reader.position
            }
            let end = Int64(rate)
            #expect(history == [0, 0, 0, end / 2, end, end, end, end])
            #expect(try reader.readFrames() == [])
            try reader.seek(toFrame: .min)
            #expect(reader.position == 0)
            try reader.seek(toFrame: .max)
            #expect(reader.position == end)
        }
    }

    @Test func position_whileReading_countsOutputFrames() throws {
        let path = try TestFile.write(.ramp, seconds: 1, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: 96_000)
        _ = try reader.readFrames(1500)
        #expect(reader.position == 1500)
        try reader.seek(toSeconds: 0.25)
        _ = try reader.readFrames(500)
        #expect(reader.position == 24_500)
    }

    @Test(arguments: [AudioFileFormat.oggOpus, .oggVorbis], [1 << 33, 1 << 40, 1 << 60] as [Int])
    func seek_whileLastPageClaimsAnAbsurdPosition_ends(format: AudioFileFormat, granule: Int) throws {
        let whole = try TestFile.write(.quadrature(hertz: 440), seconds: 3, format: format, in: directory)
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: whole)))
        let last = try #require(bytes.ranges(of: Array("OggS".utf8)).last?.lowerBound)
        bytes.replaceSubrange((last + 6)..<(last + 14), with: littleEndian(granule, 8))
        FileDamage.restoreOggChecksums(in: &bytes)
        let path = try TestFile.write(bytes: bytes, named: "absurd.ogg", in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: nil)
        let start = try reader.readFrames(2000)
        for target: Int64 in [.max, 1 << 39, 200_000] {
            do throws(AudioFileError) {
                try reader.seek(toFrame: target)
                #expect(reader.position <= target)
            } catch {
                #expect(error.kind == .truncated)
            }
        }
        try reader.seek(toFrame: 0)
        #expect(largestDifference(try reader.readFrames(2000), start) < 1e-6)
    }

    @Test(arguments: [AudioFileFormat.oggOpus, .oggVorbis], [nil, 44_100.0])
    func seek_whileLengthIsUnknown_endsWhereTheSoundDoes(format: AudioFileFormat, rate: Double?) throws {
        // Without its last page the stream's length is not known; libsndfile 1.2.0 then never returns from a far seek.
        let whole = try TestFile.write(.quadrature(hertz: 440), seconds: 3, format: format, in: directory)
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: whole)))
        for page in bytes.ranges(of: Array("OggS".utf8)).dropFirst(3) { bytes[page.lowerBound + 22] ^= 1 }
        let path = try TestFile.write(bytes: bytes, named: "unknown.ogg", in: directory)
        let expected = try AudioFileReader(path: path, outputSampleRate: rate).readToEnd().samples
        #expect(!expected.isEmpty)
        let reader = try AudioFileReader(path: path, outputSampleRate: rate)
        for target: Int64 in [.max, 500, 1 << 39] {
            try reader.seek(toFrame: target)
            #expect(abs(reader.position - min(target, Int64(expected.count / 2))) <= 1)
            #expect(try abs(reader.readFrames().count / 2 - max(0, expected.count / 2 - Int(target))) <= 1)
        }
    }

    @Test func startPoint_whileRatesShareADivisor_isAtACommonTick() {
        let start = StartPoint(beforeOutputFrame: 100_000, inputRate: 44_100, outputRate: 48_000)
        // 1 024 input frames are 1 115 output frames; the tick before 98 885 is 618 * 160.
        #expect(start == StartPoint(inputFrame: 618 * 147, framesToDiscard: 100_000 - 618 * 160))
        #expect(
            StartPoint(beforeOutputFrame: 10, inputRate: 44_100, outputRate: 48_000)
                == StartPoint(inputFrame: 0, framesToDiscard: 10))
    }
}
