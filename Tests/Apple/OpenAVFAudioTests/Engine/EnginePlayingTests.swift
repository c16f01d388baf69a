import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import SessionRuntime

// Helpers: EngineChanges.swift
/// Players, mixers and the output on the simulated host, where every sample that reaches a port is on record.
@Suite struct EnginePlayingTests {
    /// Frames of a ramp: 5 ms at 48 kHz.
    static let fade = 240

    // MARK: Samples

    @Test(arguments: [480, 441, 4096])
    func player_throughMainMixer_isBitExactFromTheFirstFrame(quantum: Int) throws {
        let machine = try AppMachine(quantum: quantum)
        let (engine, player) = try machine.engineWithPlayer()
        #expect(engine.isRunning)
        let (mixer, output): (AVAudioMixerNode, AVAudioOutputNode) = (engine.mainMixerNode, engine.outputNode)
        #expect(engine.outputConnectionPoints(for: mixer, outputBus: 0).map(\.node) == [output])
        let channels = [ramp(1, 10_000), ramp(20_001, 10_000)]
        player.scheduleBuffer(AVAudioPCMBuffer(channels))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 12_000)
        let heard = machine.heard(since: start)
        #expect(heard.map { Array($0.prefix(10_000)) } == channels)
        #expect(heard.map { Array($0.dropFirst(10_000)) } == [silence(2000), silence(2000)])
    }

    @Test func players_inOneMixer_areSummedAtTheirVolumesAndPans() throws {
        let machine = try AppMachine()
        let (engine, left) = try machine.engineWithPlayer()
        let (_, right) = try machine.engineWithPlayer(on: engine)
        left.volume = 0.5
        right.pan = 1
        engine.mainMixerNode.outputVolume = 0.25
        machine.advance(frames: 480)
        left.scheduleBuffer(AVAudioPCMBuffer([ramp(4, 960), ramp(1004, 960)]))
        right.scheduleBuffer(AVAudioPCMBuffer([ramp(8, 960), ramp(2008, 960)]))
        let start = machine.host.frame
        left.play()
        right.play()
        machine.advance(frames: 960)
        // 0.125 and 0.25 are exact; the pan leaves the right side as it is and silences the left.
        let expected = [
            ramp(4, 960).map { $0 * 0.125 },
            zip(ramp(1004, 960), ramp(2008, 960)).map { $0 * 0.125 + $1 * 0.25 },
        ]
        #expect(machine.heard(since: start) == expected)
    }

    @Test func monoPlayer_inAStereoMixer_soundsOnBothSides() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 480)]))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 480)
        #expect(machine.heard(since: start) == [ramp(1, 480), ramp(1, 480)])
        withExtendedLifetime(engine) {}
    }

    @Test func file_andSegment_playTheFilesFrames() throws {
        let machine = try AppMachine()
        let directory = try TemporaryDirectory()
        let path = try TestFile.write(.ramp, seconds: 0.25, format: .wav16, in: directory)
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: path))
        let (engine, player) = try machine.engineWithPlayer()
        player.scheduleSegment(file, startingFrame: 100, frameCount: 500, at: nil)
        player.scheduleFile(file, at: nil)
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 500 + 12_000)
        let expected = zip(TestSignal.ramp.planar(100..<600), TestSignal.ramp.planar(0..<12_000)).map { $0 + $1 }
        #expect(machine.heard(since: start) == expected)
        // The app's own place in the file stays where it was.
        #expect(file.framePosition == 0)
        withExtendedLifetime(engine) {}
    }

    @Test func loops_repeatWithoutASeam() throws {
        let machine = try AppMachine(quantum: 64)
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 100)]), at: nil, options: .loops)
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 64)
        let heard = machine.heard(since: start)[0]
        #expect(heard == ramp(1, 64))
        machine.advance(frames: 936)
        #expect(machine.heard(since: start)[0] == (0..<10).flatMap { _ in ramp(1, 100) })
        withExtendedLifetime(engine) {}
    }

    // Behaviour 91
    @Test(arguments: [2400, 4800, 24_000, 96_000], [64, 480, 1024])
    func interruptsAtLoopActsAtTheLoopsEnd(frames: Int, quantum: Int) throws {
        let machine = try AppMachine(quantum: quantum)
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, frames)]), at: nil, options: .loops)
        let start = machine.host.frame
        player.play()
        let asked = frames * 4 / 3 / quantum * quantum
        machine.advance(frames: asked)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(200_001, 100)]), at: nil, options: .interruptsAtLoop)
        machine.advance(frames: 2 * frames)
        // The first end that is not within the cycle that may be under way.
        let passes = (asked + quantum + frames - 1) / frames
        let expected = (0..<passes).flatMap { _ in ramp(1, frames) } + ramp(200_001, 100)
        let heard = machine.heard(since: start)[0]
        #expect(Array(heard.prefix(expected.count)) == expected)
        #expect(heard.dropFirst(expected.count).allSatisfy { $0 == 0 })
        withExtendedLifetime(engine) {}
    }

    @Test func interrupts_dropsWhatSounds() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        player.scheduleBuffer(AVAudioPCMBuffer([[Float](repeating: 0.5, count: 48_000)]))
        player.play()
        machine.advance(frames: 4800)
        let change = machine.host.frame
        player.scheduleBuffer(AVAudioPCMBuffer([[Float](repeating: 0.25, count: 4800)]), at: nil, options: .interrupts)
        machine.advance(frames: 9600)
        let heard = machine.heard(since: change)[0]
        // The old one decays within a ramp; then the new one fades in, sounds to its end, and nothing comes after it.
        #expect(heard[(2 * Self.fade)..<(4800 + Self.fade)].allSatisfy { $0 == 0.25 })
        #expect(heard.lastIndex { $0 != 0 } == 4800 + Self.fade - 1)
        withExtendedLifetime(engine) {}
    }

    @Test func player_atAnotherRate_isConvertedToTheSameLength() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .standard(1, rate: 24_000))
        player.scheduleBuffer(AVAudioPCMBuffer([tone(1000, frames: 2400, level: 1, rate: 24_000)], rate: 24_000))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 9600)
        let heard = machine.heard(since: start)[0]
        let expected = tone(1000, frames: 4800, level: 1)
        // The filter rings at the edges; in between it is flat to 0.01 dB.
        let error = (480..<4320).map { abs(heard[$0] - expected[$0]) }.max() ?? 1
        #expect(error < 0.001)
        #expect(heard[4860...].allSatisfy { abs($0) < 0.001 })
        withExtendedLifetime(engine) {}
    }

    // MARK: Completion handlers

    @Test func handlers_sayHowFarEachBufferHasCome() throws {
        let machine = try AppMachine(quantum: 480)
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let history = History<String>()
        let buffer = AVAudioPCMBuffer([ramp(1, 4800)])
        for type in [AVAudioPlayerNodeCompletionCallbackType.dataConsumed, .dataRendered, .dataPlayedBack] {
            let handler: AVAudioPlayerNodeCompletionHandler = { history.append("\($0)") }
            player.scheduleBuffer(buffer, completionCallbackType: type, completionHandler: handler)
        }
        let plain: AVAudioNodeCompletionHandler = { history.append("plain") }
        player.scheduleBuffer(buffer, completionHandler: plain)
        #expect(history.entries == [])
        player.play()
        machine.advance(frames: 480)
        #expect(history.entries == ["dataConsumed", "plain"])
        machine.advance(frames: 9600)
        #expect(history.entries == ["dataConsumed", "plain", "dataRendered"])
        machine.advance(frames: 9600)
        #expect(history.entries == ["dataConsumed", "plain", "dataRendered", "dataPlayedBack"])
        withExtendedLifetime(engine) {}
    }

    @Test func stop_callsEveryHandlerInOrder_andSetsTheTimeToZero() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let history = History<Int>()
        for index in 0..<3 {
            player.scheduleBuffer(
                AVAudioPCMBuffer([ramp(1, 48_000)]), completionCallbackType: .dataPlayedBack
            ) { _ in history.append(index) }
        }
        player.play()
        machine.advance(frames: 4800)
        player.stop()
        machine.runtime.drain()
        #expect(history.entries == [0, 1, 2])
        #expect(!player.isPlaying)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 4800)]))
        player.play()
        machine.advance(frames: 960)
        let now = try #require(player.lastRenderTime.flatMap { player.playerTime(forNodeTime: $0) })
        #expect(now.sampleTime == 480)
        withExtendedLifetime(engine) {}
    }

    @Test func handler_thatSchedulesTheNext_leavesNoGap() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let feeder = ChainOfBuffers(player: player, frames: 1000, count: 20)
        feeder.scheduleNext()
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 20_000)
        #expect(machine.heard(since: start)[0] == ramp(1, 20_000))
        withExtendedLifetime(engine) {}
    }

    // MARK: Time

    @Test func play_atASampleTime_beginsThere() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        machine.advance(frames: 4800)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 480)]))
        let last = try #require(player.lastRenderTime)
        #expect(last.sampleTime == 4320)
        player.play(at: AVAudioTime(sampleTime: last.sampleTime + 1000, atRate: 48_000))
        let start = machine.host.frame
        machine.advance(frames: 1440)
        // 1000 frames after the last cycle's first is 520 after its last.
        #expect(machine.heard(since: start)[0] == silence(520) + ramp(1, 480) + silence(440))
        withExtendedLifetime(engine) {}
    }

    @Test func schedule_atAPlayerTime_waitsForIt() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 100)]))
        player.scheduleBuffer(
            AVAudioPCMBuffer([ramp(1000, 100)]), at: AVAudioTime(sampleTime: 700, atRate: 48_000))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 960)
        #expect(
            machine.heard(since: start)[0] == ramp(1, 100) + silence(600) + ramp(1000, 100) + silence(160))
        withExtendedLifetime(engine) {}
    }

    @Test func times_convertBothWays_andAreNilWhileNothingPlays() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .standard(1, rate: 24_000))
        machine.advance(frames: 960)
        #expect(player.playerTime(forNodeTime: AVAudioTime(sampleTime: 0, atRate: 48_000)) == nil)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 24_000)], rate: 24_000))
        player.play()
        machine.advance(frames: 4800)
        let node = AVAudioTime(sampleTime: (960 + 4800) / 2, atRate: 24_000)
        let time = try #require(player.playerTime(forNodeTime: node))
        #expect(time.sampleTime == 2400)
        #expect(time.sampleRate == 24_000)
        #expect(player.nodeTime(forPlayerTime: time)?.sampleTime == node.sampleTime)
        engine.pause()
        machine.advance(frames: 960)
        #expect(player.lastRenderTime == nil)
    }
}

/// Schedules the next buffer as soon as one is consumed.
///
/// `@unchecked Sendable`: after the first call, only the engine's handlers use it.
private final class ChainOfBuffers: @unchecked Sendable {
    private let player: AVAudioPlayerNode
    private let frames: Int
    private let count: Int
    private var index = 0

    init(player: AVAudioPlayerNode, frames: Int, count: Int) {
        self.player = player
        self.frames = frames
        self.count = count
    }

    func scheduleNext() {
        guard index < count else { return }
        let buffer = AVAudioPCMBuffer([ramp(1 + index * frames, frames)])
        index += 1
        player.scheduleBuffer(buffer) { [self] in scheduleNext() }
    }
}
