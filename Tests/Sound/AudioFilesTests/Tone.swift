import Foundation

/// The frequency and the level of the strongest sine near a given frequency, by two demodulations half the span apart.
struct Tone {
    var hertz: Double
    /// Peak, linear.
    var level: Double

    init(of samples: some Sequence<Float>, sampleRate: Double, near expected: Double) {
        let samples = Array(samples)
        let half = samples.count / 2
        let first = Self.demodulate(samples[..<half], from: 0, sampleRate: sampleRate, hertz: expected)
        let second = Self.demodulate(samples[half..<2 * half], from: half, sampleRate: sampleRate, hertz: expected)
        var turn = atan2(second.imaginary, second.real) - atan2(first.imaginary, first.real)
        if turn > .pi { turn -= 2 * .pi }
        if turn < -.pi { turn += 2 * .pi }
        hertz = expected + turn / (2 * .pi) * sampleRate / Double(half)
        level = 2 * hypot(first.real, first.imaginary)
    }

    /// A Hann window keeps the ends of the span out of the result.
    private static func demodulate(
        _ samples: ArraySlice<Float>, from start: Int, sampleRate: Double, hertz: Double
    ) -> (real: Double, imaginary: Double) {
        var real = 0.0
        var imaginary = 0.0
        for (index, sample) in samples.enumerated() {
            let window = 1 - cos(2 * .pi * (Double(index) + 0.5) / Double(samples.count))
            let phase = 2 * .pi * hertz * Double(start + index) / sampleRate
            real += Double(sample) * window * cos(phase)
            imaginary -= Double(sample) * window * sin(phase)
        }
        return (real / Double(samples.count), imaginary / Double(samples.count))
    }
}

/// The bytes of an integer in a file's header.
func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
