import TestAudio
import Testing

@testable import AudioFiles

struct RateConversionTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func sine_while44100PlaysAt48000_keepsPitchAndLevel() throws {
        let path = try TestFile.write(
            .quadrature(hertz: 997), seconds: 2, sampleRate: 44_100, format: .wavFloat, in: directory)
        let samples = try AudioFileReader(path: path, outputSampleRate: 48_000).readFrames()
        for channel in 0..<2 {
            let tone = Tone(
                of: samples.channel(channel, of: 2)[4800..<91_200], sampleRate: 48_000, near: 997)
            // 20 bit of precision: -120 dB; Float32 arithmetic in libsoxr and the window's leakage take the rest.
            #expect(abs(tone.hertz - 997) < 1e-3)
            #expect(abs(tone.level - 0.5) < 1e-4)
        }
        let expected = TestSignal.quadrature(hertz: 997).samples(frames: 96_000, channels: 2, sampleRate: 48_000)
        // Away from the ends, where the sine is cut off, also the phase is right: the output is not delayed.
        #expect(largestDifference(samples[9600..<182_400], expected[9600..<182_400]) < 1e-4)
    }

    /// (file's rate, output rate, frames): up, down, far apart, prime to each other, and shorter than the filter.
    static let lengths: [(Int, Double, Int)] = [
        (44_100, 48_000, 44_100), (48_000, 44_100, 48_000), (8000, 192_000, 1234), (192_000, 8000, 100_000),
        (44_100, 47_999, 30_011), (44_100, 48_000, 1), (44_100, 48_000, 17), (96_000, 44_100, 3), (1000, 48_000, 500),
        (44_100, 44_100.5, 20_000),
    ]

    @Test(arguments: lengths)
    func length_whileConverting_isTheFilesLength(fileRate: Int, outputRate: Double, frames: Int) throws {
        let path = try TestFile.write(
            .sine(hertz: 100), seconds: Double(frames) / Double(fileRate), sampleRate: fileRate, channels: 1,
            format: .wavFloat, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: outputRate)
        let samples = try reader.readFrames()
        let exact = Double(frames) * outputRate / Double(fileRate)
        // One frame: the end falls between two frames, and libsoxr may round to either.
        #expect(abs(Double(samples.count) - exact) <= 1)
        let announced = try #require(reader.outputFrameCount)
        #expect(abs(Double(announced) - exact) <= 0.5)
        #expect(reader.position == Int64(samples.count))
        #expect(!samples.contains { !$0.isFinite })
    }

    @Test func tail_whileConverting_isDrained() throws {
        // The last frame of the file is the loud one; what belongs to it comes out of the filter after the input's end.
        let path = directory.path("tail.wav")
        let writer = try AudioFileWriter(path: path, format: .wavFloat, sampleRate: 44_100, channelCount: 1)
        try writer.write(TestSignal.impulse(frame: 9_990).samples(frames: 10_000, channels: 1, sampleRate: 44_100))
        try writer.close()
        let samples = try AudioFileReader(path: path, outputSampleRate: 48_000).readFrames()
        let loudest = samples.indices.max { samples[$0].magnitude < samples[$1].magnitude }
        #expect(loudest == 10_873, "9990 * 48000 / 44100 = 10873.5")
        #expect(samples.peak > 0.6)
    }

    @Test func frames_whileRatesAreEqual_areBitExact() throws {
        let path = try TestFile.write(.ramp, seconds: 1, sampleRate: 48_000, in: directory)
        let reader = try AudioFileReader(path: path, outputSampleRate: 48_000)
        #expect(try reader.readFrames() == TestSignal.ramp.samples(frames: 48_000, channels: 2, sampleRate: 48_000))
    }

    @Test(arguments: [(44_100, 48_000.0), (48_000, 44_100.0), (44_100, 47_999.0), (192_000, 8000.0), (8000, 48_000.0)])
    func frames_afterSeek_areThoseOfUninterruptedPlay(fileRate: Int, outputRate: Double) throws {
        let path = try TestFile.write(
            .quadrature(hertz: 300), seconds: 3, sampleRate: fileRate, format: .wavFloat, in: directory)
        let whole = try AudioFileReader(path: path, outputSampleRate: outputRate).readFrames()
        let reader = try AudioFileReader(path: path, outputSampleRate: outputRate)
        let end = Int64(whole.count / 2)
        for target in [end / 2, 1, end - 5, 1023, 0, end / 3, end - 1] {
            // Something is in the converter's tail before each seek.
            _ = try reader.readFrames(777)
            try reader.seek(toFrame: target)
            #expect(reader.position == target)
            let rest = try reader.readFrames()
            #expect(abs(Int64(rest.count / 2) - (end - target)) <= 1)
            // -100 dB: the converter's own precision, with other block boundaries.
            #expect(largestDifference(rest, whole[(2 * Int(target))...]) < 1e-5)
        }
    }

    @Test func silence_afterSeekOutOfLoudPart_holdsNoStaleTail() throws {
        let path = directory.path("loud-then-silent.wav")
        let writer = try AudioFileWriter(path: path, format: .wavFloat, sampleRate: 44_100, channelCount: 1)
        try writer.write(TestSignal.sine(hertz: 440).samples(frames: 44_100, channels: 1, sampleRate: 44_100))
        try writer.write([Float](repeating: 0, count: 44_100))
        try writer.close()
        let reader = try AudioFileReader(path: path, outputSampleRate: 48_000)
        _ = try reader.readFrames(10_000)
        try reader.seek(toSeconds: 1.5)
        #expect(try reader.readFrames() == [Float](repeating: 0, count: 24_000))
    }

    @Test func rate_whileOutOfRange_isRefusedAsAProgrammersError() async {
        await #expect(processExitsWith: .failure) {
            let directory = try TemporaryDirectory()
            let path = try TestFile.write(.silence, seconds: 0.1, in: directory)
            _ = try AudioFileReader(path: path, outputSampleRate: 0)
        }
    }
}
