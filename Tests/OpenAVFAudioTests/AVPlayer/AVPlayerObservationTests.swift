import CoreMedia
import Foundation
import RuntimeTestSupport
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio

/// Key-value observing of players and items, and what assets load.
@MainActor @Suite struct AVPlayerObservationTests {
    private let machine: TestMachine

    init() throws { machine = try TestMachine() }

    @Test func observers_hearOfRateStatusAndItem() throws {
        let player = machine.avPlayer()
        let item = try machine.item(seconds: 0.1)
        let history = History<String>()
        let observations = [
            player.observe(\.rate, options: [.new]) { _, change in history.append("rate \(change.newValue ?? -1)") },
            player.observe(\.timeControlStatus) { player, _ in history.append("\(player.timeControlStatus)") },
            player.observe(\.currentItem) { player, _ in history.append("item \(player.currentItem != nil)") },
            item.observe(\.status) { item, _ in history.append("item \(item.status)") },
            player.observe(\.status) { player, _ in history.append("player \(player.status)") },
        ]
        player.replaceCurrentItem(with: item)
        #expect(history.entries == ["item true"])
        machine.runtime.settle()
        #expect(Set(history.entries.dropFirst()) == ["item readyToPlay", "player readyToPlay"])
        let count = history.count
        player.play()
        #expect(history.entries.dropFirst(count) == ["rate 1.0", "waitingToPlayAtSpecifiedRate"])
        machine.advance(frames: 9600)
        #expect(
            history.entries.dropFirst(count) == [
                "rate 1.0", "waitingToPlayAtSpecifiedRate", "playing", "rate 0.0", "paused",
            ])
        for observation in observations { observation.invalidate() }
    }

    @Test func asset_tellsWhatItsFileIs() async throws {
        let path = try TestFile.write(.ramp, seconds: 1.5, sampleRate: 44_100, in: machine.directory)
        let asset = AVURLAsset(url: URL(filePath: path), options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
        #expect(asset.url == URL(filePath: path))
        #expect(asset.duration == CMTime(value: 66_150, timescale: 44_100))
        #expect(asset.isPlayable)
        let property: AVAsyncProperty<AVURLAsset, CMTime> = .duration
        #expect(try await asset.load(property).seconds == 1.5)
        let (duration, isPlayable, isProtected) = try await asset.load(.duration, .isPlayable, .hasProtectedContent)
        #expect((duration.timescale, isPlayable, isProtected) == (44_100, true, false))
        #expect(try await asset.load(.isPlayable, .hasProtectedContent) == (true, false))
        let item = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: [.duration, .isPlayable])
        #expect(item.asset === asset)
        #expect(AVPlayerItem(url: asset.url).asset is AVURLAsset)
        let missing = AVAsset(url: URL(filePath: "/missing.wav"))
        #expect(!missing.isPlayable)
        #expect(!missing.duration.isValid)
        await #expect(throws: NSError.self) { try await missing.load(.duration) }
    }
}
