import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import TestAudio
import Testing

@testable import OpenAVFAudio

/// How fast Apple's player plays on the simulated host.
@MainActor @Suite struct AVAudioPlayerRateTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    /// Which second of the file sounds in the last frame that was heard.
    ///
    /// The stretcher joins pieces of up to 82 ms and moves each by up to 24 ms, to where it fits best.
    private var heardSeconds: Double {
        let last = machine.heard(since: machine.host.frame - 1)[0].first ?? 0
        return Double(last) * 32_768 / 48_000
    }
    private static let pieceSeconds = 0.11

    /// Advances and says how many seconds of the file went by for each second: by the player's clock, and in what is heard.
    private func speed(overFrames frames: Int, of player: AVAudioPlayer) -> (counted: Double, heard: Double) {
        let (time, place) = (player.currentTime, heardSeconds)
        machine.advance(frames: frames)
        let seconds = Double(frames) / 48_000
        return ((player.currentTime - time) / seconds, (heardSeconds - place) / seconds)
    }

    @Test func rate_withoutEnableRate_isKeptAndNotHeard() throws {
        let player = try machine.audioPlayer(seconds: 0.1)
        #expect((player.enableRate, player.rate) == (false, 1))
        player.rate = 2
        #expect(player.rate == 2)
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<4800))
    }

    @Test func rate_isOneFromTheStart_passesBitByBit_withLoopsAndSeeks() throws {
        let player = try machine.audioPlayer(seconds: 0.3)
        player.enableRate = true
        player.numberOfLoops = 1
        var start = machine.host.frame
        player.play()
        machine.advance(frames: 19_200)
        let file = TestSignal.ramp.planar(0..<14_400)
        #expect(machine.heard(since: start) == file.map { $0 + $0.prefix(4800) })
        #expect(player.currentTime == 0.1)
        player.currentTime = 0.2
        machine.advance(frames: 480)
        start = machine.host.frame
        let place = Int((player.currentTime * 48_000).rounded())
        machine.advance(frames: 2400)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(place..<place + 2400))
    }

    @Test(arguments: [0.5, 0.75, 1.5, 2] as [Float])
    func rate_setBeforePlaying_isTheLengthAndTheTime(rate: Float) throws {
        let player = try machine.audioPlayer(seconds: 0.6)
        player.enableRate = true
        player.rate = rate
        player.prepareToPlay()
        let start = machine.host.frame
        player.play()
        let length = Int((0.6 * 48_000 / Double(rate)).rounded())
        machine.advance(frames: length / 2)
        // Whole frames of either side.
        #expect(abs(player.currentTime - 0.3) <= 2 / 48_000)
        #expect(abs(heardSeconds - 0.3) < Self.pieceSeconds)
        machine.advance(frames: length - length / 2 - 480)
        #expect(player.isPlaying)
        machine.advance(frames: 4800)
        #expect(!player.isPlaying)
        #expect(player.currentTime == 0)
        let heard = machine.heard(since: start)[1]
        // The first frame of the second channel is not 0; nothing is missing but what the last piece, of 82 ms, had taken
        // before its time, and nothing comes after.
        #expect(heard.firstIndex(of: 0) ?? .max >= length - 3936)
        #expect(heard.dropFirst(length).allSatisfy { $0 == 0 })
    }

    @Test func rate_changedWhilePlaying_isHeardWithinAFifthOfASecond_andTheTimeCountsTheFilesSeconds() throws {
        let player = try machine.audioPlayer(seconds: 0.68)
        player.enableRate = true
        player.rate = 0.5
        player.play()
        machine.advance(frames: 9600)
        #expect(abs(player.currentTime - 0.1) <= 2 / 48_000)
        player.rate = 2
        machine.advance(frames: 9600)
        let time = player.currentTime
        #expect(abs(heardSeconds - time) < Self.pieceSeconds)
        // On its way at the old rate were 80 ms that had been read ahead and less than a piece of 82.
        #expect(time - 0.1 >= 0.162 * 0.5 + 0.038 * 2)
        let speed = speed(overFrames: 7200, of: player)
        #expect(abs(speed.counted - 2) < 1e-3)
        #expect(abs(speed.heard - 2) < 2 * Self.pieceSeconds / 0.15)
        player.currentTime = 0.05
        machine.advance(frames: 9600)
        // The old place fades out first.
        #expect(abs(player.currentTime - 0.45) < 0.02)
        #expect(abs(heardSeconds - player.currentTime) < Self.pieceSeconds)
    }

    @Test(arguments: [1, 4]) func numberOfLoops_atARate_isOneSoundWithoutAGap(loops: Int) throws {
        let player = try machine.audioPlayer(.quadrature(hertz: 1000), seconds: 0.1)
        player.enableRate = true
        player.rate = 1.25
        player.numberOfLoops = loops
        let start = machine.host.frame
        player.play()
        let length = 3840 * (loops + 1)
        machine.advance(frames: length - 1920)
        #expect(abs(player.currentTime - 0.05) <= 2 / 48_000)
        machine.advance(frames: 1920 + 4800)
        #expect(!player.isPlaying)
        let heard = machine.heard(since: start)
        // The pair has a constant magnitude of 0.5; where pieces join they are alike, and the sound is whole.
        let magnitudes = zip(heard[0], heard[1]).map { ($0 * $0 + $1 * $1).squareRoot() }
        #expect(magnitudes.prefix(length - 480).allSatisfy { $0 > 0.3 })
        #expect(magnitudes.dropFirst(length).allSatisfy { $0 == 0 })
    }

    @Test func enableRate_setWhilePlaying_goesOnFromWhereItIs() throws {
        let player = try machine.audioPlayer(seconds: 0.68)
        player.rate = 2
        player.play()
        machine.advance(frames: 4800)
        player.enableRate = true
        machine.advance(frames: 9600)
        // What fades out, in 5 ms, is not counted.
        #expect(abs(player.currentTime - 0.5) < 0.02)
        #expect(abs(heardSeconds - player.currentTime) < Self.pieceSeconds)
        player.enableRate = false
        machine.advance(frames: 480)
        let start = machine.host.frame
        let place = Int((player.currentTime * 48_000).rounded())
        machine.advance(frames: 480)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(place..<place + 480))
    }

    @Test func rate_pausedAndPlayedOn_keepsThePlace_andAfterTheEndBeginsAnew() throws {
        let player = try machine.audioPlayer(seconds: 0.5)
        player.enableRate = true
        player.rate = 2
        player.play()
        machine.advance(frames: 4800)
        player.pause()
        machine.advance(frames: 4800)
        let place = player.currentTime
        #expect(abs(place - 0.21) < 0.001)
        player.play()
        machine.advance(frames: 2400)
        #expect(abs(player.currentTime - place - 0.1) < 0.001)
        machine.advance(frames: 9600)
        #expect(!player.isPlaying)
        player.rate = 1
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start) == TestSignal.ramp.planar(0..<4800))
    }

    @Test func rate_outOfRange_isTheNearestInIt() throws {
        let player = try machine.audioPlayer(seconds: 0.1)
        for (value, rate) in [(0, 0.5), (-1, 0.5), (3, 2), (.infinity, 2), (.nan, 2), (1.25, 1.25)] as [(Float, Float)]
        {
            player.rate = value
            #expect(player.rate == rate)
        }
        let nothing = AVAudioPlayer()
        (nothing.enableRate, nothing.rate) = (true, 2)
        #expect((nothing.enableRate, nothing.rate) == (true, 2))
        #expect(!nothing.play())
    }

    /// More channels than SoundTouch takes.
    @Test func rate_ofAFileWithTooManyChannels_isItsOwn() throws {
        let player = try machine.audioPlayer(seconds: 0.1, channels: 17)
        player.enableRate = true
        player.rate = 2
        player.play()
        machine.advance(frames: 2400)
        #expect(player.currentTime == 0.05)
    }

    /// Longer than what is read ahead once the cycles are known.
    @Test func rate_onLongCycles_hasNoGapAtItsStart() throws {
        let machine = try AppMachine(quantum: 8192)
        let player = try machine.audioPlayer(.quadrature(hertz: 1000), seconds: 1)
        player.enableRate = true
        player.rate = 1.3
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 8 * 8192)
        let heard = machine.heard(since: start)
        let magnitudes = zip(heard[0], heard[1]).map { ($0 * $0 + $1 * $1).squareRoot() }
        let length = Int(48_000 / 1.3)
        // The pair has a constant magnitude of 0.5; where pieces join they are alike.
        #expect(magnitudes.prefix(length - 480).allSatisfy { $0 > 0.3 })
        #expect(magnitudes.dropFirst(length + 1).allSatisfy { $0 == 0 })
    }

    @Test func rate_changedRightAfterTheStart_isHeardWithinThreeTenthsOfASecond() throws {
        let player = try machine.audioPlayer(seconds: 0.68)
        player.enableRate = true
        player.rate = 0.5
        player.play()
        machine.advance(frames: 480)
        player.rate = 2
        machine.advance(frames: 14_400)
        // On their way at the old rate were 171 ms that had been read ahead and less than a piece of 82.
        #expect(player.currentTime - 0.005 >= 0.253 * 0.5 + 0.047 * 2)
        #expect(abs(heardSeconds - player.currentTime) < Self.pieceSeconds)
    }
}
