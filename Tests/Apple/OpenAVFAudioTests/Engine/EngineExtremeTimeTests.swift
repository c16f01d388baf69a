import AudioModel
import RuntimeTestSupport
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Times that no clock ever shows: they mean "never" or "long ago", and end no app.
@Suite struct EngineExtremeTimeTests {
    /// Rates that make a frame count of any size of a time.
    static let rates: [Double] = [48_000, 44_100, 1e-300, 1e300, .infinity, .nan, 0, -1]
    static let ends: [Int64] = [.max, .min, .max - 1, .min + 1, 0]

    /// - Parameter rate: of the player's node; at 24 kHz a converter is between it and the renderer.
    private func running(rate: Double) throws -> (AppMachine, AVAudioEngine, AVAudioPlayerNode) {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .standard(1, rate: rate))
        return (machine, engine, player)
    }

    @Test(arguments: [48_000, 24_000] as [Double], [44_100, 48_000, 1e-300] as [Double])
    func schedule_atTheEndsOfTime_isNeverOrAtOnce(rate: Double, timeRate: Double) throws {
        let (machine, engine, player) = try running(rate: rate)
        let buffer = AVAudioPCMBuffer([ramp(1, 480)], rate: rate)
        player.scheduleBuffer(buffer, at: AVAudioTime(sampleTime: .min, atRate: timeRate))
        player.scheduleBuffer(buffer, at: AVAudioTime(sampleTime: .max, atRate: timeRate))
        player.scheduleBuffer(buffer)
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 9600)
        let loud = machine.heard(since: start)[0].count { abs($0) > 0.001 }
        // The buffer in the past sounds once, and what follows one that is never due does not. The rate's filter rings.
        let once = Int(480 * 48_000 / rate)
        #expect((once - 240...once + 60).contains(loud), "\(loud) frames sounded")
        withExtendedLifetime(engine) {}
    }

    @Test(arguments: rates) func anyTime_isNoTrap(timeRate: Double) throws {
        for rate in [48_000, 24_000] as [Double] {
            let (machine, engine, player) = try running(rate: rate)
            let buffer = AVAudioPCMBuffer([ramp(1, 480)], rate: rate)
            player.play()
            machine.advance(frames: 960)
            for end in Self.ends {
                let time = AVAudioTime(sampleTime: end, atRate: timeRate)
                _ = player.playerTime(forNodeTime: time)
                _ = player.nodeTime(forPlayerTime: time)
                player.scheduleBuffer(buffer, at: time, options: .interrupts)
                player.play(at: time)
                machine.advance(frames: 960)
                _ = player.playerTime(forNodeTime: time)
                _ = player.nodeTime(forPlayerTime: time)
                player.stop()
                player.play()
                machine.advance(frames: 960)
            }
            withExtendedLifetime(engine) {}
        }
    }

    @Test func anyHostTime_isNoTrap() throws {
        let (machine, engine, player) = try running(rate: 24_000)
        let buffer = AVAudioPCMBuffer([ramp(1, 480)], rate: 24_000)
        for host in [0, 1, .max] as [UInt64] {
            let time = AVAudioTime(hostTime: host)
            player.play(at: time)
            machine.advance(frames: 960)
            player.scheduleBuffer(buffer, at: time)
            _ = player.playerTime(forNodeTime: time)
            #expect(player.nodeTime(forPlayerTime: time) == nil)
            machine.advance(frames: 960)
            player.stop()
        }
        withExtendedLifetime(engine) {}
    }

    @Test func play_atTheEndsOfTime_isNeverOrAtOnce() throws {
        let (machine, engine, player) = try running(rate: 48_000)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 4800)]))
        let start = machine.host.frame
        player.play(at: AVAudioTime(sampleTime: .max, atRate: 44_100))
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start)[0] == silence(4800))
        player.play(at: AVAudioTime(sampleTime: .min, atRate: 44_100))
        machine.advance(frames: 4800)
        #expect(machine.heard(since: start + 4800)[0] == ramp(1, 4800))
        withExtendedLifetime(engine) {}
    }

    @Test func times_farAway_areTheEndsOfTime() throws {
        let (machine, engine, player) = try running(rate: 24_000)
        player.play()
        machine.advance(frames: 960)
        let last = AVAudioTime(sampleTime: .max, atRate: 1000)
        let first = AVAudioTime(sampleTime: .min, atRate: 1000)
        #expect(player.playerTime(forNodeTime: last)?.sampleTime ?? 0 > .max / 4)
        #expect(player.playerTime(forNodeTime: first)?.sampleTime ?? 0 < .min / 4)
        #expect(player.nodeTime(forPlayerTime: last)?.sampleTime ?? 0 > .max / 4)
        #expect(player.nodeTime(forPlayerTime: first)?.sampleTime ?? 0 < .min / 4)
        withExtendedLifetime(engine) {}
    }
}
