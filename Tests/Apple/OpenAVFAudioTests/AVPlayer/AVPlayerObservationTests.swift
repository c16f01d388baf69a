import CoreMedia
import Foundation
import RuntimeTestSupport
import SessionRest
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFoundation
@testable import OpenAudioSession
@testable import SessionRuntime

/// Key-value observing of players and items, and what assets load.
@MainActor @Suite struct AVPlayerObservationTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

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
        // Without an item it waits, however fast its own thread is.
        player.play()
        #expect(history.entries == ["rate 1.0", "waitingToPlayAtSpecifiedRate"])
        player.replaceCurrentItem(with: item)
        #expect(history.entries.contains("item true"))
        machine.advance(frames: 480)
        #expect(
            history.entries.dropFirst(2).sorted()
                == ["item readyToPlay", "item true", "player readyToPlay", "playing"])
        machine.advance(frames: 9600)
        #expect(history.entries.dropFirst(6) == ["rate 0.0", "paused"])
        for observation in observations { observation.invalidate() }
    }

    @Test func itemThatFails_isTold_afterTheCallOfTheApp() {
        let player = machine.avPlayer()
        let item = AVPlayerItem(url: URL(filePath: machine.directory.path("missing.wav")))
        let history = History<AVPlayerItem.Status>()
        let observation = item.observe(\.status) { item, _ in history.append(item.status) }
        player.replaceCurrentItem(with: item)
        while item.status != .failed { sched_yield() }
        player.play()
        player.volume = 0.5
        #expect(history.entries == [])
        machine.runtime.drain()
        #expect(history.entries == [.failed])
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: [false, true]) func setOfTheRate_isTold_alsoWhereNothingChanges(isQueue: Bool) {
        let player = isQueue ? machine.queuePlayer([]) : machine.avPlayer()
        let history = History<String>()
        let observations = [
            player.observe(\.rate, options: [.old, .new]) { _, change in
                history.append("rate \(change.oldValue ?? -1) \(change.newValue ?? -1)")
            },
            player.observe(\.timeControlStatus) { player, _ in history.append("\(player.timeControlStatus)") },
            player.observe(\.defaultRate) { _, _ in history.append("default rate") },
        ]
        player.pause()
        #expect(history.entries == ["rate 0.0 0.0", "paused"])
        player.play()
        player.rate = 1
        #expect(
            history.entries.dropFirst(2) == [
                "rate 0.0 1.0", "waitingToPlayAtSpecifiedRate", "rate 1.0 1.0", "waitingToPlayAtSpecifiedRate",
            ])
        withExtendedLifetime(observations) {}
    }

    @Test func values_areThoseOfTheProperty_andEndWithTheObject() async throws {
        let item = try machine.item(seconds: 0.1)
        var player: AVPlayer? = machine.avPlayer()
        var rates = try #require(player?.values(for: \.rate)).makeAsyncIterator()
        var statuses = try #require(player?.values(for: \.timeControlStatus)).makeAsyncIterator()
        var itemStatuses = item.values(for: \.status).makeAsyncIterator()
        // Without an item it waits, however fast its own thread is.
        player?.play()
        player?.replaceCurrentItem(with: item)
        machine.advance(frames: 9600)
        for status in [.unknown, .readyToPlay] as [AVPlayerItem.Status] { #expect(await itemStatuses.next() == status) }
        for rate in [0, 1, 0] as [Float] { #expect(await rates.next() == rate) }
        for status in [.paused, .waitingToPlayAtSpecifiedRate, .playing, .paused] as [AVPlayer.TimeControlStatus] {
            #expect(await statuses.next() == status)
        }
        player = nil
        #expect(await rates.next() == nil)
        #expect(await statuses.next() == nil)
    }

    /// It observes no more.
    @Test func values_thatNoTaskReads_areNotObserved() async throws {
        let player = try machine.avPlayer(seconds: 0.1)
        let task = Task { @MainActor in for await _ in player.values(for: \.rate) {} }
        await Task.yield()
        task.cancel()
        await task.value
        #expect(player._observers.isEmpty)
    }

    @Test func session_tellsItsValues() async throws {
        var channels = machine.session.values(for: \.outputNumberOfChannels).makeAsyncIterator()
        #expect(await channels.next() == machine.session.outputNumberOfChannels)
    }

    @Test func looperTellsItsValues() async throws {
        let looper = AVPlayerLooper(player: machine.queuePlayer([]), templateItem: try machine.item(seconds: 0.2))
        var counts = looper.values(for: \.loopCount).makeAsyncIterator()
        #expect(await counts.next() == 0)
        looper.disableLooping()
    }

    @Test func asset_tellsWhatItsFileIs() async throws {
        let path = try TestFile.write(.ramp, seconds: 1.5, sampleRate: 44_100, in: machine.directory)
        let options: [String: Any] = [
            AVURLAssetPreferPreciseDurationAndTimingKey: true, AVURLAssetOverrideMIMETypeKey: "audio/mpeg",
        ]
        let asset = AVURLAsset(url: URL(filePath: path), options: options)
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
