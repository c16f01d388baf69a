import CAudioTypes
import CoreMedia
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation

/// Which frames a reader gives, of which part, in which format, and to which output.
@Suite struct AVAssetReaderRangeTests {
    private let directory: TemporaryDirectory
    private let asset: AVURLAsset
    private static let frames = 24_000
    /// Of the left channel: every frame says which it is.
    private static let ramp = TestSignal.ramp.planar(0..<frames)[0]

    init() throws {
        directory = try TemporaryDirectory()
        asset = AVURLAsset(url: URL(filePath: try TestFile.write(.ramp, seconds: 0.5, in: directory)))
    }

    private func output(_ settings: [String: Any] = SampleReading.float) -> AVAssetReaderTrackOutput {
        AVAssetReaderTrackOutput(track: asset.tracks[0], outputSettings: settings)
    }

    private func read(_ range: CMTimeRange) throws -> (samples: [Float], ranges: [CMTimeRange]) {
        let reader = try AVAssetReader(asset: asset)
        let output = output()
        reader.add(output)
        reader.timeRange = range
        #expect(reader.startReading())
        let read = try SampleReading.frames(output)
        #expect(reader.status == .completed && reader.error == nil)
        return read
    }

    // MARK: Parts

    @Test func parts_areTheirFrames_oneAfterAnother() throws {
        var random = Seeded(seed: 94)
        for _ in 0..<60 {
            let (start, count) = (
                Int.random(in: 0...Self.frames, using: &random), Int.random(in: 0...Self.frames, using: &random)
            )
            // Frames in another timescale are rounded to the nearest one.
            let scale: CMTimeScale = [48_000, 96_000, 480_000].randomElement(using: &random) ?? 48_000
            let time = { (frame: Int) in CMTime(value: Int64(frame) * Int64(scale) / 48_000, timescale: scale) }
            let (samples, ranges) = try read(CMTimeRange(start: time(start), duration: time(count)))
            #expect(samples == Array(Self.ramp.dropFirst(start).prefix(count)))
            #expect(ranges.first.map { $0.start == time(start) } ?? samples.isEmpty)
            #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.end == $1.start })
            #expect(ranges.allSatisfy { $0.duration > .zero && $0.duration <= CMTime(value: 8192, timescale: 48_000) })
        }
    }

    /// What is beyond the sound does not count; what is no time is as nothing said.
    @Test func partsBeyondTheSound_areWhatThereIsOfThem() throws {
        let (far, huge) = (CMTime(value: 1000, timescale: 1), CMTime(value: .max, timescale: 1))
        let tenth = CMTime(value: 1, timescale: 10)
        func count(_ start: CMTime, _ duration: CMTime) throws -> Int {
            try read(CMTimeRange(start: start, duration: duration)).samples.count
        }
        for long in [far, huge, .positiveInfinity] { #expect(try count(tenth, long) == 19_200) }
        #expect(try count(far, tenth) == 0 && count(huge, tenth) == 0 && count(.zero, .zero) == 0)
        // Before the beginning: from there on, up to the end of the part.
        #expect(try count(CMTime(value: -1, timescale: 20), tenth) == 2400)
        #expect(try count(CMTime(value: -1000, timescale: 1), tenth) == 0)
        #expect(try count(CMTime(value: .min, timescale: 1), tenth) == 0)
        #expect(try count(CMTime(value: .min, timescale: 1), huge) == 0)
        #expect(try count(.zero, CMTime(value: -1, timescale: 10)) == Self.frames, "no valid range: all of it")
        for time in [CMTime.invalid, .indefinite] { #expect(try count(time, tenth) == Self.frames) }
    }

    // MARK: Outputs

    @Test func outputs_readForThemselves_andTheReaderEndsWithTheLast() throws {
        let reader = try AVAssetReader(asset: asset)
        let outputs = [output(), output()]
        for output in outputs { reader.add(output) }
        reader.timeRange = CMTimeRange(start: .zero, duration: CMTime(value: 20_000, timescale: 48_000))
        #expect(reader.startReading())
        let first = try SampleReading.frames(outputs[0], most: 1)
        let second = try SampleReading.frames(outputs[1])
        #expect(first.samples == Array(Self.ramp.prefix(8192)) && second.samples == Array(Self.ramp.prefix(20_000)))
        #expect(reader.status == .reading)
        #expect(try SampleReading.frames(outputs[0]).samples == Array(Self.ramp[8192..<20_000]))
        #expect(reader.status == .completed)
        // It is over for each of them.
        for output in outputs { #expect(output.copyNextSampleBuffer() == nil) }
        #expect(!reader.startReading() && reader.status == .completed)
        reader.cancelReading()
        #expect(reader.status == .completed)
    }

    @Test func reader_takesOutputsOfItsOwnAsset_beforeItStarts() throws {
        let reader = try AVAssetReader(asset: asset)
        let other = AVURLAsset(url: asset.url)
        #expect(!reader.canAdd(AVAssetReaderTrackOutput(track: other.tracks[0], outputSettings: SampleReading.float)))
        for settings in [
            [AVFormatIDKey: kAudioFormatMPEG4AAC], [:],
            [AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 7],
        ] as [[String: Any]] { #expect(!reader.canAdd(output(settings))) }
        let output = output()
        reader.add(output)
        let part = CMTimeRange(start: .zero, duration: CMTime(value: 480, timescale: 48_000))
        reader.timeRange = part
        #expect(reader.startReading())
        reader.timeRange = .zero
        #expect(reader.timeRange == part && !reader.canAdd(self.output()))
        #expect(try SampleReading.frames(output).samples.count == 480)
        // Without outputs there is nothing to read.
        let empty = try AVAssetReader(asset: asset)
        #expect(empty.startReading() && empty.status == .completed)
    }

    @Test func output_thatMayNotBeAdded_endsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let tests = try AVAssetReaderRangeTests()
            let reader = try AVAssetReader(asset: tests.asset)
            reader.add(AVAssetReaderTrackOutput(track: tests.asset.tracks[0], outputSettings: nil))
        }
    }

    /// The file changes while it is read.
    @Test func file_thatShrinksMeanwhile_endsInAnError_afterWhatThereWas() throws {
        let path = try TestFile.write(.ramp, seconds: 4, in: directory)
        let shrinking = AVURLAsset(url: URL(filePath: path))
        let reader = try AVAssetReader(asset: shrinking)
        let output = AVAssetReaderTrackOutput(track: shrinking.tracks[0], outputSettings: SampleReading.float)
        reader.add(output)
        #expect(reader.startReading())
        let first = try SampleReading.frames(output, most: 1).samples
        #expect(truncate(path, 200_000) == 0)
        let rest = try SampleReading.frames(output).samples
        #expect(first + rest == Array(TestSignal.ramp.planar(0..<200_000)[0].prefix(first.count + rest.count)))
        #expect(reader.status == .failed && reader.error != nil)
        #expect(first.count + rest.count <= 50_000)
        #expect(output.copyNextSampleBuffer() == nil)
    }

    // MARK: Formats

    struct Format: Sendable, CustomStringConvertible {
        var bits: Int
        var isFloat = false
        var isBigEndian = false
        var isPlanar = false

        var description: String {
            "\(bits) bit\(isFloat ? " float" : "")\(isBigEndian ? " big" : "")\(isPlanar ? " planar" : "")"
        }

        var settings: [String: Any] {
            [
                AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: bits, AVLinearPCMIsFloatKey: isFloat,
                AVLinearPCMIsBigEndianKey: isBigEndian, AVLinearPCMIsNonInterleaved: isPlanar,
            ]
        }

        /// One sample, -1...1.
        func sample(_ bytes: ArraySlice<UInt8>) -> Double {
            let bits = (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if isFloat, self.bits == 64 { return Double(bitPattern: bits) }
            if isFloat { return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) }
            // Its sign to the top.
            return Double(Int64(bitPattern: bits << UInt64(64 - self.bits))) / 0x1p63
        }
    }

    @Test(arguments: [
        Format(bits: 16), Format(bits: 16, isBigEndian: true), Format(bits: 16, isPlanar: true),
        Format(bits: 24), Format(bits: 24, isBigEndian: true), Format(bits: 32), Format(bits: 32, isBigEndian: true),
        Format(bits: 32, isFloat: true),
        Format(bits: 64, isFloat: true), Format(bits: 64, isFloat: true, isPlanar: true),
    ]) func samples_areTheFiles_inEveryFormat(format: Format) throws {
        let reader = try AVAssetReader(asset: asset)
        let output = output(format.settings)
        reader.add(output)
        reader.timeRange = CMTimeRange(
            start: CMTime(value: 100, timescale: 48_000), duration: CMTime(value: 500, timescale: 48_000))
        #expect(reader.startReading())
        let buffer = try #require(output.copyNextSampleBuffer())
        let bytes = try SampleReading.bytes(buffer)
        let size = format.bits / 8
        #expect(bytes.count == 1000 * size && buffer.numSamples == 500)
        let samples = stride(from: 0, to: bytes.count, by: size).map { format.sample(bytes[$0..<$0 + size]) }
        let planes = TestSignal.ramp.planar(100..<600)
        let wanted =
            format.isPlanar ? planes.flatMap(\.self) : (0..<500).flatMap { frame in planes.map { $0[frame] } }
        #expect(samples == wanted.map(Double.init))
        let stream = try #require(buffer.formatDescription?.audioStreamBasicDescription)
        #expect((stream.mBitsPerChannel, stream.mChannelsPerFrame) == (UInt32(format.bits), 2))
    }
}
