import CoreMedia
import Foundation
import SessionRest
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFoundation
@testable import OpenAudioSession
@testable import SessionRuntime

// Helpers: AVPlayerTesting.swift

/// What an item tells of the chapters of its file, and of the titles of its station.
@MainActor @Suite struct TimedMetadataTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    private final class Delegate: AVPlayerItemMetadataOutputPushDelegate {
        let log = History<String>()

        func metadataOutput(
            _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
            from track: AVPlayerItemTrack?
        ) {
            for group in groups {
                let start = (group.timeRange.start.seconds * 1000).rounded() / 1000
                log.append("\(start) \(group.items.compactMap(\.stringValue).joined(separator: " "))")
            }
        }

        func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) { log.append("flush") }
    }

    private final class Silent: AVPlayerItemMetadataOutputPushDelegate {}

    @Test func chapters_areToldAsTheyBegin() throws {
        let path = try EncodedFile.writeChapters(
            [(title: "One", start: 0), (title: "Two", start: 500)], codec: "aac", ending: "m4b", in: machine.directory)
        let item = AVPlayerItem(url: URL(filePath: path))
        let (delegate, silent) = (Delegate(), Silent())
        let outputs = [
            AVPlayerItemMetadataOutput(identifiers: nil), AVPlayerItemMetadataOutput(identifiers: ["icy/StreamTitle"]),
            AVPlayerItemMetadataOutput(),
        ]
        #expect(outputs[0].advanceIntervalForDelegateInvocation == 0 && !outputs[0].suppressesPlayerRendering)
        outputs[0].suppressesPlayerRendering = true
        outputs[0].setDelegate(delegate, queue: .main)
        #expect(outputs[0].delegate === delegate && outputs[0].delegateQueue?.label == DispatchQueue.main.label)
        outputs[1].setDelegate(delegate, queue: nil)
        outputs[2].setDelegate(silent, queue: nil)
        for output in outputs { item.add(output) }
        #expect(item.outputs == outputs)
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        player.play()
        machine.run(frames: 14_400)
        #expect(delegate.log.entries == ["0.0 One"])
        machine.run(frames: 14_400)
        #expect(delegate.log.entries == ["0.0 One", "0.5 Two"])
        player.seek(to: CMTime(0.1))
        machine.run(frames: 4800)
        #expect(delegate.log.entries == ["0.0 One", "0.5 Two", "flush", "flush", "0.0 One"])
        // Chapters are no facts of the item itself.
        #expect(item.timedMetadata == nil)
        for output in outputs { item.remove(output) }
        #expect(item.outputs.isEmpty)
        machine.run(frames: 24_000)
        #expect(delegate.log.count == 5)
    }

    @Test func chapters_areToldEarlier_whereThatIsAsked() throws {
        let path = try EncodedFile.writeChapters(
            [(title: "One", start: 0), (title: "Two", start: 500)], codec: "aac", ending: "m4b", in: machine.directory)
        let item = AVPlayerItem(url: URL(filePath: path))
        let (delegate, output) = (Delegate(), AVPlayerItemMetadataOutput(identifiers: ["comn/title"]))
        output.advanceIntervalForDelegateInvocation = 0.3
        output.setDelegate(delegate, queue: DispatchQueue(label: "app"))
        item.add(output)
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        player.play()
        machine.run(frames: 7200)
        #expect(try delegate.log.wait(for: "the first") { !$0.isEmpty } == ["0.0 One"])
        machine.run(frames: 4800)
        #expect(try delegate.log.wait(for: "the next") { $0.count == 2 } == ["0.0 One", "0.5 Two"])
    }

    @Test func titles_ofAStation_areTold_andAreNotHeard() throws {
        let path = try EncodedFile.write(
            .sine(hertz: 440), seconds: 12, sampleRate: 48_000, channels: 2, codec: "libmp3lame", ending: "mp3",
            in: machine.directory
        ).path
        let sound = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let block = sound.count / 50
        // The second one comes with the ninth second.
        let raw = HTTPServer.station(sound, block: block, titles: [0: "A - It's one", 36: "B \u{1B}[31m"])
        let server = try HTTPServer(.station, body: sound, answers: [HTTPServer.Answer(raw: raw)])
        defer { server.stop() }
        let item = try machine.remoteItem(server)
        item.preferredForwardBufferDuration = 3
        let (delegate, output) = (Delegate(), AVPlayerItemMetadataOutput(identifiers: nil))
        output.setDelegate(delegate, queue: nil)
        item.add(output)
        let changes = History<String>()
        let observation = item.observe(\.timedMetadata) { item, _ in
            changes.append(item.timedMetadata?.first?.stringValue ?? "-")
        }
        let player = machine.avPlayer(item)
        player.play()
        try machine.wait(for: "the sound") { item.isPlaybackBufferFull }
        let start = machine.host.frame
        for _ in 1...11 {
            machine.advance(frames: 48_000)
            try machine.wait(for: "more of it") { item.isPlaybackLikelyToKeepUp }
        }
        let told = delegate.log.entries
        #expect(told.count == 2)
        #expect(told.first == "0.0 A - It's one")
        // Its control character is not there; its place is that of its block, to a second.
        let last = try #require(told.last)
        #expect(last.hasSuffix(" B \u{FFFD}[31m"))
        #expect((7.5...10.5).contains(Double(last.prefix { $0 != " " }) ?? 0))
        #expect(changes.entries == ["A - It's one", "B \u{FFFD}[31m"])
        let title = try #require(item.timedMetadata?.first)
        #expect(title.identifier == .icyMetadataStreamTitle && title.commonKey == .commonKeyTitle)
        #expect(title.keySpace == .icy && title.key as? NSString == "StreamTitle")
        #expect(
            AVMetadataItem.metadataItems(
                from: [title], withKey: AVMetadataKey.icyMetadataKeyStreamTitle, keySpace: .icy) == [title])
        // The bytes of the titles are no sound.
        let heard = machine.heard(since: start)[0]
        let first = try #require(heard.firstIndex { abs($0) > 0.3 })
        #expect(Listening.quietestPeak(heard[(first + 4800)..<(first + 480_000)]) > 0.4)
        #expect(heard.allSatisfy { abs($0) < 0.6 })
        observation.invalidate()
    }
}
