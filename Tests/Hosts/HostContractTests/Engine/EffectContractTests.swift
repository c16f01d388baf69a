import AudioModel
import Foundation
import OpenAVFAudio
import OpenAudioSession
import TestSupport
import Testing

/// What a device hears of a player behind effects, on the simulated host and on a private PipeWire.
@Suite("Effect contract", .serialized)
struct EffectContractTests {
    /// From the first to the last upward crossing of zero.
    private func frequency(_ samples: [Float]) throws -> Double {
        let crossings = samples.indices.dropFirst().filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }
        let (first, last) = (try #require(crossings.first), try #require(crossings.last))
        return Double(crossings.count - 1) / Double(last - first) * 48_000
    }

    private func repeatForEver(_ buffer: AVAudioPCMBuffer, on player: AVAudioPlayerNode) {
        player.scheduleBuffer(buffer, at: nil, options: .loops)
        player.play()
    }

    private func engine(of world: any World) -> AVAudioEngine {
        AVAudioSession.$taskSession.withValue(world.session) { AVAudioEngine() }
    }

    /// 440 Hz at half of full scale, to be repeated.
    private func loop() throws -> (AVAudioFormat, AVAudioPCMBuffer) {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4800))
        buffer.frameLength = 4800
        // 44 whole periods.
        let sound = tone(440, frames: 4800)
        for channel in 0..<2 { buffer.floatChannelData?[channel].update(from: sound, count: 4800) }
        return (format, buffer)
    }

    /// A tone of 440 Hz without end, one and a half times as fast.
    private func startTone(
        in world: any World
    ) throws -> (AVAudioEngine, AVAudioUnitTimePitch, AVAudioUnitVarispeed) {
        let engine = engine(of: world)
        let (player, timePitch, varispeed) = (AVAudioPlayerNode(), AVAudioUnitTimePitch(), AVAudioUnitVarispeed())
        let (format, buffer) = try loop()
        for node in [player, timePitch, varispeed] { engine.attach(node) }
        engine.connect(player, to: timePitch, format: format)
        engine.connect(timePitch, to: varispeed, format: format)
        engine.connect(varispeed, to: engine.mainMixerNode, format: format)
        timePitch.rate = 1.5
        try engine.start()
        repeatForEver(buffer, on: player)
        return (engine, timePitch, varispeed)
    }

    @Test(arguments: WorldKind.allCases)
    func effects_areHeardAtTheirPitch_andAChangeSoon(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let (engine, timePitch, varispeed) = try startTone(in: world)
            try await world.untilHeard(on: .speaker)
            try await world.run(seconds: 0.2)
            // 0.4 s of a tone: a join of two pieces of sound moves a crossing by a few frames.
            #expect(abs(try frequency(await world.record([.speaker], frames: 19_200) {}[0][0]) - 440) < 3)
            timePitch.pitch = 1200
            try await world.run(seconds: 0.4)
            #expect(abs(try frequency(await world.record([.speaker], frames: 19_200) {}[0][0]) - 880) < 6)
            varispeed.rate = 0.5
            try await world.run(seconds: 0.4)
            #expect(abs(try frequency(await world.record([.speaker], frames: 19_200) {}[0][1]) - 440) < 3)
            engine.stop()
        }
    }

    @Test(arguments: WorldKind.allCases)
    func equalizer_behindAMixer_isHeard_andItsBypassSoon(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let engine = engine(of: world)
            let (player, mixer, equalizer) = (AVAudioPlayerNode(), AVAudioMixerNode(), AVAudioUnitEQ(numberOfBands: 1))
            let (format, buffer) = try loop()
            for node in [player, mixer, equalizer] { engine.attach(node) }
            engine.connect(player, to: mixer, format: format)
            engine.connect(mixer, to: equalizer, format: format)
            engine.connect(equalizer, to: engine.mainMixerNode, format: format)
            let band = equalizer.bands[0]
            (band.filterType, band.frequency, band.gain, band.bypass) = (.parametric, 440, -20, false)
            try engine.start()
            repeatForEver(buffer, on: player)
            try await world.untilHeard(on: .speaker)
            try await world.run(seconds: 0.3)
            // The tone of 0.5 at -20 dB; the filter settles within a hundredth.
            let filtered = try await world.record([.speaker], frames: 9600) {}[0][1]
            #expect(abs((filtered.map(abs).max() ?? 0) - 0.05) < 0.005)
            equalizer.bypass = true
            try await world.run(seconds: 0.3)
            let passed = try await world.record([.speaker], frames: 9600) {}[0][1]
            #expect(abs((passed.map(abs).max() ?? 0) - 0.5) < 0.01)
            engine.stop()
        }
    }
}
