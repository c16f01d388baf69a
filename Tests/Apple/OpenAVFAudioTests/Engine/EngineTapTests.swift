import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

@Suite struct EngineTapTests {
    /// What one call of a tap said.
    private struct Heard: Sendable {
        var frames: Int
        var sampleTime: Int64
        var hostSeconds: Double
        var rate: Double
        var channels: [[Float]]
        var isMainThread: Bool
    }

    private func tap(
        _ node: AVAudioNode, frames: UInt32 = 4800, format: AVAudioFormat? = nil
    ) -> History<Heard> {
        let history = History<Heard>()
        let hear: AVAudioNodeTapBlock = { buffer, time in
            history.append(
                Heard(
                    frames: Int(buffer.frameLength), sampleTime: time.sampleTime,
                    hostSeconds: AVAudioTime.seconds(forHostTime: time.hostTime), rate: buffer.format.sampleRate,
                    channels: buffer.floatChannelData == nil ? [] : buffer.channels,
                    isMainThread: Thread.isMainThread))
        }
        node.installTap(onBus: 0, bufferSize: frames, format: format, block: hear)
        return history
    }

    @Test func tap_hearsWhatLeavesTheNode_inBuffersWithTheirTimes() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        engine.mainMixerNode.outputVolume = 0.5
        machine.advance(frames: 480)
        let history = tap(engine.mainMixerNode)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(2, 48_000)]))
        player.play()
        machine.advance(frames: 480 * 31)
        let heard = history.entries
        #expect(heard.map(\.frames) == [4800, 4800, 4800])
        #expect(heard.map(\.sampleTime) == [480, 5280, 10_080])
        #expect(heard.map { ($0.hostSeconds * 1000).rounded() } == [10, 110, 210])
        #expect(heard.flatMap { $0.channels[0] } == ramp(2, 14_400).map { $0 * 0.5 })
        #expect(heard.allSatisfy { !$0.isMainThread && $0.channels.count == 2 })
    }

    @Test(arguments: [(UInt32(1), 4800), (1024, 4800), (9600, 9600), (1_000_000, 19_200)])
    func bufferSize_isBroughtTo100To400Milliseconds(_ wanted: UInt32, _ given: Int) throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let history = tap(player, frames: wanted)
        machine.advance(frames: 48_000)
        #expect(history.entries.first?.frames == given)
        withExtendedLifetime(engine) {}
    }

    /// As apps do that want shorter ones than a tap gives.
    @Test func tapThatShortensItsBuffer_getsThatLengthFromThenOn() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let history = History<[Float]>()
        player.installTap(onBus: 0, bufferSize: 480, format: nil) { buffer, _ in
            history.append(buffer.channels[0])
            buffer.frameLength = 480
        }
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 96_000)]))
        player.play()
        // The block runs on a thread of its own, while the engine goes on.
        for _ in 0..<10 {
            machine.advance(frames: 4800)
            machine.runtime.drain()
        }
        let lengths = history.entries.map(\.count)
        #expect(lengths.first == 4800)
        #expect(lengths.suffix(50).allSatisfy { $0 == 480 })
        let heard = history.entries.flatMap(\.self)
        #expect(heard == ramp(1, heard.count))
        withExtendedLifetime(engine) {}
    }

    @Test func tap_whileRunning_comesAndGoes() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 96_000)]))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 4800)
        let history = tap(player)
        machine.advance(frames: 9600)
        player.removeTap(onBus: 0)
        player.removeTap(onBus: 0)
        let count = history.entries.count
        machine.advance(frames: 9600)
        #expect(count > 0)
        #expect(history.entries.count == count)
        #expect(history.entries.first?.channels[0].first == ramp(4801, 1)[0])
        // The sound knows nothing of it.
        #expect(machine.heard(since: start)[0] == ramp(1, 24_000))
        let again = tap(player)
        machine.advance(frames: 9600)
        #expect(!again.entries.isEmpty)
        withExtendedLifetime(engine) {}
    }

    @Test func tapSurvivesRateChange() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let stale = engine.mainMixerNode.outputFormat(forBus: 0)
        #expect(stale.sampleRate == 48_000)
        // A hands-free headset: mono at 16 kHz.
        try machine.session.setCategory(.playAndRecord, options: .allowBluetoothHFP)
        machine.host.plug(.bluetoothHFP)
        machine.runtime.drain()
        #expect(engine.mainMixerNode.outputFormat(forBus: 0).sampleRate == 16_000)
        try engine.start()
        player.scheduleBuffer(AVAudioPCMBuffer([[Float](repeating: 0.5, count: 48_000)]))
        player.play()
        for (format, rate, channels) in [(AVAudioFormat?.none, 16_000.0, 1), (stale, 48_000, 2)] {
            let history = tap(engine.mainMixerNode, format: format)
            machine.advance(frames: 24_000)
            engine.mainMixerNode.removeTap(onBus: 0)
            let last = try #require(history.entries.last)
            #expect(last.rate == rate)
            #expect(last.channels.count == channels)
            // The filter has settled: the level is the player's.
            #expect(last.channels.allSatisfy { abs($0[$0.count / 2] - 0.5) < 0.001 })
        }
    }

    @Test func tap_inAnotherCoding_isConverted() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let format = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 48_000, channels: 1, interleaved: true))
        let samples = History<[Int16]>()
        player.installTap(onBus: 0, bufferSize: 4800, format: format) { buffer, _ in
            guard let data = buffer.int16ChannelData else { return }
            samples.append((0..<Int(buffer.frameLength)).map { data[0][$0] })
        }
        player.scheduleBuffer(AVAudioPCMBuffer([[Float](repeating: 0.5, count: 9600)]))
        player.play()
        machine.advance(frames: 9600)
        #expect(samples.entries.first == [Int16](repeating: 16_384, count: 4800))
        withExtendedLifetime(engine) {}
    }
}
