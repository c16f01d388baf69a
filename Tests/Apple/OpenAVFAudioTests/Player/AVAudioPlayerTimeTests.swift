import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import TestAudio
import Testing

@testable import OpenAVFAudio

/// When Apple's player begins, on the simulated host.
@MainActor @Suite struct AVAudioPlayerTimeTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    private func player(seconds: Double = 1) throws -> AVAudioPlayer {
        try machine.audioPlayer(seconds: seconds)
    }

    /// So many frames of silence, then the file from its beginning.
    private func expected(silent: Int, of frames: Int) -> [[Float]] {
        TestSignal.ramp.planar(0..<(frames - silent)).map { Array(repeating: 0, count: silent) + $0 }
    }

    /// In the middle of a cycle, at its ends, in the very first, and at times that are past.
    @Test(arguments: [1, 479, 480, 481, 4807, 0, -1, -4800]) func playAtTime_beginsOnTheFrame(frames: Int) throws {
        let player = try player()
        machine.advance(frames: 9600)
        #expect(player.deviceCurrentTime == Double(machine.host.frame) / 48_000)
        let start = machine.host.frame
        #expect(player.play(atTime: player.deviceCurrentTime + Double(frames) / 48_000))
        #expect(player.isPlaying)
        #expect(player.currentTime == 0)
        machine.advance(frames: 9600)
        #expect(machine.heard(since: start) == expected(silent: max(0, frames), of: 9600))
        #expect(player.currentTime == Double(9600 - max(0, frames)) / 48_000)
    }

    @Test(arguments: [0, -1, -.infinity, .nan] as [Double]) func playAtTime_thatIsNone_beginsAtOnce(time: Double) throws
    {
        let player = try player()
        let start = machine.host.frame
        #expect(player.play(atTime: time))
        machine.advance(frames: 480)
        #expect(machine.heard(since: start) == expected(silent: 0, of: 480))
    }

    @Test func playersOfOneTime_beginTogether_wheneverTheyWereAsked() throws {
        let players = try (0..<3).map { _ in try player() }
        let start = machine.host.frame
        let time = players[0].deviceCurrentTime + 2405.0 / 48_000
        for player in players {
            player.volume = 0.25
            #expect(player.play(atTime: time))
            machine.advance(frames: 480)
        }
        machine.advance(frames: 4800)
        // Quarters of what 16 bits hold are exact, and so are their sums.
        let sum = expected(silent: 2405, of: 6240).map { $0.map { 0.75 * $0 } }
        #expect(machine.heard(since: start) == sum)
        #expect(Set(players.map(\.currentTime)) == [Double(6240 - 2405) / 48_000])
    }

    @Test func whileItWaits_volumeSeekAndPauseCount_andPlayBeginsAtOnce() throws {
        let player = try player()
        var start = machine.host.frame
        player.play(atTime: .infinity)
        machine.advance(frames: 480)
        player.volume = 0.5
        player.currentTime = 0.1
        machine.advance(frames: 480)
        player.play(atTime: player.deviceCurrentTime + 960.0 / 48_000)
        machine.advance(frames: 1440)
        let later = TestSignal.ramp.planar(4800..<5280)
        // What does not begin at its beginning fades in.
        let (silent, fade) = (1920, AppMachine.fade)
        let heard = machine.heard(since: start)
        #expect(heard.allSatisfy { $0.prefix(silent).allSatisfy { $0 == 0 } })
        #expect(
            heard.map { Array($0.dropFirst(silent + fade)) } == later.map { $0.dropFirst(fade).map { 0.5 * $0 } })

        player.pause()
        machine.advance(frames: 960)
        player.currentTime = 0
        player.volume = 1
        player.play(atTime: player.deviceCurrentTime + 0.01)
        player.pause()
        #expect(!player.isPlaying)
        start = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start).sounding == [[], []])
        player.play(atTime: player.deviceCurrentTime + 10)
        machine.advance(frames: 480)
        start = machine.host.frame
        player.play()
        machine.advance(frames: 480)
        #expect(machine.heard(since: start) == expected(silent: 0, of: 480))
    }

    @Test func playAtTime_whileItPlays_pausesUntilThen() throws {
        let player = try player()
        player.play()
        machine.advance(frames: 4800)
        let start = machine.host.frame
        player.play(atTime: player.deviceCurrentTime + 2400.0 / 48_000)
        machine.advance(frames: 2400)
        let fade = AppMachine.fade
        #expect(player.isPlaying)
        #expect(player.currentTime == Double(4800 + fade) / 48_000)
        #expect(machine.heard(since: start).allSatisfy { $0.dropFirst(fade).allSatisfy { $0 == 0 } })
        let resumed = machine.host.frame
        machine.advance(frames: 960)
        let file = TestSignal.ramp.planar((4800 + 2 * fade)..<(4800 + fade + 960))
        #expect(machine.heard(since: resumed).map { Array($0.dropFirst(fade)) } == file)
    }

    // Behaviour 82
    @Test func interruption_beforeItsTime_cancelsTheStart() throws {
        let (early, late) = try (player(), player())
        let start = machine.host.frame
        early.play(atTime: early.deviceCurrentTime + 0.05)
        late.play(atTime: late.deviceCurrentTime + 0.5)
        machine.receiveCall()
        machine.advance(frames: 9600)
        #expect(machine.heard(since: start).sounding == [[], []])
        machine.endCall()
        machine.advance(frames: 24_000)
        #expect((early.isPlaying, late.isPlaying) == (false, false))
        #expect(machine.heard(since: start).sounding == [[], []])
        late.play(atTime: late.deviceCurrentTime + 0.01)
        let begin = machine.host.frame
        machine.advance(frames: 960)
        #expect(machine.heard(since: begin) == expected(silent: 480, of: 960))
    }

    @Test func playerOfNothing_hasNoTime() {
        let player = AVAudioPlayer()
        #expect(player.deviceCurrentTime == 0)
        #expect(!player.play(atTime: 1))
    }
}
