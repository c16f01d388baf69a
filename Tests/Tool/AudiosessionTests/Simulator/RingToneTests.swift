import AudioFiles
import Foundation
import Testing

@testable import audiosession

@Suite struct RingToneTests {
    @Test func tone_ringsTwiceInThreeSeconds_andIsSilentBetween() {
        let samples = RingTone.samples(seconds: 3)
        #expect(samples.count == 48_000)
        func peak(_ from: Double, _ to: Double) -> Float {
            samples[Int(from * 16_000)..<Int(to * 16_000)].map(abs).max() ?? 0
        }
        // Both tones together reach the peak once in a beat, 20 ms.
        for ring in [0.1, 0.7] { #expect((0.34...0.356).contains(peak(ring, ring + 0.1))) }
        #expect(peak(0.4, 0.6) == 0)
        #expect(peak(1, 3) == 0)
        let step = zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 1
        // 0.355 × 2π × 450 Hz / 16 kHz: no edge is steeper than the tone itself.
        #expect(step < 0.063)
    }

    @Test func tone_isAFileWithoutAName_asLongAsItLives() throws {
        let path: String
        do {
            let tone = try RingTone(seconds: 0.5)
            path = tone.path
            try withExtendedLifetime(tone) {
                let reader = try AudioFileReader(path: path, outputSampleRate: 48_000)
                #expect(reader.info.duration == 0.5)
                #expect(tone.item.title == "Ring tone")
                var status = stat()
                #expect(stat(path, &status) == 0)
                #expect(status.st_nlink == 0)
            }
        }
    }
}
