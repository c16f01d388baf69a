import AudioModel
import CoreMedia
import Foundation
import SessionCore
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation
@testable import OpenAudioSession

/// `AVPlayer` under plugs and interruptions, on the simulated host and on a private PipeWire.
@Suite("AVPlayer contract", .serialized)
struct AVPlayerContractTests {
    /// A player of a long loud tone whose rates are in the journal, as its notifications tell them.
    private func makePlayer(in world: any World) throws -> (AVPlayer, Music, Observer) {
        let music = try Music(seconds: 300)
        let player = AVAudioSession.$taskSession.withValue(world.session) {
            AVPlayer(url: URL(filePath: music.path))
        }
        let observer = Observer(AVPlayer.rateDidChangeNotification, object: player) {
            [journal = world.journal] notification in
            let reason = notification.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
            guard let player = notification.object as? AVPlayer, let reason else { return }
            journal.append(.rate(player.rate, reason))
        }
        return (player, music, observer)
    }

    /// Fifty times; and headphones that come take the sound, and it goes on.
    @Test(arguments: WorldKind.allCases)
    func unplug_pausesByItself_andNothingReachesTheSpeaker(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let (player, music, observer) = try makePlayer(in: world)
            for round in 1...50 {
                player.play()
                try await world.untilHeard(on: .headphones)
                try await world.mark()
                let start = world.journal.count
                try await world.unplug(.headphones)
                try await world.journal.wait(for: .rate(0, .audioSessionInterrupted), from: start)
                try await world.run(seconds: 0.3)
                try await world.settle()
                #expect((player.rate, player.timeControlStatus) == (0, .paused), "round \(round)")
                #expect(try await world.loudFrames(on: .speaker) == 0, "round \(round)")
                try await world.plug(.headphones)
                try await world.waitForRoute(.headphones)
            }
            try await world.unplug(.headphones)
            try await world.waitForRoute(.speaker)
            player.play()
            try await world.untilHeard(on: .speaker)
            try await world.plug(.headphones)
            try await world.untilHeard(on: .headphones)
            #expect((player.rate, player.timeControlStatus) == (1, .playing))
            player.pause()
            withExtendedLifetime((music, observer)) {}
        }
    }

    /// Items of 22 800 frames, of a tone that is loud in every frame and has no step where one follows another.
    @Test(arguments: WorldKind.allCases)
    func queue_playsItsItemsWithoutAGap(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.headphones], category: .playback) { world in
            let music = try Music(seconds: 0.475)
            let player = AVAudioSession.$taskSession.withValue(world.session) {
                AVQueuePlayer(items: (0..<120).map { _ in AVPlayerItem(url: URL(filePath: music.path)) })
            }
            player.play()
            try await world.untilHeard(on: .headphones)
            // More than an item, whatever the moment is.
            let heard = try await world.record([.headphones], frames: 23_000) {}[0]
            #expect(zip(heard[0], heard[1]).allSatisfy { abs($0) + abs($1) > 0.1 })
            try await world.until("the first item has left the queue") { player.items().count < 120 }
            player.removeAllItems()
            withExtendedLifetime(music) {}
        }
    }

    /// The tone has the same magnitude in every frame: what is heard of items without a gap has that of their ramps, frame by frame.
    @Test(arguments: WorldKind.allCases)
    func audioMix_isHeardToTheFrame(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.headphones], category: .playback) { world in
            let music = try Music(seconds: 0.475)
            let items = (0..<60).map { _ in AVPlayerItem(url: URL(filePath: music.path)) }
            for item in items {
                let parameters = AVMutableAudioMixInputParameters(track: item.asset.tracks.first)
                parameters.setVolumeRamp(
                    fromStartVolume: 0.75, toEndVolume: 0.25,
                    timeRange: CMTimeRange(start: .zero, duration: CMTime(value: 22_800, timescale: 48_000)))
                let mix = AVMutableAudioMix()
                mix.inputParameters = [parameters]
                item.audioMix = mix
            }
            let player = AVAudioSession.$taskSession.withValue(world.session) { AVQueuePlayer(items: items) }
            player.play()
            try await world.untilHeard(on: .headphones)
            // More than an item, whatever the moment is.
            let heard = try await world.record([.headphones], frames: 23_000) {}[0]
            let magnitudes = zip(heard[0], heard[1]).map { 2 * ($0 * $0 + $1 * $1).squareRoot() }
            let start = try #require(magnitudes.indices.dropFirst().first { magnitudes[$0] - magnitudes[$0 - 1] > 0.4 })
            for (index, magnitude) in magnitudes.enumerated() {
                let frame = (index - start + 45_600) % 22_800
                // 1 LSB of the file's 16 bit in each channel.
                #expect(abs(magnitude - (0.75 - 0.5 * Float(frame) / 22_800)) < 1e-4, "frame \(frame)")
            }
            player.removeAllItems()
            withExtendedLifetime(music) {}
        }
    }

    /// It takes the right channel away: what the app makes of the sound is what is heard.
    @Test(arguments: WorldKind.allCases)
    func tap_changesWhatIsHeard(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.headphones], category: .playback) { world in
            let music = try Music(seconds: 60)
            let item = AVPlayerItem(url: URL(filePath: music.path))
            var callbacks = MTAudioProcessingTapCallbacks(
                version: kMTAudioProcessingTapCallbacksVersion_0, clientInfo: nil, init: nil, finalize: nil,
                prepare: nil,
                unprepare: nil,
                process: { tap, frames, _, list, framesOut, flagsOut in
                    MTAudioProcessingTapGetSourceAudio(tap, frames, list, flagsOut, nil, framesOut)
                    let right = UnsafeMutableAudioBufferListPointer(list)[1]
                    UnsafeMutableBufferPointer<Float>(right).update(repeating: 0)
                })
            var tap: MTAudioProcessingTap?
            MTAudioProcessingTapCreate(nil, &callbacks, kMTAudioProcessingTapCreationFlag_PreEffects, &tap)
            let parameters = AVMutableAudioMixInputParameters(track: item.asset.tracks.first)
            parameters.audioTapProcessor = tap
            let mix = AVMutableAudioMix()
            mix.inputParameters = [parameters]
            item.audioMix = mix
            let player = AVAudioSession.$taskSession.withValue(world.session) { AVPlayer(playerItem: item) }
            player.play()
            try await world.untilHeard(on: .headphones)
            let heard = try await world.samples(on: .headphones)
            // The tone's level is 0.5, and no two peaks are as far apart as a millisecond.
            #expect(heard[1].allSatisfy { $0 == 0 })
            #expect(stride(from: 0, to: 4800, by: 48).allSatisfy { heard[0][$0..<($0 + 48)].max() ?? 0 > 0.49 })
            player.pause()
            withExtendedLifetime(music) {}
        }
    }

    private final class Chapters: AVPlayerItemMetadataOutputPushDelegate {
        let titles = History<String>()

        func metadataOutput(
            _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
            from track: AVPlayerItemTrack?
        ) { for item in groups.flatMap(\.items) { titles.append(item.stringValue ?? "") } }
    }

    @Test(arguments: WorldKind.allCases)
    func chapters_areToldWhileTheyPlay(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.headphones], category: .playback) { world in
            let directory = try TemporaryDirectory()
            let path = try EncodedFile.writeChapters(
                [(title: "One", start: 0), (title: "Two", start: 500)], codec: "aac", ending: "m4b", in: directory)
            let (chapters, output) = (Chapters(), AVPlayerItemMetadataOutput(identifiers: nil))
            output.setDelegate(chapters, queue: DispatchQueue(label: "app"))
            let item = AVPlayerItem(url: URL(filePath: path))
            item.add(output)
            let player = AVAudioSession.$taskSession.withValue(world.session) { AVPlayer(playerItem: item) }
            player.play()
            try await world.until("both chapters were told") { chapters.titles.count == 2 }
            #expect(chapters.titles.entries == ["One", "Two"])
            player.pause()
            withExtendedLifetime(directory) {}
        }
    }

    /// Its connection is cut once.
    @Test(arguments: WorldKind.allCases)
    func server_isPlayed_andPausedByAnUnplug(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let music = try Music(seconds: 60)
            let server = try HTTPServer(
                body: [UInt8](try Data(contentsOf: URL(filePath: music.path))),
                answers: [HTTPServer.Answer(), HTTPServer.Answer(byteLimit: 300_000)])
            defer { server.stop() }
            let url = try #require(URL(string: server.address))
            let player = AVAudioSession.$taskSession.withValue(world.session) { AVPlayer(url: url) }
            player.play()
            try await world.untilHeard(on: .headphones)
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.waitForRoute(.speaker)
            try await world.settle()
            #expect((player.rate, player.timeControlStatus) == (0, .paused))
            #expect(try await world.loudFrames(on: .speaker) == 0)
            player.play()
            try await world.untilHeard(on: .speaker)
            player.pause()
            withExtendedLifetime(music) {}
        }
    }

    private final class Titles: AVPlayerItemMetadataOutputPushDelegate {
        let log = History<String>()

        func metadataOutput(
            _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
            from track: AVPlayerItemTrack?
        ) {
            for group in groups { log.append(group.items.compactMap(\.stringValue).joined()) }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func titlesOfAStation_areTold_asItPlays(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.headphones], category: .playback) { world in
            let directory = try TemporaryDirectory()
            let path = try EncodedFile.write(
                .sine(hertz: 440), seconds: 30, sampleRate: 48_000, channels: 2, codec: "libmp3lame", ending: "mp3",
                in: directory
            ).path
            let sound = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let answer = HTTPServer.station(sound, block: sound.count / 60, titles: [0: "One", 12: "Two"])
            let server = try HTTPServer(.station, body: sound, answers: [HTTPServer.Answer(raw: answer)])
            defer { server.stop() }
            let item = AVPlayerItem(url: try #require(URL(string: server.address)))
            let (titles, output) = (Titles(), AVPlayerItemMetadataOutput(identifiers: nil))
            output.setDelegate(titles, queue: nil)
            item.add(output)
            let player = AVAudioSession.$taskSession.withValue(world.session) { AVPlayer(playerItem: item) }
            player.play()
            try await world.untilHeard(on: .headphones)
            try await world.until("the second title") { titles.log.count == 2 }
            #expect(titles.log.entries == ["One", "Two"])
            // What is read to recognise the sound has more than a second of it, and of the titles in it only the last one is told.
            #expect(player.currentTime().seconds > 4)
            player.pause()
            withExtendedLifetime((directory, output)) {}
        }
    }

    /// Gives the bytes of a file in pieces, as an app does that keeps its sounds in a place of its own.
    private final class Store: NSObject, AVAssetResourceLoaderDelegate {
        let bytes: Data
        init(_ path: String) throws { bytes = try Data(contentsOf: URL(filePath: path)) }

        func resourceLoader(
            _ resourceLoader: AVAssetResourceLoader,
            shouldWaitForLoadingOfRequestedResource request: AVAssetResourceLoadingRequest
        ) -> Bool {
            request.contentInformationRequest?.contentLength = Int64(bytes.count)
            request.contentInformationRequest?.isByteRangeAccessSupported = true
            if let data = request.dataRequest {
                data.respond(with: bytes.dropFirst(Int(data.requestedOffset)).prefix(data.requestedLength))
            }
            request.finishLoading()
            return true
        }
    }

    @Test(arguments: WorldKind.allCases)
    func bytesOfTheApp_areHeard(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.headphones], category: .playback) { world in
            let music = try Music(seconds: 60)
            let store = try Store(music.path)
            let asset = AVURLAsset(url: try #require(URL(string: "store://music/1")))
            asset.resourceLoader.setDelegate(store, queue: DispatchQueue(label: "store"))
            let item = AVPlayerItem(asset: asset)
            let player = AVAudioSession.$taskSession.withValue(world.session) { AVPlayer(playerItem: item) }
            player.play()
            try await world.untilHeard(on: .headphones)
            #expect(item.duration.seconds == 60)
            player.pause()
            withExtendedLifetime((music, store)) {}
        }
    }

    /// `AUDIOSESSION_TEST_ROUNDS=200 swift test --filter AVPlayerContractTests.rateReasonReported` takes some minutes.
    private static var rounds: Int {
        ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_ROUNDS"].flatMap { Int($0) } ?? 3
    }

    @Test(arguments: WorldKind.allCases)
    func rateReasonReported(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let (player, music, observer) = try makePlayer(in: world)
            player.play()
            try await world.untilHeard(on: .speaker)
            let other = try await world.launch("other")
            for round in 1...Self.rounds {
                let start = world.journal.count
                try other.activate()
                try await world.journal.wait(for: .rate(0, .audioSessionInterrupted), from: start)
                #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
                #expect(player.timeControlStatus == .paused)
                let (place, clock) = (player.currentTime().seconds, ContinuousClock.now)
                try other.deactivate(notifyingOthers: true)
                #expect(player.currentTime().seconds >= place)
                try await world.journal.wait(for: .rate(1, .audioSessionInterrupted), from: start)
                try await world.untilHeard(on: .speaker)
                let now = player.currentTime().seconds
                // It cannot have played for longer. Read after `now`: the thread may be delayed in between.
                let seconds = kind == .pipeWire ? (ContinuousClock.now - clock) / .seconds(1) : 30
                #expect((place...place + seconds + 0.1).contains(now), "round \(round)")
            }
            // Paused meanwhile, it stays paused.
            let start = world.journal.count
            try other.activate()
            try await world.journal.wait(for: .rate(0, .audioSessionInterrupted), from: start)
            player.pause()
            try other.deactivate(notifyingOthers: true)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: true), from: start)
            try await world.settle()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            #expect(player.rate == 0)
            // And without the advice too.
            player.play()
            try await world.untilHeard(on: .speaker)
            let last = world.journal.count
            try other.activate()
            try await world.journal.wait(for: .rate(0, .audioSessionInterrupted), from: last)
            try other.deactivate(notifyingOthers: false)
            try await world.journal.wait(for: .interruptionEnded(shouldResume: false), from: last)
            try await world.settle()
            #expect(try await world.loudFramesAfterFades(on: .speaker) == 0)
            withExtendedLifetime((music, observer)) {}
        }
    }
}
