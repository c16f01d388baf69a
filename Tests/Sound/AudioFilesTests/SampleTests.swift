import TestAudio
import Testing

@testable import make_sample

/// The project's own piece of music.
struct SampleTests {
    @Test func song_whileRendered_isCleanAndTheSameEveryTime() {
        let frames = Song(seconds: 6).render()
        #expect(frames.count == 2 * 6 * Song.sampleRate)
        #expect(Song(seconds: 6).render() == frames)
        // Normalised by one multiplication: one rounding of Float32.
        #expect(abs(frames.peak - Song.peak) < 1e-6)
        #expect(frames.prefix(2) == [0, 0])
        #expect(frames.suffix(2) == [0, 0])
        for channel in 0..<2 {
            let samples = frames.channel(channel, of: 2)
            let mean = samples.reduce(0.0) { $0 + Double($1) } / Double(samples.count)
            // -80 dBFS: the filter against offset leaves what its slow decay cuts off.
            #expect(abs(mean) < 1e-4)
            // A jump of full scale would be a click; plucked strings move fast, but not so fast.
            #expect(largestDifference(samples, samples.dropFirst()) < 0.35)
            // Music on both sides: -30 dBFS RMS at least.
            let power = samples.reduce(0.0) { $0 + Double($1 * $1) } / Double(samples.count)
            #expect(power > 1e-3)
        }
    }
}
