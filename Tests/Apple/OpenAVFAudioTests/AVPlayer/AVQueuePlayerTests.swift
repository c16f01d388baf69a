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

// Helpers: AVPlayerTesting.swift

@MainActor @Suite struct AVQueuePlayerTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    @Test func items_playOneAfterAnother_andLeave() throws {
        let items = try (0..<3).map { _ in try machine.item(seconds: 0.1) }
        let player = machine.queuePlayer(items)
        #expect(player.actionAtItemEnd == .advance)
        #expect(player.items() == items)
        #expect(player.currentItem === items[0])
        let ends = History<Int>()
        let observers = items.enumerated().map { index, item in
            Observer(.AVPlayerItemDidPlayToEndTime, object: item) { _ in ends.append(index) }
        }
        let start = machine.host.frame
        player.play()
        machine.run(frames: 24_000)
        #expect(ends.entries == [0, 1, 2])
        #expect(player.items() == [])
        #expect((player.rate, player.reasonForWaitingToPlay) == (1, .noItemToPlay))
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: start) > 3 * 4700)
        // What is inserted then plays at once.
        let another = try machine.item(seconds: 1)
        player.insert(another, after: nil)
        machine.advance(frames: 4800)
        #expect(player.timeControlStatus == .playing)
        #expect(another.currentTime() == CMTime(0.1))
        withExtendedLifetime(observers) {}
    }

    /// Every frame of a ramp says which it is: none is missing, none is silent, none is heard twice.
    @Test func items_followWithoutAGap() throws {
        let items = try (0..<3).map { _ in try machine.item(seconds: 0.5) }
        let player = machine.queuePlayer(items)
        machine.runtime.drain()
        let start = machine.host.frame
        player.play()
        machine.run(frames: 96_000)
        let round = TestSignal.ramp.planar(0..<24_000)
        let heard = machine.heard(since: start)
        for channel in 0..<2 {
            #expect(Array(heard[channel].prefix(72_000)) == Array([round, round, round].map { $0[channel] }.joined()))
        }
        #expect(player.items() == [])
    }

    /// What a change removes or inserts must not depend on how often it is looked at.
    @Test func changeItems_changesOnce() throws {
        let items = try (0..<2).map { _ in try machine.item(seconds: 0.1) }
        let player = machine.queuePlayer([items[0]])
        var seen: [[AVPlayerItem]] = []
        player.changeItems(bringing: [items[1]]) { queue in
            seen.append(queue)
            queue.append(items[1])
        }
        #expect(seen == [[items[0]]] && player.items() == items)
    }

    /// All of the first item is fed by then.
    @Test func item_insertedInTheLastInstants_followsWithoutAGap() throws {
        let items = try (0..<2).map { _ in try machine.item(seconds: 0.5) }
        let player = machine.queuePlayer([items[0]])
        machine.runtime.drain()
        let start = machine.host.frame
        player.play()
        machine.run(frames: 22_080)
        player.insert(items[1], after: nil)
        machine.run(frames: 27_840)
        let round = TestSignal.ramp.planar(0..<24_000)[0]
        #expect(Array(machine.heard(since: start)[0].prefix(48_000)) == round + round)
        #expect(player.items() == [])
    }

    /// The end of the first item is set while it plays, after more than that has been fed.
    @Test func item_withAnEndTime_isFollowedWithoutAGap() throws {
        let items = try (0..<3).map { _ in try machine.item(seconds: 1) }
        items[1].forwardPlaybackEndTime = CMTime(0.25)
        let player = machine.queuePlayer(items)
        machine.runtime.drain()
        let start = machine.host.frame
        player.play()
        machine.run(frames: 4800)
        items[0].forwardPlaybackEndTime = CMTime(0.75)
        machine.run(frames: 96_000)
        let ramp = TestSignal.ramp.planar(0..<48_000)[0]
        let expected = ramp[..<36_000] + ramp[..<12_000] + ramp
        #expect(Array(machine.heard(since: start)[0].prefix(96_000)) == Array(expected))
        #expect(player.items() == [])
    }

    /// The next item is read already when it is taken away.
    @Test func nextItem_takenAwayNearTheEnd_isNotHeard() throws {
        let first = try machine.item(seconds: 1)
        let second = try machine.item(.sine(hertz: 1000), seconds: 1)
        let third = try machine.item(.silence, seconds: 1)
        let player = machine.queuePlayer([first, second])
        machine.runtime.drain()
        player.play()
        machine.run(frames: 43_200)
        player.remove(second)
        player.insert(third, after: first)
        machine.run(frames: 7200)
        let after = machine.host.frame
        machine.run(frames: 4800)
        #expect(player.currentItem === third)
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: after) == 0)
    }

    @Test func seekBackFromTheEnd_keepsTheNextItem() throws {
        let items = try (0..<2).map { _ in try machine.item(seconds: 1) }
        let player = machine.queuePlayer(items)
        machine.runtime.drain()
        player.play()
        machine.run(frames: 43_200)
        player.seek(to: CMTime(0.5))
        machine.run(frames: 480)
        #expect(player.currentItem === items[0])
        let start = machine.host.frame
        machine.run(frames: 36_000)
        #expect(player.currentItem === items[1])
        let heard = machine.heard(since: start)[0]
        // From the one into the other without a gap.
        let end = try #require(heard.firstIndex(of: TestSignal.ramp.planar(47_999..<48_000)[0][0]))
        #expect(Array(heard[(end + 1)..<(end + 4801)]) == TestSignal.ramp.planar(0..<4800)[0])
    }

    /// Of another shape, with another stream.
    @Test func itemOfOtherChannels_followsToo() throws {
        let mono = try TestFile.write(.ramp, seconds: 0.5, channels: 1, in: machine.directory)
        let items = [try machine.item(seconds: 0.5), AVPlayerItem(url: URL(filePath: mono))]
        let player = machine.queuePlayer(items)
        player.play()
        machine.run(frames: 28_800)
        #expect(player.currentItem === items[1])
        #expect(items[1].currentTime().seconds > 0)
        machine.run(frames: 24_000)
        #expect(player.items() == [])
    }

    @Test func queue_isEdited() throws {
        let items = try (0..<4).map { _ in try machine.item(seconds: 1) }
        let player = machine.queuePlayer([items[0], items[1]])
        #expect(!player.canInsert(items[0], after: nil))
        #expect(player.canInsert(items[2], after: items[0]))
        #expect(!player.canInsert(items[2], after: items[3]))
        player.insert(items[2], after: items[0])
        player.insert(items[3], after: nil)
        player.insert(items[3], after: items[0])
        #expect(player.items() == [items[0], items[2], items[1], items[3]])
        player.play()
        machine.advance(frames: 4800)
        player.advanceToNextItem()
        #expect(player.currentItem === items[2])
        machine.advance(frames: 4800)
        #expect((items[0].currentTime(), items[2].currentTime()) == (CMTime(0.1), CMTime(0.1)))
        player.remove(items[2])
        #expect(player.currentItem === items[1])
        player.remove(items[3])
        machine.advance(frames: 4800)
        #expect(items[1].currentTime() == CMTime(0.1))
        player.removeAllItems()
        #expect(player.items() == [])
        player.advanceToNextItem()
        machine.advance(frames: 4800)
        let silent = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: silent) == 0)
    }

    @Test func interruptionBetweenItems_staysAnInterruption() throws {
        let items = try (0..<2).map { _ in try machine.item(seconds: 1) }
        let player = machine.queuePlayer(items)
        player.play()
        machine.advance(frames: 4800)
        machine.receiveCall()
        machine.advance(frames: 4800)
        player.advanceToNextItem()
        machine.advance(frames: 4800)
        #expect((player.rate, items[1].currentTime()) == (0, .zero))
        machine.endCall()
        machine.advance(frames: 4800)
        #expect((player.rate, items[1].currentTime()) == (1, CMTime(0.1)))
    }

    @Test func looper_playsTheItemAgainAndAgain() throws {
        let player = machine.queuePlayer([])
        let looper = AVPlayerLooper(player: player, templateItem: try machine.item(seconds: 0.2))
        #expect(looper.status == .ready)
        #expect(looper.loopingPlayerItems.count == 3)
        #expect(player.items() == looper.loopingPlayerItems)
        let counts = History<Int>()
        let observation = looper.observe(\.loopCount) { looper, _ in counts.append(looper.loopCount) }
        let start = machine.host.frame
        player.play()
        machine.run(frames: 96_000)
        #expect(looper.loopCount >= 8)
        #expect(counts.entries == Array(1...looper.loopCount))
        observation.invalidate()
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: start) > 80_000)
        #expect(player.items().count == 3)
        looper.disableLooping()
        #expect(looper.status == .cancelled)
        machine.run(frames: 24_000)
        #expect(player.items() == [])
        #expect(looper.error == nil)
    }

    @Test func looper_ofARange_repeatsItWithoutAGap() throws {
        let player = machine.queuePlayer([])
        let range = CMTimeRange(start: CMTime(0.25), end: CMTime(0.55))
        let looper = AVPlayerLooper(player: player, templateItem: try machine.item(seconds: 1), timeRange: range)
        machine.runtime.drain()
        #expect(player.currentTime() == CMTime(0.25))
        let start = machine.host.frame
        player.play()
        machine.run(frames: 76_800)
        let round = TestSignal.ramp.planar(12_000..<26_400)[0]
        let heard = machine.heard(since: start)[0]
        // A player that was sought fades in over 5 ms.
        #expect(Array(heard[240..<72_000]) == Array((0..<5).flatMap { _ in round }[240..<72_000]))
        #expect(looper.loopCount == 5)
        #expect(range.containsTime(player.currentTime()))
        // Within its range, and before it; what sounded fades out over 5 ms first.
        player.seek(to: CMTime(0.3))
        machine.run(frames: 4800)
        #expect(isNear(player.currentTime(), CMTime(0.395)))
        player.seek(to: .zero)
        machine.run(frames: 4800)
        #expect(isNear(player.currentTime(), CMTime(0.095)))
        withExtendedLifetime(looper) {}
    }

    @Test func looper_ofAnEmptyRange_traps() async {
        await #expect(processExitsWith: .failure) {
            let item = AVPlayerItem(url: URL(filePath: "/missing.wav"))
            _ = AVPlayerLooper(player: AVQueuePlayer(), templateItem: item, timeRange: .zero)
        }
    }

    @Test func looper_ofNoSound_fails() throws {
        let player = machine.queuePlayer([])
        let looper = AVPlayerLooper(player: player, templateItem: AVPlayerItem(url: URL(filePath: "/missing.wav")))
        machine.runtime.drain()
        #expect(looper.status == .failed)
        #expect(looper.error != nil)
    }
}
