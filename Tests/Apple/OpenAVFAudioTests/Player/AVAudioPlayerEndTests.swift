import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio

/// What is asked of Apple's player at the end of its sound, and just before the end is noticed.
@MainActor @Suite struct AVAudioPlayerEndTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    private final class Delegate: NSObject, AVAudioPlayerDelegate {
        let endings = History<Bool>()
        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) { endings.append(flag) }
    }

    private func player(seconds: Double, loops: Int = 0) throws -> AVAudioPlayer {
        let player = try machine.audioPlayer(seconds: seconds)
        player.numberOfLoops = loops
        return player
    }

    /// Of a file that sounds so often, and silence before it and after it.
    private func expected(silent: Int = 0, file frames: Int, rounds: Int = 1, of count: Int) -> [[Float]] {
        TestSignal.ramp.planar(0..<frames).map { file in
            let sound = [Float](repeating: 0, count: silent) + (0..<rounds).flatMap { _ in file }
            return sound + [Float](repeating: 0, count: count - sound.count)
        }
    }

    /// The last frame has been rendered, and is on its way to the device.
    @Test(arguments: [0, 240, 480]) func play_inTheLastInstants_beginsAnew(late: Int) throws {
        let player = try player(seconds: 0.1)
        let delegate = Delegate()
        player.delegate = delegate
        player.play()
        machine.advance(frames: 4320)
        machine.host.advance(frames: 480 + late)
        #expect(player.isPlaying)
        let start = machine.host.frame
        #expect(player.play())
        machine.advance(frames: 4800)
        #expect(player.isPlaying)
        // The end of the round before is not told of while the new one plays.
        #expect(delegate.endings.entries == [])
        machine.advance(frames: 4800)
        // Where nothing but the last frame was heard yet, it decays first.
        let tail = late == 0 ? AppMachine.fade : 0
        #expect(
            machine.heard(since: start).map { Array($0.dropFirst(tail)) } == expected(file: 4800, of: 9600 - tail))
        #expect(!player.isPlaying)
        #expect(delegate.endings.entries == [true])
    }

    @Test func playAtTime_inTheLastInstants_beginsAnewThen() throws {
        let player = try player(seconds: 0.1, loops: 1)
        let delegate = Delegate()
        player.delegate = delegate
        player.play()
        machine.advance(frames: 9120)
        machine.host.advance(frames: 480)
        #expect(player.isPlaying)
        let start = machine.host.frame
        #expect(player.play(atTime: player.deviceCurrentTime + 0.1))
        #expect(player.currentTime == 0)
        machine.advance(frames: 4800)
        #expect(player.isPlaying)
        #expect(delegate.endings.entries == [])
        machine.advance(frames: 14_400)
        // The last frame of the old round decays.
        let tail = AppMachine.fade
        let new = expected(silent: 4800 - tail, file: 4800, rounds: 2, of: 19_200 - tail)
        #expect(machine.heard(since: start).map { Array($0.dropFirst(tail)) } == new)
        #expect(delegate.endings.entries == [true])
    }

    /// Less is left than the fade that comes before the pause.
    @Test(arguments: [1, 100, 240]) func playAtTime_shortlyBeforeTheEnd_beginsAnewThen(left: Int) throws {
        let player = try player(seconds: Double(4800 + left) / 48_000)
        player.play()
        machine.advance(frames: 4800)
        #expect(player.play(atTime: player.deviceCurrentTime + 0.1))
        machine.advance(frames: 4800)
        let start = machine.host.frame
        machine.advance(frames: 9600)
        #expect(machine.heard(since: start) == expected(file: 4800 + left, of: 9600))
        #expect(!player.isPlaying)
    }

    enum Silence: CaseIterable { case pause, stop, call }

    /// The pause comes at each of many moments from 10 ms before the last frame to 5 ms after its end was told.
    ///
    /// What is left then is played, and its end is told, once; nothing is played twice.
    @Test(arguments: Silence.allCases) func play_afterASilenceNearTheEnd_endsOnce(silence: Silence) throws {
        var (before, after) = (0, 0)
        for late in stride(from: -480, through: 1440, by: 37) {
            let player = try player(seconds: 0.1)
            let delegate = Delegate()
            player.delegate = delegate
            let start = machine.host.frame
            player.play()
            machine.advance(frames: 4320)
            machine.host.advance(frames: 480 + late)
            switch silence {
            case .pause: player.pause()
            case .stop: player.stop()
            case .call:
                machine.receiveCall()
                machine.advance(frames: 960)
                machine.endCall()
            }
            machine.advance(frames: 4800)
            if delegate.endings.entries.isEmpty {
                before += 1
                #expect(player.play())
                machine.advance(frames: 9600)
            } else {
                after += 1
            }
            #expect(delegate.endings.entries == [true], "\(silence) \(late)")
            #expect(!player.isPlaying)
            // A fade out and one in, at most.
            let sounding = machine.heard(since: start)[0].count { $0 != 0 }
            #expect(sounding <= 4800 + 2 * AppMachine.fade, "\(silence) \(late)")
        }
        #expect(before > 20 && after > 5, "both kinds of moments were there: \(before), \(after)")
    }

    @Test func play_beforeTheEnd_changesNothing() throws {
        let player = try player(seconds: 0.1)
        let start = machine.host.frame
        for _ in 0..<10 {
            #expect(player.play())
            machine.advance(frames: 480)
        }
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start) == expected(file: 4800, of: 9600))
    }

    /// What was cut off there has nothing left to play: it ends when it is played.
    @Test func call_inTheLastInstants_isNoEnd_andPlayEnds() throws {
        let player = try player(seconds: 0.1)
        let delegate = Delegate()
        player.delegate = delegate
        player.play()
        machine.advance(frames: 4320)
        machine.host.advance(frames: 480)
        machine.receiveCall()
        machine.advance(frames: 4800)
        let start = machine.host.frame
        machine.endCall()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start).sounding == [[], []])
        #expect(delegate.endings.entries == [])
        player.play()
        let again = machine.host.frame
        machine.advance(frames: 9600)
        #expect(machine.heard(since: again).sounding == [[], []])
        #expect(delegate.endings.entries == [true])
        player.play()
        let last = machine.host.frame
        machine.advance(frames: 9600)
        #expect(machine.heard(since: last) == expected(file: 4800, of: 9600))
    }

    @Test func numberOfLoops_afterTheEnd_countsAnew_alsoUnderACall() throws {
        let player = try player(seconds: 0.5, loops: 1)
        player.play()
        machine.advance(frames: 57_600)
        #expect(!player.isPlaying)
        machine.receiveCall()
        #expect(!player.play())
        machine.advance(frames: 4800)
        machine.endCall()
        let start = machine.host.frame
        #expect(player.play())
        machine.advance(frames: 57_600)
        #expect(machine.heard(since: start) == expected(file: 24_000, rounds: 2, of: 57_600))
    }

    @Test func numberOfLoops_afterASeekFromTheEnd_countsAnew() throws {
        let player = try player(seconds: 0.5, loops: 1)
        player.play()
        machine.advance(frames: 57_600)
        #expect(!player.isPlaying)
        player.currentTime = 0
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 57_600)
        #expect(machine.heard(since: start) == expected(file: 24_000, rounds: 2, of: 57_600))
    }

    // MARK: Rounds that were read ahead

    /// What was heard since then, up to the last frame in which something sounds.
    private func heard(since start: Int) -> [[Float]] {
        let heard = machine.heard(since: start)
        let count = heard.map { ($0.lastIndex { $0 != 0 } ?? -1) + 1 }.max() ?? 0
        return heard.map { Array($0.prefix(count)) }
    }

    enum Change: CaseIterable { case enableRate, seek, pauseAndEnableRate }

    /// Less than 0.25 s before the end of a round the next has been read; it is dropped, and read again.
    @Test(arguments: [(1, 43_200, 1), (0.2, 2400, 2)] as [(Double, Int, Int)], Change.allCases)
    func numberOfLoops_afterRateSwitchOrSeek_isWhole(_ sound: (seconds: Double, at: Int, loops: Int), change: Change)
        throws
    {
        let player = try player(seconds: sound.seconds, loops: sound.loops)
        let start = machine.host.frame
        player.play()
        machine.advance(frames: sound.at)
        switch change {
        case .enableRate:
            player.enableRate = true
        case .seek:
            player.currentTime = Double(sound.at) / 48_000
        case .pauseAndEnableRate:
            player.pause()
            machine.advance(frames: 480)
            player.enableRate = true
            player.play()
        }
        machine.advance(frames: 144_000)
        #expect(!player.isPlaying)
        let heard = heard(since: start)
        let frames = Int(sound.seconds * 48_000)
        #expect(
            heard.map { Array($0.suffix(sound.loops * frames)) }
                == expected(file: frames, rounds: sound.loops, of: sound.loops * frames))
        // What fades out is not counted; a pause lasts two cycles at most.
        let join = heard[0].count - (sound.loops + 1) * frames
        #expect(change == .pauseAndEnableRate ? (0...960).contains(join) : join == AppMachine.fade)
    }

    /// One round of those set before is on its way, and dropped for good.
    @Test func numberOfLoops_setBeforeASeek_countsFromThen() throws {
        let player = try player(seconds: 1, loops: 3)
        player.play()
        machine.advance(frames: 43_200)
        player.numberOfLoops = 1
        player.currentTime = 0.5
        let start = machine.host.frame
        machine.advance(frames: 144_000)
        #expect(!player.isPlaying)
        #expect(heard(since: start)[0].count == AppMachine.fade + 24_000 + 48_000)
    }

    /// All has been rendered: there is nothing to read again.
    @Test(arguments: [false, true]) func enableRate_atTheVeryEnd_addsNoRound(isPaused: Bool) throws {
        let player = try player(seconds: 0.5, loops: 1)
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 47_520)
        machine.host.advance(frames: 480)
        #expect(player.isPlaying)
        if isPaused { player.pause() }
        player.enableRate = true
        machine.advance(frames: 48_000)
        #expect(!player.isPlaying)
        #expect(heard(since: start) == expected(file: 24_000, rounds: 2, of: 48_000))
        if isPaused {
            // The end that the pause came before.
            player.play()
            machine.advance(frames: 4800)
            #expect(!player.isPlaying)
        }
        let again = machine.host.frame
        player.play()
        machine.advance(frames: 57_600)
        #expect(heard(since: again) == expected(file: 24_000, rounds: 2, of: 48_000))
    }
}
