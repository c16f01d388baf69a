import Foundation
import RuntimeTestSupport

@testable import OpenAVFAudio

/// An engine without a device that renders a player, or another source, through effects, by hand.
final class EffectBench {
    let machine: AppMachine
    let engine: AVAudioEngine
    let player = AVAudioPlayerNode()
    private let buffer: AVAudioPCMBuffer

    /// Crossings of zero say the frequency of a second of a tone to 0.01 Hz; each join of two pieces of stretched sound
    /// may move one by a few frames, which over a second stays below this.
    static let hertz = 1.5

    /// Frames at 48 kHz by which the end, or a join, of stretched sound may be off: SoundTouch looks for the best place to
    /// join two pieces within 20 ms of what comes in and fades them over 8 ms.
    static func reach(rate: Float = 1) -> Int { Int(0.028 * 48_000 * Double(max(1, 1 / rate))) }

    /// - Parameters:
    ///   - format: of the player and the effects.
    ///   - source: instead of the player.
    ///   - rendering: what the engine renders.
    init(
        _ effects: [AVAudioUnit], format: AVAudioFormat = .mono, source: AVAudioNode? = nil,
        rendering: AVAudioFormat = .mono, step: UInt32 = 480
    ) throws {
        machine = try AppMachine()
        engine = machine.engine()
        let chain = [source ?? player] + effects
        for node in chain { engine.attach(node) }
        for (node, next) in zip(chain, chain.dropFirst()) { engine.connect(node, to: next, format: format) }
        engine.connect(chain[chain.count - 1], to: engine.mainMixerNode, format: format)
        try engine.enableManualRenderingMode(.offline, format: rendering, maximumFrameCount: step)
        // Standard formats have buffers.
        buffer = AVAudioPCMBuffer(pcmFormat: rendering, frameCapacity: step)!
        try engine.start()
    }

    /// [channel][frame] of at least so many frames.
    func renderAll(_ frames: Int) throws -> [[Float]] {
        var channels = [[Float]](repeating: [], count: Int(buffer.format.channelCount))
        while channels[0].count < frames {
            _ = try engine.renderOffline(buffer.frameCapacity, to: buffer)
            for (index, channel) in buffer.channels.enumerated() { channels[index] += channel }
        }
        return channels
    }

    /// The first channel.
    func render(_ frames: Int) throws -> [Float] { try renderAll(frames)[0] }

    func play(_ samples: [Float], rate: Double = 48_000) {
        player.scheduleBuffer(AVAudioPCMBuffer([samples], rate: rate))
        player.play()
    }
}

func timePitch(rate: Float = 1, pitch: Float = 0) -> AVAudioUnitTimePitch {
    let effect = AVAudioUnitTimePitch()
    effect.rate = rate
    effect.pitch = pitch
    return effect
}

func varispeed(rate: Float) -> AVAudioUnitVarispeed {
    let effect = AVAudioUnitVarispeed()
    effect.rate = rate
    return effect
}
