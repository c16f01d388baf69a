import AudioModel
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
@testable import OpenAudioSession
@testable import SessionRuntime

/// `AVPlayer` with one item, on the simulated host.
@MainActor @Suite struct AVPlayerTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    /// How often an item told of its end.
    private func ends(of item: AVPlayerItem?) -> (History<String>, Observer) {
        let history = History<String>()
        let name = NSNotification.Name.AVPlayerItemDidPlayToEndTime
        return (history, Observer(name, object: item) { _ in history.append("end") })
    }

    @Test func play_isTheFile_andTheItemTellsItsEnd() throws {
        let player = try machine.avPlayer(seconds: 0.1)
        let rates = RateLog(player)
        let (ends, observer) = ends(of: player.currentItem)
        let start = machine.host.frame
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
        player.play()
        #expect(player.rate == 1)
        machine.advance(frames: 2400)
        #expect((player.rate, player.timeControlStatus) == (1, .playing))
        #expect(player.reasonForWaitingToPlay == nil)
        #expect(player.currentTime() == CMTime(0.05))
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
        #expect(player.currentTime() == CMTime(0.1))
        #expect(machine.heard(since: start).map { Array($0.prefix(4800)) } == TestSignal.ramp.planar(0..<4800))
        #expect(rates.entries == ["1.0 SetRateCalled", "0.0 SetRateCalled"])
        #expect(ends.entries == ["end"])
        withExtendedLifetime(observer) {}
    }

    @Test func endTime_endsTheItem_asItsOwnEndDoes() throws {
        let item = try machine.item(seconds: 1)
        #expect(!item.forwardPlaybackEndTime.isValid)
        item.forwardPlaybackEndTime = CMTime(0.25)
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        let (ends, observer) = ends(of: item)
        let start = machine.host.frame
        player.play()
        machine.run(frames: 24_000)
        #expect((player.rate, ends.entries) == (0, ["end"]))
        #expect(player.currentTime() == CMTime(0.25))
        #expect(item.duration == CMTime(1))
        let silence = [Float](repeating: 0, count: 12_000)
        #expect(machine.heard(since: start)[0] == TestSignal.ramp.planar(0..<12_000)[0] + silence)
        // At the end there is nothing to play.
        player.play()
        machine.run(frames: 480)
        #expect((player.rate, ends.entries) == (0, ["end", "end"]))
        // A later one leaves more to play; without one it is all of the item.
        item.forwardPlaybackEndTime = CMTime(0.5)
        player.play()
        machine.run(frames: 24_000)
        #expect((player.rate, player.currentTime(), ends.entries.count) == (0, CMTime(0.5), 3))
        item.forwardPlaybackEndTime = .invalid
        player.play()
        machine.run(frames: 48_000)
        #expect((player.rate, player.currentTime(), ends.entries.count) == (0, CMTime(1), 4))
        withExtendedLifetime(observer) {}
    }

    @Test func endTime_changedWhileItPlays_holdsFromThenOn() throws {
        let player = try machine.avPlayer(seconds: 2)
        let item = try #require(player.currentItem)
        let (ends, observer) = ends(of: item)
        player.play()
        machine.run(frames: 24_000)
        // Fed already, taken back, and given again.
        item.forwardPlaybackEndTime = CMTime(0.75)
        machine.run(frames: 4800)
        item.forwardPlaybackEndTime = CMTime(1.5)
        machine.run(frames: 24_000)
        // Each time what sounded fades out over 5 ms.
        #expect((player.rate, ends.entries) == (1, []))
        #expect(isNear(player.currentTime(), CMTime(1.09)))
        // It has passed.
        item.forwardPlaybackEndTime = CMTime(1)
        machine.run(frames: 4800)
        #expect((player.rate, ends.entries) == (0, ["end"]))
        #expect(isNear(player.currentTime(), CMTime(1.09)))
        // A seek goes anywhere.
        player.seek(to: CMTime(0.9))
        player.play()
        machine.run(frames: 9600)
        #expect((player.rate, player.currentTime(), ends.entries.count) == (0, CMTime(1), 2))
        withExtendedLifetime(observer) {}
    }

    @Test func reverseEndTime_isKept() throws {
        let item = try machine.item(seconds: 1)
        #expect(!item.reversePlaybackEndTime.isValid)
        item.reversePlaybackEndTime = CMTime(0.5)
        #expect(item.reversePlaybackEndTime == CMTime(0.5))
    }

    @Test func status_isKnown_onceTheItemIsOpen() throws {
        let item = try machine.item(seconds: 0.5)
        #expect((item.status, item.duration.isIndefinite) == (.unknown, true))
        #expect((item.loadedTimeRanges, item.isPlaybackBufferEmpty) == ([], true))
        let player = machine.avPlayer()
        #expect(player.status == .unknown)
        #expect(player.currentItem == nil)
        player.replaceCurrentItem(with: item)
        #expect(player.currentItem === item)
        machine.runtime.drain()
        #expect((item.status, player.status) == (.readyToPlay, .readyToPlay))
        #expect(item.duration == CMTime(0.5))
        #expect(item.loadedTimeRanges.map(\.timeRangeValue) == [CMTimeRange(start: .zero, duration: CMTime(0.5))])
        #expect(item.seekableTimeRanges == item.loadedTimeRanges)
        #expect((item.isPlaybackLikelyToKeepUp, item.isPlaybackBufferFull) == (true, true))
        #expect(item.canPlayFastForward && item.canPlaySlowForward && !item.canPlayReverse)
        #expect(!item.canPlayFastReverse && !item.canPlaySlowReverse && !item.canStepForward && !item.canStepBackward)
        #expect(player.error == nil && item.error == nil)
    }

    @Test func play_withoutAnItem_waitsForOne() throws {
        let player = machine.avPlayer()
        player.play()
        #expect(player.rate == 1)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        // The item is ready soon; it sounds when the session says so.
        let answer = DispatchSemaphore(value: 0)
        machine.runtime.asynchronously { _ in answer.wait() }
        player.replaceCurrentItem(with: try machine.item(seconds: 1))
        #expect(player.reasonForWaitingToPlay == .evaluatingBufferingRate)
        answer.signal()
        player.automaticallyWaitsToMinimizeStalling = false
        #expect(player.timeControlStatus == .playing)
        let start = machine.host.frame
        machine.advance(frames: 4800)
        #expect(player.timeControlStatus == .playing)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<4800))
        // Another one plays at once, from its beginning.
        player.replaceCurrentItem(with: try machine.item(seconds: 1))
        machine.runtime.drain()
        machine.advance(frames: 4800)
        #expect(player.currentTime() == CMTime(0.1))
        player.replaceCurrentItem(with: nil)
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        player.pause()
        #expect(player.timeControlStatus == .paused)
    }

    @Test func pause_keepsThePlace_andPlayGoesOn() throws {
        let player = try machine.avPlayer(seconds: 1)
        player.play()
        machine.advance(frames: 4800)
        player.pause()
        #expect(player.rate == 0)
        machine.advance(frames: 4800)
        let place = player.currentTime()
        #expect(place == CMTime(Double(4800 + AppMachine.fade) / 48_000))
        machine.advance(frames: 4800)
        #expect(player.currentTime() == place)
        player.play()
        machine.advance(frames: 480)
        #expect(isNear(player.currentTime(), place + CMTime(0.01)))
    }

    @Test func itemThatIsNoSound_fails() throws {
        let item = AVPlayerItem(url: URL(filePath: machine.directory.path("missing.wav")))
        // The item fails when the session says so, which is after `play`.
        let answer = DispatchSemaphore(value: 0)
        machine.runtime.asynchronously { _ in answer.wait() }
        let player = machine.avPlayer(item)
        let rates = RateLog(player)
        player.play()
        answer.signal()
        machine.runtime.drain()
        #expect(item.status == .failed)
        let error = try #require(item.error as NSError?)
        #expect((error.domain, error.code) == ("NSURLErrorDomain", -1100))
        #expect(error.localizedDescription.contains("missing.wav"))
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
        #expect(rates.reasons == ["SetRateCalled", "SetRateCalled"])
        let text = try TestFile.write(bytes: Array("no sound".utf8), named: "text.wav", in: machine.directory)
        let other = AVPlayerItem(url: URL(filePath: text))
        player.replaceCurrentItem(with: other)
        machine.runtime.drain()
        #expect((other.error as NSError?)?.code == -11_828)
        let remote = AVPlayerItem(asset: AVURLAsset(url: try #require(URL(string: "gopher://example.com/a.mp3"))))
        player.replaceCurrentItem(with: remote)
        machine.runtime.drain()
        #expect(remote.status == .failed)
    }

    @Test func damagedFile_tellsThatItDidNotPlayToItsEnd() throws {
        let path = try TestFile.write(.ramp, seconds: 1, in: machine.directory)
        let bytes = try Data(contentsOf: URL(filePath: path))
        let cut = try TestFile.write(bytes: bytes.prefix(bytes.count / 2), named: "cut.wav", in: machine.directory)
        let item = AVPlayerItem(url: URL(filePath: cut))
        let player = machine.avPlayer(item)
        let errors = History<String>()
        // Both names of one notification.
        let names = [.AVPlayerItemFailedToPlayToEndTime, AVPlayerItem.failedToPlayToEndTimeNotification]
        let observers = names.map { name in
            Observer(name, object: item) { notification in
                let error = notification.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? NSError
                errors.append(error?.localizedDescription ?? "")
            }
        }
        player.play()
        machine.advance(frames: 48_000)
        #expect(errors.entries.count == 2)
        #expect(errors.entries.allSatisfy { $0.contains("cut.wav") })
        #expect((player.rate, item.status) == (0, .failed))
        withExtendedLifetime(observers) {}
    }

    // MARK: Session

    @Test func headphonesThatLeave_pauseIt_andOnesThatComeDoNot() throws {
        let player = try machine.avPlayer(seconds: 3)
        player.play()
        machine.advance(frames: 4800)
        let rates = RateLog(player)
        let lost = machine.host.frame
        machine.unplugHeadphones()
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
        #expect(player.reasonForWaitingToPlay == nil)
        #expect(rates.entries == ["0.0 AudioSessionInterrupted"])
        #expect(machine.host.loudFrames(of: AppMachine.speaker, since: lost) == 0)
        // Played on the speaker, headphones that come take the sound and it goes on.
        player.play()
        machine.advance(frames: 4800)
        machine.plug(.wiredHeadphones)
        let plugged = machine.host.frame
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (1, .playing))
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: plugged) > 4000)
        #expect(rates.entries == ["0.0 AudioSessionInterrupted", "1.0 SetRateCalled"])
    }

    @Test func interruption_setsTheRateTo0_andItsEndPlaysOn() throws {
        let player = try machine.avPlayer(seconds: 3)
        player.defaultRate = 1
        player.play()
        machine.advance(frames: 4800)
        let rates = RateLog(player)
        machine.receiveCall()
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
        let place = player.currentTime()
        machine.advance(frames: 4800)
        #expect(player.currentTime() == place)
        machine.endCall()
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (1, .playing))
        #expect(isNear(player.currentTime(), place + CMTime(0.1)))
        #expect(rates.entries == ["0.0 AudioSessionInterrupted", "1.0 AudioSessionInterrupted"])
    }

    @Test func interruption_resumesNothingThatWasPaused() throws {
        let player = try machine.avPlayer(seconds: 3)
        player.play()
        machine.advance(frames: 4800)
        machine.receiveCall()
        machine.advance(frames: 4800)
        player.pause()
        machine.endCall()
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
        // And one that was paused before.
        machine.receiveCall()
        machine.advance(frames: 4800)
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(player.rate == 0)
    }

    @Test func play_duringAnInterruption_isAnIntent() throws {
        let player = try machine.avPlayer(seconds: 3)
        try machine.session.setActive(true)
        machine.receiveCall()
        player.play()
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
        #expect(player.currentTime() == .zero)
        machine.endCall()
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (1, .playing))
        #expect(player.currentTime() == CMTime(0.1))
    }

    @Test func play_thatTheSessionRefuses_isAFailedRate() throws {
        machine.receiveCall()
        machine.advance(frames: 480)
        let player = try machine.avPlayer(seconds: 1)
        let rates = RateLog(player)
        player.play()
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
        let expected: [AVPlayer.RateDidChangeReason] = [.setRateCalled, .setRateFailed]
        #expect(rates.reasons == expected.map { String($0.rawValue.dropFirst("AVPlayerRateDidChangeReason".count)) })
    }

    // MARK: Rate and volume

    @Test func rate_isTheSpeed_atTheFilesPitch() throws {
        let player = machine.avPlayer(
            AVPlayerItem(url: URL(filePath: try TestFile.write(.sine(hertz: 1000), seconds: 4, in: machine.directory))))
        player.defaultRate = 2
        player.play()
        #expect(player.rate == 2)
        let start = machine.host.frame
        machine.advance(frames: 48_000)
        #expect((1.8...2.1).contains(player.currentTime().seconds))
        let heard = machine.heard(since: start)[0]
        #expect(abs(Listening.frequency(heard[24_000...]) - 1000) < 20)
        player.playImmediately(atRate: 0.5)
        #expect(player.rate == 0.5)
        player.rate = -1
        #expect(player.rate == 0)
        player.rate = 1000
        #expect(player.rate == 32)
    }

    @Test func volumeAndMute_areTheLoudness() throws {
        let player = machine.avPlayer(
            AVPlayerItem(url: URL(filePath: try TestFile.write(.sine(hertz: 1000), seconds: 4, in: machine.directory))))
        #expect((player.volume, player.isMuted) == (1, false))
        func peak() -> Float {
            machine.advance(frames: 4800)
            let start = machine.host.frame
            machine.advance(frames: 4800)
            return machine.heard(since: start)[0].map(abs).max() ?? 0
        }
        player.play()
        let full = peak()
        #expect(full > 0.1)
        player.volume = 0.5
        #expect(abs(peak() - full / 2) < 0.01)
        player.isMuted = true
        #expect((peak(), player.volume) == (0, 0.5))
        player.isMuted = false
        #expect(abs(peak() - full / 2) < 0.01)
        player.volume = 7
        #expect(player.volume == 1)
    }

    // MARK: Seeking

    @Test func seek_goesThere_andSaysSo() throws {
        let player = try machine.avPlayer(seconds: 3)
        let results = History<String>()
        let jumps = History<String>()
        let names = [.AVPlayerItemTimeJumped, AVPlayerItem.timeJumpedNotification]
        let observers = names.map { Observer($0, object: player.currentItem) { _ in jumps.append("jump") } }
        player.seek(to: CMTime(1)) { results.append("\($0)") }
        #expect(player.currentTime() == CMTime(1))
        machine.runtime.drain()
        #expect((results.entries, jumps.entries) == (["true"], ["jump", "jump"]))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 4800)
        // Behind the fade-in.
        let heard = machine.heard(since: start).map { Array($0.dropFirst(AppMachine.fade)) }
        #expect(heard == TestSignal.ramp.planar((48_000 + AppMachine.fade)..<52_800))
        player.seek(to: CMTime(2), toleranceBefore: .zero, toleranceAfter: .positiveInfinity)
        machine.advance(frames: 4800)
        #expect(player.currentTime().seconds > 2)
        player.seek(to: CMTime(9))
        machine.runtime.drain()
        #expect(player.currentTime() == CMTime(3))
        player.seek(to: .invalid) { results.append("invalid \($0)") }
        machine.avPlayer().seek(to: .zero) { results.append("none \($0)") }
        machine.runtime.drain()
        #expect(results.entries == ["true", "invalid false", "none false"])
        withExtendedLifetime(observers) {}
    }

    @Test func seek_thatAnotherReplaces_orIsCancelled_saysFalse() throws {
        let item = try machine.item(seconds: 1)
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        let history = History<String>()
        func seek(_ seconds: Double) {
            player.seek(to: CMTime(seconds)) { history.append("\(seconds) \($0)") }
            // It is carried out, and its handler waits for this thread.
            machine.runtime.synchronously { _ in }
        }
        seek(0.1)
        seek(0.2)
        machine.runtime.drain()
        #expect(history.entries == ["0.1 false", "0.2 true"])
        seek(0.3)
        item.cancelPendingSeeks()
        machine.runtime.drain()
        #expect(history.entries.last == "0.3 false")
    }

    @Test func item_thatIsPutBack_goesOnWhereItWas() throws {
        let (item, other) = (try machine.item(seconds: 1), try machine.item(seconds: 1))
        let player = machine.avPlayer(item)
        player.play()
        machine.run(frames: 12_000)
        let place = player.currentTime()
        #expect(isNear(place, CMTime(0.25)))
        player.replaceCurrentItem(with: other)
        #expect(isNear(item.currentTime(), place))
        machine.run(frames: 4800)
        #expect(isNear(player.currentTime(), CMTime(0.1)))
        player.replaceCurrentItem(with: item)
        machine.run(frames: 4800)
        #expect(isNear(player.currentTime(), CMTime(place.seconds + 0.1)))
        // In another player too; a seek meanwhile counts more.
        player.replaceCurrentItem(with: nil)
        item.seek(to: CMTime(0.8), completionHandler: nil)
        let second = machine.avPlayer(item)
        machine.runtime.drain()
        #expect(second.currentTime() == CMTime(0.8))
    }

    @Test func item_ofAnotherPlayer_endsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let item = AVPlayerItem(url: URL(filePath: "/missing.wav"))
            let (first, second) = (AVPlayer(playerItem: item), AVQueuePlayer())
            second.insert(item, after: nil)
            withExtendedLifetime(first) {}
        }
    }

    @Test func seek_beforeTheItemIsOpen_isItsStart() async throws {
        let item = try machine.item(seconds: 3)
        let results = History<String>()
        AVAudioSession.$taskSession.withValue(machine.session) {
            item.seek(to: CMTime(0.5)) { results.append("first \($0)") }
            item.seek(to: CMTime(1)) { results.append("second \($0)") }
        }
        #expect(item.currentTime() == CMTime(1))
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        #expect(player.currentTime() == CMTime(1))
        #expect(results.entries == ["first false", "second true"])
        let other = try machine.item(seconds: 3)
        AVAudioSession.$taskSession.withValue(machine.session) {
            other.seek(to: CMTime(1)) { results.append("third \($0)") }
        }
        other.cancelPendingSeeks()
        machine.runtime.drain()
        #expect(other.currentTime() == .zero)
        #expect(results.entries.last == "third false")
        #expect(await player.seek(to: CMTime(2)))
        #expect(await player.seek(to: CMTime(2.5), toleranceBefore: .zero, toleranceAfter: .zero))
        #expect(await !machine.avPlayer().seek(to: .zero))
        #expect(player.currentTime() == CMTime(2.5))
    }

    /// The usual way to loop, with and without the player's help.
    @Test(arguments: [AVPlayer.ActionAtItemEnd.none, .pause]) func seekToZero_atTheEnd_playsAgain(
        action: AVPlayer.ActionAtItemEnd
    ) throws {
        let player = try machine.avPlayer(seconds: 0.1)
        #expect(player.actionAtItemEnd == .pause)
        player.actionAtItemEnd = action
        #expect(player.actionAtItemEnd == action)
        let history = History<Float>()
        let name = AVPlayerItem.didPlayToEndTimeNotification
        let observer = Observer(name, object: player.currentItem) { [weak player] _ in
            history.append(player?.rate ?? -1)
            player?.seek(to: .zero)
            if action == .pause { player?.play() }
        }
        let start = machine.host.frame
        player.play()
        machine.run(frames: 48_000)
        #expect(history.count >= 8)
        #expect(history.entries.allSatisfy { $0 == (action == .none ? 1 : 0) })
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: start) > 30_000)
        withExtendedLifetime(observer) {}
    }

    /// To play at the end is to be at the end.
    @Test func play_atTheEnd_endsAgain() throws {
        let player = try machine.avPlayer(seconds: 0.1)
        player.actionAtItemEnd = .advance
        #expect(player.actionAtItemEnd == .pause)
        player.play()
        machine.advance(frames: 9600)
        let (ends, observer) = ends(of: player.currentItem)
        player.play()
        machine.advance(frames: 4800)
        #expect((player.rate, player.currentTime()) == (0, CMTime(0.1)))
        #expect(ends.entries == ["end"])
        withExtendedLifetime(observer) {}
    }

    // MARK: Life

    @Test func release_endsTheSound() throws {
        var player: AVPlayer? = try machine.avPlayer(seconds: 3)
        player?.play()
        machine.advance(frames: 4800)
        weak let released = player
        player = nil
        machine.runtime.drain()
        #expect(released == nil)
        machine.advance(frames: 4800)
        let silent = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: silent) == 0)
        #expect(machine.runtime.state.streams.isEmpty)
    }

    @Test func lostServer_failsThePlayer() throws {
        let player = try machine.avPlayer(seconds: 3)
        player.play()
        machine.advance(frames: 4800)
        machine.host.crashServer()
        machine.runtime.drain()
        #expect(player.status == .failed)
        #expect(player.error != nil)
        #expect(player.rate == 0)
    }

    @Test func settingsWithoutEffect_areStored() throws {
        let player = try machine.avPlayer(seconds: 1)
        let item = try #require(player.currentItem)
        #expect(player.audiovisualBackgroundPlaybackPolicy == .automatic)
        player.audiovisualBackgroundPlaybackPolicy = .continuesIfPossible
        #expect(player.audiovisualBackgroundPlaybackPolicy.rawValue == 3)
        player.allowsExternalPlayback = false
        player.preventsDisplaySleepDuringVideoPlayback = false
        #expect(!player.allowsExternalPlayback && !player.preventsDisplaySleepDuringVideoPlayback)
        item.preferredForwardBufferDuration = 5
        item.audioTimePitchAlgorithm = .spectral
        item.preferredPeakBitRate = 128_000
        item.canUseNetworkResourcesForLiveStreamingWhilePaused = true
        #expect((item.preferredForwardBufferDuration, item.preferredPeakBitRate) == (5, 128_000))
        #expect(item.audioTimePitchAlgorithm.rawValue == "Spectral")
        #expect(item.canUseNetworkResourcesForLiveStreamingWhilePaused)
    }

    @Test func types_haveApplesNumbers() {
        #expect([AVPlayer.Status.unknown, .readyToPlay, .failed].map(\.rawValue) == [0, 1, 2])
        #expect([AVPlayerItem.Status.unknown, .readyToPlay, .failed].map(\.rawValue) == [0, 1, 2])
        #expect(
            [AVPlayer.TimeControlStatus.paused, .waitingToPlayAtSpecifiedRate, .playing].map(\.rawValue) == [0, 1, 2])
        #expect([AVPlayer.ActionAtItemEnd.advance, .pause, .none].map(\.rawValue) == [0, 1, 2])
        #expect(AVPlayer.AudiovisualBackgroundPlaybackPolicy.pauses.rawValue == 2)
        #expect(AVPlayerLooper.Status.unknown.rawValue == 0)
        #expect(
            [AVPlayer.WaitingReason.toMinimizeStalls, .interstitialEvent].map(\.rawValue) == [
                "AVPlayerWaitingToMinimizeStallsReason", "AVPlayerWaitingDuringInterstitialEventReason",
            ])
        #expect(AVPlayer.RateDidChangeReason.appBackgrounded.rawValue == "AVPlayerRateDidChangeReasonAppBackgrounded")
        #expect(AVAudioTimePitchAlgorithm.varispeed.rawValue == "Varispeed")
        #expect(NSNotification.Name.AVPlayerItemPlaybackStalled == AVPlayerItem.playbackStalledNotification)
    }
}
