import Glibc

/// The instruments: each renders one note, mono, about ±1, beginning and ending at zero.
enum Voice {
    private static let sampleRate = Double(Song.sampleRate)

    private static func hertz(_ note: Int) -> Double { 440 * pow(2, Double(note - 69) / 12) }

    /// A plucked string after Karplus and Strong, with an allpass for the part of the delay that is no whole frame.
    ///
    /// - Parameter seed: of the noise that excites the string; the same seed gives the same note.
    static func pluck(note: Int, force: Double, seed: UInt64) -> [Float] {
        let period = sampleRate / hertz(note) - 0.5
        let length = Int(period - 0.1)
        let fraction = period - Double(length)
        let allpass = (1 - fraction) / (1 + fraction)

        // Soft fingers: the noise goes through two lowpasses, duller for less force.
        var random = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        var string = [Double](repeating: 0, count: length)
        var smooth = (0.0, 0.0)
        let brightness = 0.25 + 0.25 * force
        for index in 0..<length {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let noise = Double(random >> 33) / Double(1 << 30) - 1
            smooth.0 += brightness * (noise - smooth.0)
            smooth.1 += brightness * (smooth.0 - smooth.1)
            string[index] = smooth.1
        }
        let mean = string.reduce(0, +) / Double(length)
        let loudest = string.reduce(0) { max($0, ($1 - mean).magnitude) }
        string = string.map { ($0 - mean) / loudest }

        let loss = pow(0.001, 1 / (hertz(note) * 2.2))
        var note = [Float](repeating: 0, count: Int(2.5 * sampleRate))
        var previous = 0.0
        var allpassInput = 0.0
        var allpassOutput = 0.0
        for frame in note.indices {
            let index = frame % length
            let out = string[index]
            note[frame] = Float(out * force * edges(frame, of: note.count, attack: 0.003, release: 0.3))
            let averaged = 0.5 * (out + previous) * loss
            previous = out
            allpassOutput = allpass * (averaged - allpassOutput) + allpassInput
            allpassInput = averaged
            string[index] = allpassOutput
        }
        return note
    }

    /// An electric piano by frequency modulation: a soft body, and a bell that fades first.
    static func piano(note: Int, seconds: Double) -> [Float] {
        let hertz = hertz(note)
        return tone(seconds: seconds, attack: 0.02, release: 0.6) { time in
            let body = sin(2 * .pi * hertz * time + 1.1 * exp(-2.2 * time) * sin(2 * .pi * hertz * time))
            let bell = sin(2 * .pi * hertz * time + 0.7 * exp(-7 * time) * sin(2 * .pi * 14 * hertz * time))
            let tremolo = 1 - 0.12 * (1 - cos(2 * .pi * 4.2 * time))
            return (0.8 * body + 0.2 * bell) * exp(-1.3 * time) * tremolo
        }
    }

    /// A round bass: the fundamental, some octave so that small speakers show it, and a touch of saturation.
    static func bass(note: Int, seconds: Double) -> [Float] {
        let hertz = hertz(note)
        return tone(seconds: seconds, attack: 0.008, release: 0.12) { time in
            let phase = 2 * .pi * hertz * time
            return tanh(1.3 * (sin(phase) + 0.35 * sin(2 * phase) + 0.1 * sin(3 * phase)) * exp(-1.1 * time))
        }
    }

    private static func tone(
        seconds: Double, attack: Double, release: Double, _ sample: (Double) -> Double
    ) -> [Float] {
        let count = Int(seconds * sampleRate)
        return (0..<count).map {
            Float(sample(Double($0) / sampleRate) * edges($0, of: count, attack: attack, release: release))
        }
    }

    /// Raised-cosine ends: nothing clicks.
    private static func edges(_ frame: Int, of count: Int, attack: Double, release: Double) -> Double {
        let rise = min(1, Double(frame) / (attack * sampleRate))
        let fall = min(1, Double(count - 1 - frame) / (release * sampleRate))
        return 0.25 * (1 - cos(.pi * rise)) * (1 - cos(.pi * fall))
    }
}
