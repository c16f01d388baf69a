import CoreMedia
import Foundation
import RuntimeTestSupport
import TestSupport
import Testing

@testable import OpenAVFoundation
@testable import OpenAudioSession

/// Key-value observing with the names of properties.
@MainActor @Suite struct KeyPathObservingTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    private final class Watcher: KeyValueObserver {
        let history = History<String>()
        let changes = History<[String]>()

        override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            let names: [NSKeyValueChangeKey: String] = [
                .kindKey: "kind", .newKey: "new", .oldKey: "old", .notificationIsPriorKey: "notificationIsPrior",
            ]
            changes.append((change ?? [:]).keys.map { names[$0] ?? $0.rawValue }.sorted())
            let (old, new) = (change?[.oldKey], change?[.newKey])
            let text =
                switch keyPath {
                case "rate": "\(old as? Float ?? -1) \(new as? Float ?? -1)"
                case "currentItem": new is NSNull ? "nil" : new is AVPlayerItem ? "item" : "neither"
                case "duration": "\((new as? CMTime)?.seconds ?? -1)"
                case "loadedTimeRanges": "\((new as? [NSValue])?.first?.timeRangeValue.duration.seconds ?? -1)"
                case "playbackLikelyToKeepUp": "\(new as? Bool == true)"
                default: "\((new as? NSNumber)?.intValue ?? -1)"
                }
            let mark = context == nil ? "" : " with a context"
            history.append("\(type(of: object ?? 0)).\(keyPath ?? "") \(text)\(mark)")
        }
    }

    @Test func namedProperties_areToldAsInObjectiveC() throws {
        let player = machine.avPlayer()
        let item = try machine.item(seconds: 0.1)
        let watcher = Watcher()
        var place = 0
        withUnsafeMutablePointer(to: &place) { context in
            player.addObserver(watcher, forKeyPath: "rate", options: [.old, .new], context: context)
            player.addObserver(watcher, forKeyPath: "currentItem", options: [.initial, .new], context: nil)
            player.addObserver(watcher, forKeyPath: "currentItem.status", options: .new, context: nil)
            for name in ["status", "duration", "loadedTimeRanges", "playbackLikelyToKeepUp"] {
                item.addObserver(watcher, forKeyPath: name, options: .new, context: nil)
            }
            #expect(watcher.history.entries == ["AVPlayer.currentItem nil"])
            player.play()
            player.replaceCurrentItem(with: item)
            machine.advance(frames: 480)
            // The file may be open before the item is told: then its first status is not told at all.
            let told = watcher.history.entries.dropFirst().filter { $0 != "AVPlayer.currentItem.status 0" }
            #expect(
                told.sorted() == [
                    "AVPlayer.currentItem item", "AVPlayer.currentItem.status 1",
                    "AVPlayer.rate 0.0 1.0 with a context", "AVPlayerItem.duration 0.1",
                    "AVPlayerItem.loadedTimeRanges 0.1",
                    "AVPlayerItem.playbackLikelyToKeepUp true", "AVPlayerItem.status 1",
                ])
            #expect(Set(watcher.changes.entries) == [["kind", "new"], ["kind", "new", "old"]])
            player.removeObserver(watcher, forKeyPath: "rate", context: context)
            player.removeObserver(watcher, forKeyPath: "currentItem")
            player.removeObserver(watcher, forKeyPath: "currentItem.status")
            let count = watcher.history.count
            player.rate = 0.5
            player.replaceCurrentItem(with: nil)
            machine.advance(frames: 480)
            #expect(watcher.history.entries.dropFirst(count).allSatisfy { $0.hasPrefix("AVPlayerItem.") })
        }
    }

    @Test func priorChange_isMarked() {
        let player = machine.avPlayer()
        let watcher = Watcher()
        player.addObserver(watcher, forKeyPath: "volume", options: [.prior, .new], context: nil)
        player.volume = 0.5
        #expect(watcher.changes.entries == [["kind", "notificationIsPrior"], ["kind", "new"]])
    }

    @Test func observersThatAreGone_areToldNothing_andNotKept() {
        let player = machine.avPlayer()
        var watcher: Watcher? = Watcher()
        weak let released = watcher
        let history = watcher?.history
        if let watcher { player.addObserver(watcher, forKeyPath: "volume", context: nil) }
        player.volume = 0.5
        watcher = nil
        #expect(released == nil)
        player.volume = 0.25
        #expect(history?.count == 1)
    }

    @Test func session_tellsItsVolumeByName() {
        let session = AVAudioSession.sharedInstance()
        let watcher = Watcher()
        session.addObserver(watcher, forKeyPath: "outputVolume", options: [.initial], context: nil)
        session.removeObserver(watcher, forKeyPath: "outputVolume")
        #expect(watcher.history.entries == ["AVAudioSession.outputVolume -1"])
    }

    @Test func looper_tellsByName() throws {
        let item = try machine.item(seconds: 0.1)
        let looper = AVPlayerLooper(player: machine.queuePlayer([]), templateItem: item)
        let watcher = Watcher()
        looper.addObserver(watcher, forKeyPath: "status", options: .new, context: nil)
        looper.addObserver(watcher, forKeyPath: "loopCount", context: nil)
        looper.removeObserver(watcher, forKeyPath: "loopCount", context: nil)
        looper.disableLooping()
        #expect(watcher.history.entries == ["AVPlayerLooper.status 3"])
        looper.removeObserver(watcher, forKeyPath: "status")
    }

    @Test func misuse_endsTheProgram_andSaysWhatToDo() async {
        let name = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AVPlayerItem(url: URL(filePath: "/a.wav")).addObserver(
                KeyValueObserver(), forKeyPath: "isStatus", context: nil)
        }
        #expect(name?.text.contains("no observable property \"isStatus\". Observe one of duration, error") == true)
        let removal = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AVPlayerItem(url: URL(filePath: "/a.wav")).removeObserver(KeyValueObserver(), forKeyPath: "status")
        }
        #expect(removal?.text.contains("Add the observer first") == true)
        let unhandled = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let item = AVPlayerItem(url: URL(filePath: "/a.wav"))
            item.addObserver(item, forKeyPath: "status", options: .initial, context: nil)
        }
        #expect(unhandled?.text.contains("Override observeValue") == true)
    }
}

extension ExitTest.Result {
    fileprivate var text: String { String(decoding: standardErrorContent, as: UTF8.self) }
}
