import Foundation

/// Sounds that are easy to recognise again, as interleaved Float32 frames.
package enum TestSignal: Hashable, Sendable {
    case silence
    /// The same sine in every channel, from phase 0; level is the peak, linear.
    case sine(hertz: Double, level: Double = 0.5)
    /// A cosine in even channels, a sine in odd ones: the magnitude of the pair is constant, so that one missing or
    /// doubled frame shows as a step of its phase.
    case quadrature(hertz: Double, level: Double = 0.5)
    /// Frame n of channel c is ((n + 100 c) mod 32 768) / 32 768: exact in 16 bit formats, and each frame says which it is.
    case ramp
    /// Unlike itself everywhere, the same in every channel, up to a quarter of full scale.
    case noise
    /// One full-scale frame at this index, zeros elsewhere.
    case impulse(frame: Int)

    package func samples(frames: Int, channels: Int, sampleRate: Double) -> [Float] {
        var samples = [Float](repeating: 0, count: frames * channels)
        for frame in 0..<frames {
            for channel in 0..<channels {
                samples[frame * channels + channel] = sample(frame: frame, channel: channel, sampleRate: sampleRate)
            }
        }
        return samples
    }

    package func sample(frame: Int, channel: Int, sampleRate: Double) -> Float {
        switch self {
        case .silence: return 0
        case .sine(let hertz, let level):
            return Float(level * sin(2 * .pi * hertz * Double(frame) / sampleRate))
        case .quadrature(let hertz, let level):
            let phase = 2 * .pi * hertz * Double(frame) / sampleRate
            return Float(level * (channel & 1 == 0 ? cos(phase) : sin(phase)))
        case .ramp: return Float((frame + 100 * channel) % 32_768) / 32_768
        case .noise:
            var bits = UInt64(frame) &* 0x9E37_79B9_7F4A_7C15
            bits = (bits ^ (bits >> 32)) &* 0xD6E8_FEB8_6659_FD93
            return Float(Int64(bitPattern: bits ^ (bits >> 32)) >> 40) / Float(1 << 25)
        case .impulse(let index): return frame == index ? 32_767.0 / 32_768 : 0
        }
    }
}

extension TestSignal {
    /// Planar: [channel][frame] for these frames of a stereo file at 48 kHz, times a linear gain.
    package func planar(_ frames: Range<Int>, gain: Float = 1) -> [[Float]] {
        (0..<2).map { channel in frames.map { sample(frame: $0, channel: channel, sampleRate: 48_000) * gain } }
    }
}

extension [[Float]] {
    /// The frames in which something sounds.
    package var sounding: [[Float]] {
        let frames = (0..<(first?.count ?? 0)).filter { frame in contains { $0[frame] != 0 } }
        return map { channel in frames.map { channel[$0] } }
    }
}
