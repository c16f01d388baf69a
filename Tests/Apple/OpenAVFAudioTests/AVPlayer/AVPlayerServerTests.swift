import CoreMedia
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFoundation
@testable import SessionRuntime

// Helpers: AVPlayerTesting.swift

/// `AVPlayer` with sounds from a server on the loopback interface, on the simulated host.
@MainActor @Suite struct AVPlayerServerTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    private func stalls(of item: AVPlayerItem) -> (History<String>, Observer) {
        let history = History<String>()
        return (
            history, Observer(AVPlayerItem.playbackStalledNotification, object: item) { _ in history.append("stall") }
        )
    }

    @Test func play_isTheSoundFromItsFirstFrame() throws {
        let server = try HTTPServer(body: try machine.bytes(seconds: 3))
        defer { server.stop() }
        let item = try machine.remoteItem(server)
        let player = machine.avPlayer(item)
        let start = machine.host.frame
        player.play()
        #expect(player.reasonForWaitingToPlay == .evaluatingBufferingRate)
        try machine.wait(for: "the sound") { item.isPlaybackLikelyToKeepUp }
        #expect((item.status, item.duration) == (.readyToPlay, CMTime(3)))
        machine.advance(frames: 4800)
        #expect((player.timeControlStatus, player.rate) == (.playing, 1))
        #expect(player.reasonForWaitingToPlay == nil)
        let heard = machine.heard(since: start)[0]
        let first = try #require(heard.firstIndex { $0 != 0 })
        // The first frame of a ramp is 0.
        #expect(Array(heard[(first - 1)...].prefix(1000)) == TestSignal.ramp.planar(0..<1000)[0])
        try machine.wait(for: "all of it") { item.isPlaybackBufferFull }
        #expect(item.loadedTimeRanges.map(\.timeRangeValue) == [CMTimeRange(start: .zero, duration: CMTime(3))])
        #expect(item.seekableTimeRanges.map(\.timeRangeValue) == [CMTimeRange(start: .zero, duration: CMTime(3))])
        #expect(!item.isPlaybackBufferEmpty)
    }

    @Test func stall_isSurvived_andTold() throws {
        let gate = Gate()
        let server = try HTTPServer(
            body: try machine.bytes(seconds: 12),
            answers: [HTTPServer.Answer(), HTTPServer.Answer(stall: (600_000, gate))])
        defer { server.stop() }
        let item = try machine.remoteItem(server)
        let player = machine.avPlayer(item)
        #expect(AVPlayerItem.playbackStalledNotification == .AVPlayerItemPlaybackStalled)
        let (stalls, observer) = stalls(of: item)
        let ends = History<String>()
        let end = Observer(.AVPlayerItemDidPlayToEndTime, object: item) { _ in ends.append("end") }
        let start = machine.host.frame
        player.play()
        try machine.wait(for: "3 s of sound") {
            (item.loadedTimeRanges.first?.timeRangeValue.end.seconds ?? 0) > 2.9
        }
        machine.advance(frames: 48_000 * 4)
        #expect((player.timeControlStatus, player.rate) == (.waitingToPlayAtSpecifiedRate, 1))
        #expect(player.reasonForWaitingToPlay == .toMinimizeStalls)
        #expect(stalls.entries == ["stall"])
        #expect((item.isPlaybackLikelyToKeepUp, item.isPlaybackBufferEmpty) == (false, true))
        let place = player.currentTime()
        #expect((2.9...3.2).contains(place.seconds))
        // The server is silent for 5 s more.
        machine.advance(frames: 48_000 * 5)
        #expect(player.currentTime() == place)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        gate.open()
        try machine.wait(for: "the rest") { item.isPlaybackBufferFull }
        machine.advance(frames: 48_000)
        #expect(player.timeControlStatus == .playing)
        #expect((0.9...1.1).contains(player.currentTime().seconds - place.seconds))
        machine.advance(frames: 48_000 * 9)
        #expect(ends.entries == ["end"])
        #expect(stalls.entries == ["stall"])
        let event = try #require(item.accessLog()?.events.first)
        #expect(event.numberOfStalls == 1 && event.numberOfMediaRequests >= 1)
        // Each frame once: all but a few of a ramp's frames are not 0. The last one before the stall decays in a fade.
        let loud = machine.heard(since: start)[0].count { $0 != 0 }
        #expect((576_000 - 100...576_000 + AppMachine.fade).contains(loud))
        withExtendedLifetime((observer, end)) {}
    }

    @Test func accessLog_tellsWhatHasCome_andErrorLogWhyNot() throws {
        let bytes = try machine.bytes(seconds: 3)
        let server = try HTTPServer(body: bytes)
        defer { server.stop() }
        let address = server.address.replacingOccurrences(of: "http://", with: "http://name:secret@")
        let item = AVPlayerItem(url: try #require(URL(string: address)))
        let player = machine.avPlayer(item)
        #expect(item.accessLog() == nil)
        player.play()
        try machine.wait(for: "all of it") { item.isPlaybackBufferFull }
        let log = try #require(item.accessLog())
        let event = log.events[0]
        #expect(log.events.count == 1 && event.uri == server.address && item.errorLog() == nil)
        #expect(event.numberOfBytesTransferred >= bytes.count && event.numberOfMediaRequests >= 1)
        #expect(event.transferDuration > 0 && event.observedBitrate > 0 && event.numberOfStalls == 0)
        // What no server tells.
        #expect(event.serverAddress == nil && event.playbackSessionID == nil && event.playbackType == nil)
        #expect(event.playbackStartDate == nil)
        let unknown = [
            event.playbackStartOffset, event.startupTime, event.durationWatched, event.segmentsDownloadedDuration,
            event.indicatedBitrate, event.indicatedAverageBitrate, event.averageAudioBitrate, event.averageVideoBitrate,
            event.observedBitrateStandardDeviation, event.switchBitrate,
        ]
        #expect(unknown.allSatisfy { $0 < 0 })
        let counts = [
            event.numberOfServerAddressChanges, event.downloadOverdue, event.mediaRequestsWWAN,
            event.numberOfDroppedVideoFrames,
        ]
        #expect(counts.allSatisfy { $0 < 0 })

        let refusing = try HTTPServer(body: bytes, answers: [HTTPServer.Answer(status: 404)])
        defer { refusing.stop() }
        let missing = try machine.remoteItem(refusing)
        player.replaceCurrentItem(with: missing)
        try machine.wait(for: "its failure") { missing.status == .failed }
        let errors = try #require(missing.errorLog())
        let error = errors.events[0]
        #expect(errors.events.count == 1 && error.uri == refusing.address && error.date != nil)
        #expect((error.errorDomain, error.errorStatusCode) == ("NSURLErrorDomain", -1100))
        #expect(error.errorComment == missing.error?.localizedDescription)
        #expect(error.serverAddress == nil && error.playbackSessionID == nil && missing.accessLog() == nil)
        // Files have no log.
        let file = AVPlayerItem(url: URL(filePath: machine.directory.path("missing.wav")))
        player.replaceCurrentItem(with: file)
        try machine.wait(for: "its failure") { file.status == .failed }
        #expect(file.errorLog() == nil && file.accessLog() == nil)
    }

    @Test func stall_pausesAPlayerThatDoesNotWait() throws {
        let gate = Gate()
        let server = try HTTPServer(
            body: try machine.bytes(seconds: 12),
            answers: [HTTPServer.Answer(), HTTPServer.Answer(stall: (600_000, gate))])
        defer {
            gate.open()
            server.stop()
        }
        let item = try machine.remoteItem(server)
        let player = machine.avPlayer(item)
        player.automaticallyWaitsToMinimizeStalling = false
        player.play()
        try machine.wait(for: "3 s of sound") {
            (item.loadedTimeRanges.first?.timeRangeValue.end.seconds ?? 0) > 2.9
        }
        machine.advance(frames: 48_000 * 4)
        #expect((player.timeControlStatus, player.rate) == (.paused, 0))
    }

    @Test func playImmediately_playsTheLittleThatIsThere() throws {
        let gate = Gate()
        let server = try HTTPServer(
            body: try machine.bytes(seconds: 12),
            answers: [HTTPServer.Answer(), HTTPServer.Answer(stall: (150_000, gate))])
        defer {
            gate.open()
            server.stop()
        }
        let item = try machine.remoteItem(server)
        let player = machine.avPlayer(item)
        player.play()
        try machine.wait(for: "half a second") {
            (item.loadedTimeRanges.first?.timeRangeValue.end.seconds ?? 0) > 0.3
        }
        machine.advance(frames: 4800)
        #expect(player.reasonForWaitingToPlay == .toMinimizeStalls)
        #expect(player.currentTime() == .zero)
        player.playImmediately(atRate: 1)
        machine.advance(frames: 9600)
        #expect(player.currentTime() > .zero)
    }

    @Test func seek_goesWhereNothingHasCome() throws {
        let server = try HTTPServer(body: try machine.bytes(seconds: 60))
        defer { server.stop() }
        let item = try machine.remoteItem(server)
        let player = machine.avPlayer(item)
        try machine.wait(for: "the sound") { item.isPlaybackLikelyToKeepUp }
        let finished = History<Bool>()
        player.seek(to: CMTime(50)) { finished.append($0) }
        player.play()
        machine.advance(frames: 480)
        try machine.wait(for: "the place") {
            item.isPlaybackLikelyToKeepUp && (item.loadedTimeRanges.first?.timeRangeValue.start.seconds ?? 0) > 40
        }
        #expect(finished.entries == [true])
        let start = machine.host.frame
        machine.advance(frames: 48_000)
        #expect((50.5...51.1).contains(player.currentTime().seconds))
        let heard = machine.heard(since: start)[0]
        let first = try #require(heard.firstIndex { $0 != 0 })
        let ramp = TestSignal.ramp.planar(2_400_000..<2_500_000)[0]
        let place = try #require(ramp.firstIndex(of: heard[first + 1000]))
        #expect(Array(heard[(first + 1000)...].prefix(10_000)) == Array(ramp[place...].prefix(10_000)))
    }

    @Test func station_hasNoEnd_andNoPlaces() throws {
        let path = try EncodedFile.write(
            .sine(hertz: 440), seconds: 3, sampleRate: 48_000, channels: 2, codec: "libmp3lame", ending: "mp3",
            in: machine.directory
        ).path
        let server = try HTTPServer(.station, body: [UInt8](try Data(contentsOf: URL(filePath: path))))
        defer { server.stop() }
        let item = try machine.remoteItem(server)
        item.preferredForwardBufferDuration = 3
        let player = machine.avPlayer(item)
        player.play()
        try machine.wait(for: "the sound") { item.isPlaybackBufferFull }
        #expect(item.duration.isIndefinite)
        #expect(item.seekableTimeRanges.isEmpty)
        let loaded = try #require(item.loadedTimeRanges.first).timeRangeValue
        #expect((3...3.2).contains(loaded.duration.seconds))
        for _ in 1...10 {
            machine.advance(frames: 48_000)
            try machine.wait(for: "more of it") { item.isPlaybackLikelyToKeepUp }
        }
        #expect((9...10.1).contains(player.currentTime().seconds))
        let finished = History<Bool>()
        player.seek(to: .zero) { finished.append($0) }
        machine.advance(frames: 4800)
        #expect(finished.entries == [false])
        #expect((9...10.2).contains(player.currentTime().seconds))
        // Another rate needs no part of it again that is gone.
        player.rate = 1.5
        machine.advance(frames: 48_000)
        #expect(player.currentTime().seconds > 10.2)
    }

    @Test func itemThatIsReplaced_doesNotHoldUpTheNext() throws {
        let server = try HTTPServer(body: [], answers: [HTTPServer.Answer(isMute: true)])
        defer { server.stop() }
        let player = machine.avPlayer(try machine.remoteItem(server))
        player.play()
        try server.log.wait(for: "the request") { $0 == ["GET 0"] }
        let next = try machine.item(seconds: 1)
        player.replaceCurrentItem(with: next)
        try machine.wait(for: "the next item") { next.status == .readyToPlay }
        try server.log.wait(for: "the end of the connection") { $0.contains("closed") }
        try machine.wait(for: "it to play") { player.timeControlStatus == .playing }
        machine.advance(frames: 4800)
        #expect(player.currentTime() == CMTime(0.1))
    }

    @Test func serverThatRefuses_failsTheItem() throws {
        let server = try HTTPServer(body: [], answers: [HTTPServer.Answer(status: 404)])
        let missing = try machine.remoteItem(server)
        let player = machine.avPlayer(missing)
        machine.runtime.drain()
        #expect(missing.status == .failed)
        #expect((missing.error as NSError?)?.domain == "NSURLErrorDomain")
        #expect((missing.error as NSError?)?.code == -1100)
        server.stop()
        let gone = try machine.remoteItem(server)
        player.replaceCurrentItem(with: gone)
        machine.runtime.drain()
        #expect((gone.error as NSError?)?.code == -1004)
    }

    @Test func queue_followsWithoutAGap() throws {
        let server = try HTTPServer(body: try machine.bytes(.quadrature(hertz: 440), seconds: 1))
        defer { server.stop() }
        let items = try [machine.remoteItem(server), machine.remoteItem(server)]
        let player = machine.queuePlayer(items)
        let start = machine.host.frame
        player.play()
        try machine.wait(for: "both") { items.allSatisfy { $0.isPlaybackBufferFull || $0.status == .unknown } }
        try machine.wait(for: "the first") { items[0].isPlaybackLikelyToKeepUp }
        machine.advance(frames: 120_000)
        let heard = machine.heard(since: start)
        let loud = zip(heard[0], heard[1]).map { abs($0) + abs($1) > 0.1 }
        let (first, last) = (try #require(loud.firstIndex(of: true)), try #require(loud.lastIndex(of: true)))
        #expect(last - first + 1 == 96_000)
        #expect(loud[first...last].allSatisfy { $0 })
    }

    @Test func asset_readsItsPropertiesFromTheServer() async throws {
        let path = try EncodedFile.writeTagged(
            ["title": "Tone"], picture: nil, codec: "aac", ending: "m4a", in: machine.directory)
        let server = try HTTPServer(body: [UInt8](try Data(contentsOf: URL(filePath: path))))
        defer { server.stop() }
        let asset = AVURLAsset(url: try #require(URL(string: server.address)))
        #expect(try await asset.load(.duration).seconds == 0.5)
        #expect(try await asset.load(.commonMetadata).first?.stringValue == "Tone")
        #expect(asset.isPlayable)
    }
}
