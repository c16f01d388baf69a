import AVFoundation
import Testing

struct VoiceSampleLoaderTests {
    @Test func aFileOfAnotherRate_isLoadedAt16kHzMono() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("open-avfaudio-\(UUID()).caf")
        defer { try? FileManager.default.removeItem(at: url) }
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
        do {
            let file = try AVAudioFile(forWriting: url, settings: format.settings)
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 44_100))
            buffer.frameLength = 44_100
            for frame in 0..<44_100 {
                buffer.floatChannelData?[0][frame] = 0.5 * sinf(Float(frame) * 2 * .pi * 441 / 44_100)
            }
            try file.write(from: buffer)
        }
        let samples = try VoiceSampleLoader().loadSamples(from: url)
        #expect(samples.count == 16_000)
        // The sine of 441 Hz at 16 kHz; Float32 arguments of the sine above are exact to some 2^-12 after a second.
        for frame in stride(from: 1_000, to: 15_000, by: 501) {
            #expect(abs(samples[frame] - 0.5 * sinf(Float(frame) * 2 * .pi * 441 / 16_000)) < 0.002)
        }
    }

    @Test func storedSamples_areLoadedAgain() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("open-avfaudio-\(UUID()).wav")
        defer { try? FileManager.default.removeItem(at: url) }
        let samples = (0..<16_000).map { Float($0 % 3_000) / 32_768 }
        try VoiceSampleLoader().store(samples, to: url)
        #expect(try VoiceSampleLoader().loadSamples(from: url) == samples)
    }
}
