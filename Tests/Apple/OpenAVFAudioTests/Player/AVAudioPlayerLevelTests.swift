import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import TestAudio
import Testing

@testable import OpenAVFAudio

/// How loud Apple's player plays on the simulated host, and says it does.
@MainActor @Suite struct AVAudioPlayerLevelTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    private func player(_ signal: TestSignal = .ramp, seconds: Double = 1) throws -> AVAudioPlayer {
        try machine.audioPlayer(signal, seconds: seconds)
    }

    @Test func volume_setBeforeAndWhilePlaying_isHeard() throws {
        let player = try player(.quadrature(hertz: 1000), seconds: 2)
        player.volume = 0.5
        #expect(player.volume == 0.5)
        player.play()
        machine.advance(frames: 4800)
        func peak(since frame: Int) -> Float { machine.heard(since: frame)[0].map(abs).max() ?? 0 }
        let half = peak(since: machine.host.frame - 2400)
        player.setVolume(0, fadeDuration: 0.5)
        machine.advance(frames: 12_000)
        #expect(abs(player.volume - 0.25) < 0.01)
        // One cycle of 10 ms and a ramp of 5 ms behind.
        #expect(abs(peak(since: machine.host.frame - 480) - half / 2) < half * 0.05)
        machine.advance(frames: 12_480)
        #expect(player.volume == 0)
        let silent = machine.host.frame
        machine.advance(frames: 480)
        #expect(peak(since: silent) == 0)
        player.volume = .nan
        #expect(player.volume == 0)
    }

    @Test func setVolume_beforePlay_fadesFromThen() throws {
        let player = try player()
        player.volume = 0
        player.setVolume(1, fadeDuration: 0.2)
        player.play()
        machine.advance(frames: 4800)
        #expect(abs(player.volume - 0.5) < 0.001)
        machine.advance(frames: 4800)
        #expect(player.volume == 1)
        player.volume = 2
        #expect(player.volume == 1)
    }

    @Test func setVolume_whilePaused_goesOnInTime_alsoFromTheMiddleOfAGlide() throws {
        let player = try player()
        player.play()
        machine.advance(frames: 4800)
        player.pause()
        machine.advance(frames: 4800)
        player.setVolume(0, fadeDuration: 0.4)
        machine.advance(frames: 9600)
        #expect(abs(player.volume - 0.5) < 0.001)
        player.setVolume(1, fadeDuration: 0.4)
        machine.advance(frames: 9600)
        #expect(abs(player.volume - 0.75) < 0.001)
        machine.advance(frames: 9600)
        #expect(player.volume == 1)
    }

    @Test func pan_fadesTheOtherSide() throws {
        let player = try player()
        player.pan = 1
        player.play()
        machine.advance(frames: 4800)
        let start = machine.host.frame - 480
        let sides = machine.heard(since: start)
        #expect(sides[0].allSatisfy { $0 == 0 })
        #expect(sides[1] == TestSignal.ramp.planar(4320..<4800)[1])
        player.pan = .nan
        #expect(player.pan == 0)
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start + 4800) == TestSignal.ramp.planar(9120..<9600))
    }

    @Test func meters_tellTheLevelOfEachChannel() throws {
        let player = try player(.quadrature(hertz: 1000), seconds: 2)
        player.volume = 0.5
        player.play()
        machine.advance(frames: 4800)
        player.updateMeters()
        #expect(player.peakPower(forChannel: 0) == -160)
        player.isMeteringEnabled = true
        let since = machine.host.frame
        machine.advance(frames: 48_000)
        player.updateMeters()
        let heard = machine.heard(since: since)
        for channel in 0..<2 {
            let peak = heard[channel].map(abs).max() ?? 0
            #expect(abs(player.peakPower(forChannel: channel) - 20 * log10(peak)) < 0.001)
            // A sine's root mean square is 3.01 dB below its peak.
            #expect(abs(player.averagePower(forChannel: channel) - 20 * log10(peak) + 3.01) < 0.02)
        }
        #expect(player.averagePower(forChannel: 2) == -160)
        #expect(player.averagePower(forChannel: -1) == -160)
        player.pause()
        machine.advance(frames: 4800)
        player.updateMeters()
        machine.advance(frames: 4800)
        player.updateMeters()
        #expect(player.averagePower(forChannel: 0) == -160)
    }
}
