import CAudioTypes
import Foundation
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Time pitch and varispeed behind mixers, the input and other effects: what lies before them is rendered for them.
@Suite struct EngineIslandTests {
    private func rendered(_ engine: AVAudioEngine, _ frames: Int, step: UInt32 = 480) throws -> [Float] {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: engine.manualRenderingFormat, frameCapacity: step))
        var heard: [Float] = []
        while heard.count < frames {
            #expect(try engine.renderOffline(step, to: buffer) == .success)
            heard += buffer.channels[0]
        }
        return heard
    }

    private func engine(_ machine: AppMachine, _ nodes: [AVAudioNode]) throws -> AVAudioEngine {
        let engine = machine.engine()
        for node in nodes { engine.attach(node) }
        try engine.enableManualRenderingMode(.offline, format: .mono, maximumFrameCount: 480)
        return engine
    }

    private func play(_ player: AVAudioPlayerNode, _ samples: [Float]) {
        player.scheduleBuffer(AVAudioPCMBuffer([samples]))
        player.play()
    }

    @Test func players_mixedBeforeAVarispeed_soundFasterTogether() throws {
        let machine = try AppMachine()
        let (a, b, mixer, effect) = (
            AVAudioPlayerNode(), AVAudioPlayerNode(), AVAudioMixerNode(), varispeed(rate: 2)
        )
        let engine = try engine(machine, [a, b, mixer, effect])
        for node in [a, b] { engine.connect(node, to: mixer, format: .mono) }
        engine.connect(mixer, to: effect, format: .mono)
        engine.connect(effect, to: engine.mainMixerNode, format: .mono)
        try engine.start()
        a.volume = 0.5
        play(a, tone(440, frames: 96_000))
        play(b, tone(440, frames: 96_000))
        let heard = try rendered(engine, 60_000)
        // The filters ring over the end, and the island has rendered a block of 512 frames ahead.
        #expect(abs(Listening.loudFrames(heard) - 48_000) <= 640)
        #expect(abs(Listening.frequency(Listening.middle(heard, of: 48_000)) - 880) < 0.05)
        let peak = Listening.middle(heard, of: 48_000).map(abs).max() ?? 0
        // 0.5 and half of it.
        #expect(abs(peak - 0.75) < 0.01)
    }

    @Test func timePitchBehindAMixer_whileNeutral_passesBitByBit() throws {
        let machine = try AppMachine()
        let (player, mixer, effect) = (AVAudioPlayerNode(), AVAudioMixerNode(), timePitch())
        let engine = try engine(machine, [player, mixer, effect])
        for (node, next) in [(player, mixer), (mixer, effect)] as [(AVAudioNode, AVAudioNode)] {
            engine.connect(node, to: next, format: .mono)
        }
        engine.connect(effect, to: engine.mainMixerNode, format: .mono)
        try engine.start()
        play(player, ramp(1, 9600))
        #expect(try rendered(engine, 9600) == ramp(1, 9600))
    }

    @Test func timePitches_behindMixersInARow_multiplyTheirSpeeds() throws {
        let machine = try AppMachine()
        let (player, first, second) = (AVAudioPlayerNode(), AVAudioMixerNode(), AVAudioMixerNode())
        let effects: [AVAudioNode] = [varispeed(rate: 2), varispeed(rate: 0.5)]
        let engine = try engine(machine, [player, first, second, effects[0], effects[1]])
        let chain: [AVAudioNode] = [player, first, effects[0], second, effects[1], engine.mainMixerNode]
        for (node, next) in zip(chain, chain.dropFirst()) { engine.connect(node, to: next, format: .mono) }
        try engine.start()
        play(player, tone(440, frames: 96_000))
        let heard = try rendered(engine, 110_400)
        #expect(abs(Listening.frequency(Listening.middle(heard, of: 96_000)) - 440) < 0.05)
    }

    @Test func inputByHand_throughATimePitch_isHeard() throws {
        let machine = try AppMachine()
        let effect = timePitch()
        let engine = try engine(machine, [effect])
        let input = RampInput()
        let give: AVAudioIONodeInputBlock = input.give
        #expect(engine.inputNode.setManualRenderingInputPCMFormat(.mono, inputBlock: give))
        engine.connect(engine.inputNode, to: effect, format: nil)
        engine.connect(effect, to: engine.mainMixerNode, format: .mono)
        try engine.start()
        #expect(try rendered(engine, 9600) == ramp(1, 9600))
    }

    /// As many frames of a ramp as are asked for.
    private final class RampInput: @unchecked Sendable {
        // @unchecked: used on the thread that renders, which is the test's.
        private var given = 0
        private let buffer = AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 8192)

        func give(_ frames: UInt32) -> UnsafePointer<AudioBufferList>? {
            buffer?.frameLength = frames
            for (frame, sample) in ramp(given + 1, Int(frames)).enumerated() {
                buffer?.floatChannelData?[0][frame] = sample
            }
            given += Int(frames)
            return buffer?.audioBufferList
        }
    }

    @Test func player_withAnIslandMadeAndUnmadeWhileItPlays_isHeardAgain() throws {
        let machine = try AppMachine()
        let (player, mixer, effect) = (AVAudioPlayerNode(), AVAudioMixerNode(), varispeed(rate: 2))
        let engine = try engine(machine, [player, mixer, effect])
        engine.connect(player, to: mixer, format: .mono)
        engine.connect(mixer, to: engine.mainMixerNode, format: .mono)
        try engine.start()
        player.scheduleBuffer(
            AVAudioPCMBuffer([tone(440, frames: 48_000)]), at: nil, options: .loops, completionHandler: nil)
        player.play()
        #expect(abs(Listening.frequency(try rendered(engine, 48_000)[...]) - 440) < 1)
        engine.connect(mixer, to: effect, format: .mono)
        engine.connect(effect, to: engine.mainMixerNode, format: .mono)
        _ = try rendered(engine, 4800)
        #expect(abs(Listening.frequency(try rendered(engine, 48_000)[...]) - 880) < 1)
        engine.connect(mixer, to: engine.mainMixerNode, format: .mono)
        _ = try rendered(engine, 4800)
        #expect(abs(Listening.frequency(try rendered(engine, 48_000)[...]) - 440) < 1)
    }

    @Test func playerTime_inAnIsland_countsThePlayersOwnFrames() throws {
        let machine = try AppMachine()
        let (player, mixer, effect) = (AVAudioPlayerNode(), AVAudioMixerNode(), varispeed(rate: 2))
        let engine = try engine(machine, [player, mixer, effect])
        engine.connect(player, to: mixer, format: .mono)
        engine.connect(mixer, to: effect, format: .mono)
        engine.connect(effect, to: engine.mainMixerNode, format: .mono)
        try engine.start()
        play(player, tone(440, frames: 96_000))
        _ = try rendered(engine, 9600)
        let time = try #require(player.lastRenderTime.flatMap { player.playerTime(forNodeTime: $0) })
        // Twice as fast, to the last cycle of the island and what its filters reach ahead.
        #expect((18_000...20_800).contains(time.sampleTime))
    }
}
