import Foundation

/// A loudspeaker and a microphone in a room: what is played comes back later, with reflections and some noise.
///
/// All sound is mono, at `sampleRate`.
package struct EchoRoom: Sendable {
    package var sampleRate = 48_000.0
    /// From rendering a frame to capturing it: devices and air.
    package var delaySeconds = 0.02
    /// Of the direct sound, linear.
    package var gain: Float = 0.5
    /// Of the microphone itself, linear: -80 dBFS.
    package var noise: Float = 1e-4
    package var seed: UInt64 = 1

    package init() {}

    /// What the microphone hears of `played`: the direct sound and 40 reflections that decay within 120 ms.
    package func echo(of played: [Float]) -> [Float] {
        var random = Seeded(seed: seed)
        let direct = Int(delaySeconds * sampleRate)
        var paths = [(frames: direct, gain: gain)]
        for _ in 0..<40 {
            let later = Double.random(in: 0.001...0.12, using: &random)
            let share = Float.random(in: -0.3...0.3, using: &random) * Float(exp(-later / 0.03))
            paths.append((direct + Int(later * sampleRate), gain * share))
        }
        var echo = [Float](repeating: 0, count: played.count)
        for path in paths where path.frames < played.count {
            for frame in path.frames..<played.count { echo[frame] += played[frame - path.frames] * path.gain }
        }
        for frame in echo.indices { echo[frame] += Float.random(in: -1...1, using: &random) * noise }
        return echo
    }

    /// Sound with the rhythm and the spectrum of speech: syllables of a voice with moving formants, hisses and pauses.
    ///
    /// - Parameter level: root of the mean square, linear.
    package static func speech(
        seconds: Double, sampleRate: Double = 48_000, seed: UInt64, level: Float = 0.1, pitch: Double = 120
    ) -> [Float] {
        var random = Seeded(seed: seed)
        var speech: [Float] = []
        while Double(speech.count) < seconds * sampleRate {
            let length = Int(Double.random(in: 0.08...0.3, using: &random) * sampleRate)
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1: speech += [Float](repeating: 0, count: length)
            case 2, 3: speech += syllable(length, sampleRate, pitch: nil, &random)
            default:
                speech += syllable(
                    length, sampleRate, pitch: pitch * Double.random(in: 0.8...1.3, using: &random), &random)
            }
        }
        speech.removeLast(speech.count - Int(seconds * sampleRate))
        let power = speech.reduce(0) { $0 + $1 * $1 } / Float(speech.count)
        return speech.map { $0 * level / power.squareRoot() }
    }

    /// - Parameter pitch: hertz; nil for a hiss.
    private static func syllable(
        _ length: Int, _ sampleRate: Double, pitch: Double?, _ random: inout Seeded
    ) -> [Float] {
        let formants = [
            Double.random(in: 300...900, using: &random), Double.random(in: 900...2300, using: &random), 3000,
        ]
        var states = [(Double, Double)](repeating: (0, 0), count: formants.count)
        let coefficients = formants.map { (2 * 0.98 * cos(2 * .pi * $0 / sampleRate), -0.98 * 0.98) }
        var phase = 0.0
        return (0..<length).map { frame in
            let noise = Double.random(in: -1...1, using: &random)
            var excitation = noise * 0.3
            if let pitch {
                phase += pitch / sampleRate * (1 + 0.1 * sin(Double(frame) / Double(length) * .pi))
                excitation = noise * 0.02
                if phase >= 1 {
                    phase -= 1
                    excitation += 5
                }
            }
            var sum = 0.0
            for (index, coefficient) in coefficients.enumerated() {
                let next = excitation + coefficient.0 * states[index].0 + coefficient.1 * states[index].1
                states[index] = (next, states[index].0)
                sum += next
            }
            return Float(sum * sin(Double(frame) / Double(length) * .pi))
        }
    }

    /// The mean power in decibels of full scale; -120 for silence.
    package static func decibels(_ samples: some Sequence<Float>) -> Double {
        var (sum, count) = (0.0, 0.0)
        for sample in samples {
            sum += Double(sample) * Double(sample)
            count += 1
        }
        return 10 * log10(max(sum / max(count, 1), 1e-12))
    }
}
