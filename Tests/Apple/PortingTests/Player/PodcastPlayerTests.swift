import AVFoundation
import OpenAVFAudioTestKit
import Testing

/// The app's code of `PodcastPlayer.swift` on a simulated phone.
@Suite struct PodcastPlayerTests {
    private final class Ends: @unchecked Sendable {
        private let lock = NSLock()
        private var ends = 0
        var count: Int { lock.withLock { ends } }
        func note() { lock.withLock { ends += 1 } }
    }

    /// Three seconds at 44 100 Hz.
    private func writeEpisode() throws -> URL {
        let url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("\(UUID().uuidString).wav")
        let file = try AVAudioFile(
            forWriting: url,
            settings: [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 44_100.0, AVNumberOfChannelsKey: 1])
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 132_300))
        buffer.frameLength = 132_300
        for frame in 0..<132_300 {
            buffer.floatChannelData?[0][frame] = Float(0.5 * sin(2 * Double.pi * 440 * Double(frame) / 44_100))
        }
        try file.write(from: buffer)
        return url
    }

    @Test func episode_atOneAndAHalf_takesTwoThirdsOfTheTime() async throws {
        let url = try writeEpisode()
        defer { try? FileManager.default.removeItem(at: url) }
        try await AudioSimulator.run(.phone) { phone in
            try AVAudioSession.sharedInstance().setCategory(.playback, mode: .spokenAudio)
            let podcast = try PodcastPlayer(url: url)
            let ends = Ends()
            podcast.onEnd = { ends.note() }
            podcast.speed = 1.5
            #expect(podcast.currentTime == 0)
            podcast.play()
            phone.advance(bySeconds: 1)
            // The cycle that was asked for last began a little before.
            #expect(abs(podcast.currentTime - 1.5) < 0.03)
            #expect(ends.count == 0)
            phone.advance(bySeconds: 1.2)
            #expect(ends.count == 1)
            podcast.seek(to: 1.5)
            phone.advance(bySeconds: 0.5)
            #expect(abs(podcast.currentTime - 2.25) < 0.03)
            phone.advance(bySeconds: 0.7)
            // The seek ended the rest of the first, which had been told already.
            #expect(ends.count == 2)
            #expect(phone.violations == [])
        }
    }
}
