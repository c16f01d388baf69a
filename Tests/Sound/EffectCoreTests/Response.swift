import Foundation

/// What a filter does to a frequency, measured and by formula.
enum Response {
    /// The amplitude of a frequency in an impulse response.
    static func amplitude(_ impulse: [Float], _ frequency: Double, _ sampleRate: Double) -> Double {
        // A rotating pointer; in double precision its error after a million steps is 10^-10.
        let w = 2 * Double.pi * frequency / sampleRate
        let (turnReal, turnImaginary) = (cos(w), -sin(w))
        var (real, imaginary) = (0.0, 0.0)
        var (x, y) = (1.0, 0.0)
        for sample in impulse {
            real += Double(sample) * x
            imaginary += Double(sample) * y
            (x, y) = (x * turnReal - y * turnImaginary, x * turnImaginary + y * turnReal)
        }
        return (real * real + imaginary * imaginary).squareRoot()
    }

    static func decibels(_ amplitude: Double) -> Double { 20 * log10(max(amplitude, 1e-12)) }

    /// Of 20 Hz to 20 kHz, evenly in octaves.
    static func frequencies(_ count: Int) -> [Double] {
        (0..<count).map { 20 * pow(1000, Double($0) / Double(count - 1)) }
    }
}

/// A biquad of the Audio EQ Cookbook, in double precision and in its own form: a1, a2, b0, b1, b2 over a0.
///
/// Source: R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter coefficients".
struct CookbookBiquad {
    enum Shape: CaseIterable { case peak, lowPass, highPass, bandPass, notch, lowShelf, highShelf }

    var b: (Double, Double, Double)
    var a: (Double, Double, Double)

    static func alpha(octaves: Double, frequency: Double, sampleRate: Double) -> Double {
        let w = 2 * Double.pi * frequency / sampleRate
        return sin(w) * sinh(log(2) / 2 * octaves * w / sin(w))
    }

    static func alpha(quality: Double, frequency: Double, sampleRate: Double) -> Double {
        sin(2 * Double.pi * frequency / sampleRate) / (2 * quality)
    }

    init(_ shape: Shape, frequency: Double, alpha: Double, gain: Double, sampleRate: Double) {
        let w = 2 * Double.pi * frequency / sampleRate
        let (c, amplitude) = (cos(w), pow(10, gain / 40))
        let root = 2 * amplitude.squareRoot() * alpha
        switch shape {
        case .peak:
            b = (1 + alpha * amplitude, -2 * c, 1 - alpha * amplitude)
            a = (1 + alpha / amplitude, -2 * c, 1 - alpha / amplitude)
        case .lowPass:
            b = ((1 - c) / 2, 1 - c, (1 - c) / 2)
            a = (1 + alpha, -2 * c, 1 - alpha)
        case .highPass:
            b = ((1 + c) / 2, -(1 + c), (1 + c) / 2)
            a = (1 + alpha, -2 * c, 1 - alpha)
        case .bandPass:
            b = (alpha, 0, -alpha)
            a = (1 + alpha, -2 * c, 1 - alpha)
        case .notch:
            b = (1, -2 * c, 1)
            a = (1 + alpha, -2 * c, 1 - alpha)
        case .lowShelf:
            let (plus, minus) = (amplitude + 1, amplitude - 1)
            b = (
                amplitude * (plus - minus * c + root), 2 * amplitude * (minus - plus * c),
                amplitude * (plus - minus * c - root)
            )
            a = (plus + minus * c + root, -2 * (minus + plus * c), plus + minus * c - root)
        case .highShelf:
            let (plus, minus) = (amplitude + 1, amplitude - 1)
            b = (
                amplitude * (plus + minus * c + root), -2 * amplitude * (minus + plus * c),
                amplitude * (plus + minus * c - root)
            )
            a = (plus - minus * c + root, 2 * (minus - plus * c), plus - minus * c - root)
        }
    }

    func amplitude(_ frequency: Double, _ sampleRate: Double) -> Double {
        let w = 2 * Double.pi * frequency / sampleRate
        func square(_ k: (Double, Double, Double)) -> Double {
            let real = k.0 + k.1 * cos(w) + k.2 * cos(2 * w)
            let imaginary = k.1 * sin(w) + k.2 * sin(2 * w)
            return real * real + imaginary * imaginary
        }
        return (square(b) / square(a)).squareRoot()
    }
}
