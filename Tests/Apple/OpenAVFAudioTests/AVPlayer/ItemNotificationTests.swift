import CoreMedia
import Foundation
import RuntimeTestSupport
import SessionRest
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFoundation
@testable import SessionRuntime

/// What items post, as whole histories: each end once, of the right item, on the main thread.
@MainActor @Suite struct ItemNotificationTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    /// "1 end": which of the items, and what of it.
    private final class ItemLog {
        let history = History<String>()
        private var observers: [Observer] = []

        init(_ items: [AVPlayerItem]) {
            let names: [(NSNotification.Name, String)] = [
                (AVPlayerItem.didPlayToEndTimeNotification, "end"),
                (AVPlayerItem.failedToPlayToEndTimeNotification, "failure"),
                (AVPlayerItem.timeJumpedNotification, "jump"), (AVPlayerItem.playbackStalledNotification, "stall"),
            ]
            for (index, item) in items.enumerated() {
                for (name, word) in names {
                    observers.append(
                        Observer(name, object: item) { [history] notification in
                            #expect(MainThread.isCurrent && notification.object as? AVPlayerItem === item)
                            let error = notification.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? NSError
                            history.append("\(index) \(word)" + (error.map { " \($0.code)" } ?? ""))
                        })
                }
            }
        }

        /// Without jumps, which a start makes too.
        var ends: [String] { history.entries.filter { !$0.hasSuffix("jump") } }
    }

    @Test func items_ofAQueue_endInTheirOrder_onceEach() throws {
        var random = Seeded(seed: 94)
        let items = try (0..<6).map { _ in try machine.item(seconds: .random(in: 0.01...0.2, using: &random)) }
        let log = ItemLog(items)
        let player = machine.queuePlayer(items)
        player.play()
        machine.run(frames: 60_000)
        #expect(log.ends == (0..<6).map { "\($0) end" })
        #expect(player.items().isEmpty)
    }

    /// Skipped, removed and replaced items did not play to their end.
    @Test func itemsThatAreTakenAway_doNotEnd() throws {
        let items = try (0..<5).map { _ in try machine.item(seconds: 0.3) }
        let log = ItemLog(items)
        let player = machine.queuePlayer(items)
        player.play()
        machine.run(frames: 4800)
        player.advanceToNextItem()
        machine.run(frames: 4800)
        player.remove(items[3])
        player.remove(items[1])
        machine.run(frames: 9600)
        #expect(log.ends.isEmpty && player.items() == [items[2], items[4]])
        machine.run(frames: 48_000)
        #expect(log.ends == ["2 end", "4 end"])
    }

    /// Each time that its end is reached again, by playing.
    @Test func item_thatIsSoughtBack_endsAgain_butNotBySeekingThere() throws {
        let item = try machine.item(seconds: 0.5)
        let log = ItemLog([item])
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        for round in 1...3 {
            player.play()
            machine.run(frames: 33_600)
            #expect(log.ends == [String](repeating: "0 end", count: round))
            let jumps = log.history.count
            player.seek(to: CMTime(0.1 * Double(round)))
            machine.run(frames: 4800)
            #expect(log.history.entries.dropFirst(jumps).contains("0 jump"))
        }
        // To the end, without playing.
        player.pause()
        player.seek(to: CMTime(0.5))
        machine.run(frames: 9600)
        #expect(log.ends.count == 3)
    }

    @Test func damagedItem_ofAQueue_fails_andTheNextOnePlaysWhenTheAppGoesOn() throws {
        let cut = AVPlayerItem(url: URL(filePath: try TestFile.truncated(seconds: 1, in: machine.directory)))
        let items = [try machine.item(seconds: 0.1), cut, try machine.item(seconds: 0.1)]
        let log = ItemLog(items)
        let player = machine.queuePlayer(items)
        player.play()
        machine.run(frames: 96_000)
        #expect(log.ends == ["0 end", "1 failure -11800"])
        #expect(player.rate == 0 && player.items() == Array(items.dropFirst()))
        player.advanceToNextItem()
        player.play()
        machine.run(frames: 9600)
        #expect(log.ends == ["0 end", "1 failure -11800", "2 end"] && player.items().isEmpty)
    }

    /// A queue of one item again and again: as many ends as rounds, none of the template.
    @Test func looper_countsTheEndsOfItsCopies() throws {
        let template = try machine.item(seconds: 0.1)
        let player = machine.queuePlayer([])
        let looper = AVPlayerLooper(player: player, templateItem: template)
        let (log, copies) = (ItemLog([template]), looper.loopingPlayerItems)
        let loops = ItemLog(copies)
        player.play()
        machine.run(frames: 26_400)
        #expect(looper.loopCount == 5 && looper.status == .ready)
        #expect(log.ends.isEmpty && loops.ends == ["0 end", "1 end", "2 end", "0 end", "1 end"])
        #expect(Set(looper.loopingPlayerItems) == Set(copies) && player.items() == looper.loopingPlayerItems)
        looper.disableLooping()
        machine.run(frames: 24_000)
        #expect(loops.ends.count == 6 && looper.loopCount == 6 && player.items().isEmpty)
        #expect(looper.status == .cancelled)
    }
}
