import Foundation
import OpenAVFAudioTestKit
import RuntimeTestSupport
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFoundation
@testable import OpenAudioSession

/// What happens while `advance(bySeconds:)` is on its way.
@Suite struct SimulatorTimeTests {
    private static func item(_ directory: TemporaryDirectory, seconds: Double) throws -> AVPlayerItem {
        let path = try TestFile.write(.sine(hertz: 440), seconds: seconds, format: .wav16, in: directory)
        return AVPlayerItem(url: URL(filePath: path))
    }

    /// The longest silence of the speaker since it sounded first, in frames.
    private static func gap(_ phone: AudioSimulator) throws -> Int {
        let samples = try #require(phone.samples(of: .builtInSpeaker).first)
        let first = try #require(samples.firstIndex { abs($0) > 0.01 })
        var (longest, length) = (0, 0)
        for sample in samples[first...] {
            length = abs(sample) > 0.01 ? 0 : length + 1
            longest = max(longest, length)
        }
        return longest
    }

    @Test(arguments: [OperationQueue.main, nil]) func itemThatItsAppPlaysAgain_isHeardAgainAtItsEnd(
        _ queue: OperationQueue?
    ) async throws {
        let directory = try TemporaryDirectory()
        try await AudioSimulator.run(.phone) { phone in
            let item = try Self.item(directory, seconds: 0.5)
            let player = AVPlayer(playerItem: item)
            player.actionAtItemEnd = .none
            let observer = NotificationCenter.default.addObserver(
                forName: AVPlayerItem.didPlayToEndTimeNotification, object: item, queue: queue
            ) { [weak player] _ in player?.seek(to: .zero) }
            player.play()
            phone.advance(bySeconds: 3.5)
            // The end is told in one cycle of 480 frames, and what is sought is fed for the one after the next.
            #expect(try Self.gap(phone) <= 3 * 480)
            NotificationCenter.default.removeObserver(observer)
        }
    }

    @Test func looper_hasNoGap() async throws {
        let directory = try TemporaryDirectory()
        try await AudioSimulator.run(.phone) { phone in
            let player = AVQueuePlayer()
            let looper = AVPlayerLooper(player: player, templateItem: try Self.item(directory, seconds: 0.5))
            player.play()
            phone.advance(bySeconds: 3.5)
            // The tone's own crossings of 0.
            #expect(try Self.gap(phone) <= 3)
            #expect(looper.loopCount == 6)
        }
    }
}
