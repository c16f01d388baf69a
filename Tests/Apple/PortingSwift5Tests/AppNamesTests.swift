import AVFoundation
import MediaPlayer
import OpenAVFAudioTestKit
import Testing

/// Names that radio, podcast and book apps use.
@Suite struct AppNamesTests {
    @Test func clocks_countInTheirUnits() async throws {
        let before = Date.timeIntervalSinceReferenceDate
        let now: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
        #expect(now >= before && now <= Date.timeIntervalSinceReferenceDate)
        var info = mach_timebase_info()
        #expect(info == mach_timebase_info_data_t())
        #expect((info.numer, info.denom) == (0, 0))
        #expect(mach_timebase_info(&info) == 0)
        #expect(info == mach_timebase_info_data_t(numer: 1, denom: 1))
    }

    @Test func thisIsNoMac() {
        #expect(!ProcessInfo.processInfo.isMacCatalystApp)
        #expect(!ProcessInfo.processInfo.isiOSAppOnMac)
    }

    @Test func constantsOfSpeech_areApplesTexts() {
        #expect(AVSpeechSynthesisVoiceIdentifierAlex == "com.apple.speech.voice.Alex")
        #expect(AVSpeechSynthesisIPANotationAttribute == "AVSpeechSynthesisIPANotationAttribute")
    }

    @Test func timebase_goesOnWithTheItem() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let item = AVPlayerItem(url: URL(fileURLWithPath: try Self.writeTone()))
            let timebase: CMTimebase = try #require(item.timebase)
            #expect(item.timebase === timebase)
            #expect((CMTimebaseGetRate(timebase), CMTimebaseGetTime(timebase)) == (0, .zero))
            let player = AVPlayer(playerItem: item)
            player.play()
            await Self.wait(for: \.timeControlStatus, of: player) { $0 == .playing }
            #expect((timebase.rate, timebase.effectiveRate, CMTimebaseGetEffectiveRate(timebase)) == (1, 1, 1))
            phone.advance(bySeconds: 0.5)
            #expect(abs(timebase.time.seconds - 0.5) < 0.1)
            let inMilliseconds = CMTimebaseGetTimeWithTimeScale(timebase, timescale: 1000, method: .default)
            #expect(inMilliseconds.timescale == 1000)
            #expect(abs(inMilliseconds.seconds - timebase.time.seconds) <= 0.001)
            player.pause()
            await Self.wait(for: \.timeControlStatus, of: player) { $0 == .paused }
            #expect(CMTimebaseGetRate(timebase) == 0)
        }
    }

    @Test func session_publishesWhatItsItemSays() async throws {
        try await AudioSimulator.run(.phone) { _ in
            let item = AVPlayerItem(url: URL(fileURLWithPath: try Self.writeTone()))
            #expect(item.nowPlayingInfo == nil)
            item.nowPlayingInfo = [MPMediaItemPropertyTitle: "Tune"]
            let player = AVPlayer(playerItem: item)
            let listener = SessionListener()
            let others = MPNowPlayingSession(players: [])
            let session = MPNowPlayingSession(players: [player])
            session.delegate = listener
            #expect(session.canBecomeActive)
            var isDone = false
            session.becomeActiveIfPossible { isDone = $0 }
            #expect(isDone && session.isActive && !others.isActive)
            #expect(listener.changes == 1)
            let center = session.nowPlayingInfoCenter
            #expect(center.nowPlayingInfo == nil)
            session.automaticallyPublishesNowPlayingInfo = true
            #expect(center.nowPlayingInfo?[MPMediaItemPropertyTitle] as? String == "Tune")
            #expect(center.nowPlayingInfo?[MPNowPlayingInfoPropertyPlaybackRate] as? Double == 0)
            item.nowPlayingInfo = [MPMediaItemPropertyTitle: "Another"]
            #expect(center.nowPlayingInfo?[MPMediaItemPropertyTitle] as? String == "Another")
            player.play()
            await Self.wait(for: \.timeControlStatus, of: player) { $0 == .playing }
            #expect(center.nowPlayingInfo?[MPNowPlayingInfoPropertyPlaybackRate] as? Double == 1)
            #expect(center.nowPlayingInfo?[MPMediaItemPropertyPlaybackDuration] as? Double == 2)
            session.removePlayer(player)
            #expect(center.nowPlayingInfo == nil && session.players.isEmpty)
            session.addPlayer(player)
            #expect(session.players == [player])
            session.remoteCommandCenter.pauseCommand.addTarget { _ in .success }
            player.pause()
        }
    }

    @Test func commandsThatDesktopsLack_areKept() {
        let center = MPRemoteCommandCenter()
        for command in [
            center.seekForwardCommand, center.seekBackwardCommand, center.ratingCommand,
            center.enableLanguageOptionCommand, center.disableLanguageOptionCommand,
        ] {
            command.addTarget { event in
                (event as? MPSeekCommandEvent)?.type == .beginSeeking ? .success : .commandFailed
            }
            #expect(command.isEnabled)
        }
        let rating: MPRatingCommand = center.ratingCommand
        (rating.minimumRating, rating.maximumRating) = (1, 5)
        #expect((rating.minimumRating, rating.maximumRating) == (1, 5))
        #expect(MPRatingCommandEvent().rating == 0)
        #expect([MPSeekCommandEventType.beginSeeking, .endSeeking].map(\.rawValue) == [0, 1])
        let event = MPChangeLanguageOptionCommandEvent()
        #expect((event.setting, event.languageOption.languageTag) == (MPChangeLanguageOptionSetting.none, "und"))
        #expect([MPChangeLanguageOptionSetting.nowPlayingItemOnly, .permanent].map(\.rawValue) == [1, 2])
    }

    /// Two seconds of silence.
    private static func writeTone() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).wav").path
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 96_000))
        buffer.frameLength = 96_000
        let file = try AVAudioFile(forWriting: URL(fileURLWithPath: path), settings: format.settings)
        try file.write(from: buffer)
        file.close()
        return path
    }

    private static func wait<Value: Sendable>(
        for property: KeyPath<AVPlayer, Value>, of player: AVPlayer, until isRight: (Value) -> Bool
    ) async {
        for await value in player.values(for: property) where isRight(value) { return }
    }
}

private final class SessionListener: NSObject, MPNowPlayingSessionDelegate {
    private(set) var changes = 0
    func nowPlayingSessionDidChangeActive(_ nowPlayingSession: MPNowPlayingSession) { changes += 1 }
    func nowPlayingSessionDidChangeCanBecomeActive(_ nowPlayingSession: MPNowPlayingSession) { changes += 100 }
}
