import AudioModel
import CoreMedia
import Foundation
import HostSimulated
import RuntimeTestSupport
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation
@testable import OpenAudioSession
@testable import SessionRuntime

/// What players of one app take from another one, and what they want during an interruption.
@MainActor @Suite struct AVPlayerInterruptionTests {
    private let machine: AppMachine

    init() throws {
        machine = try AppMachine()
        try machine.session.setCategory(.playback)
    }

    /// How often the session was told of the end of an interruption.
    private func ends() -> (History<Bool>, Observer) {
        let history = History<Bool>()
        let observer = Observer(AVAudioSession.interruptionNotification, object: machine.session) { notification in
            guard let raw = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt else { return }
            history.append(AVAudioSession.InterruptionOptions(rawValue: raw).contains(.shouldResume))
        }
        return (history, observer)
    }

    @Test func playWithoutAnItem_interruptsNobody_beforeThereIsOne() throws {
        let other = try Neighbour(on: machine, named: "other")
        try other.activate()
        let player = machine.avPlayer()
        player.play()
        machine.advance(frames: 4800)
        #expect(machine.runtime.state.activation.isInactive && other.runtime.state.activation.isActive)
        player.replaceCurrentItem(with: try machine.item(seconds: 1))
        machine.advance(frames: 4800)
        #expect(machine.runtime.state.activation.isActive && other.runtime.state.interruption != nil)
    }

    /// As Apple's: to be muted is no reason to leave the sound to others.
    @Test func mutedPlayer_takesTheSoundAllTheSame() throws {
        let other = try Neighbour(on: machine, named: "other")
        try other.activate()
        let player = try machine.avPlayer(seconds: 1)
        player.isMuted = true
        player.play()
        machine.advance(frames: 4800)
        #expect(player.timeControlStatus == .playing && other.runtime.state.interruption != nil)
    }

    @Test func twoPlayers_bothGoOnAfterACall_andTheAppHearsOneEnd() throws {
        let players = [try machine.avPlayer(seconds: 3), try machine.avPlayer(seconds: 3)]
        for player in players { player.play() }
        machine.advance(frames: 4800)
        let (ends, observer) = ends()
        machine.receiveCall()
        machine.advance(frames: 4800)
        #expect(players.map(\.rate) == [0, 0])
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(players.map(\.timeControlStatus) == [.playing, .playing])
        #expect(ends.entries == [true])
        withExtendedLifetime(observer) {}
    }

    /// As media keys do it: the last request counts.
    @Test func playThenPause_duringAnInterruption_staysPaused() throws {
        let player = try machine.avPlayer(seconds: 3)
        player.play()
        machine.advance(frames: 4800)
        machine.receiveCall()
        machine.advance(frames: 4800)
        player.pause()
        player.play()
        player.pause()
        machine.endCall()
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
    }

    @Test func playersThatStop_duringAnInterruption_leaveTheAppItsEnd() throws {
        let (player, simple) = (try machine.avPlayer(seconds: 3), try machine.audioPlayer(seconds: 3))
        player.play()
        #expect(simple.play())
        machine.advance(frames: 4800)
        let (ends, observer) = ends()
        machine.receiveCall()
        machine.advance(frames: 4800)
        player.replaceCurrentItem(with: nil)
        simple.stop()
        let start = machine.host.frame
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(ends.entries == [true])
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: start) == 0)
        #expect(machine.runtime.state.streams.allSatisfy { !$0.playWhenReady })
        withExtendedLifetime(observer) {}
    }

    @Test func play_duringAnInterruptionThatEndsWithoutAdvice_isForgotten() throws {
        let player = try machine.avPlayer(seconds: 3)
        player.play()
        machine.advance(frames: 4800)
        let other = try Neighbour(on: machine, named: "other")
        try other.activate()
        player.pause()
        player.play()
        machine.advance(frames: 4800)
        try other.deactivate(notifyingOthers: false)
        machine.advance(frames: 4800)
        #expect((player.rate, player.timeControlStatus) == (0, .paused))
        try other.activate()
        try other.deactivate(notifyingOthers: true)
        machine.advance(frames: 4800)
        #expect(player.rate == 0)
    }
}
