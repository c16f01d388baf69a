import CRealtime

/// What a second-order filter is asked for.
struct FilterSettings: BitwiseCopyable, Sendable {
    var type: FilterType
    /// Hertz.
    var frequency: Float
    var width: Width
    /// Decibels, of a peak or a shelf.
    var gain: Float
    /// The filter is not there: sound passes bit by bit once it has slid away.
    var isBypassed: Bool

    enum Width: BitwiseCopyable, Sendable {
        case octaves(Float)
        case quality(Float)
    }

    @_noLocks @_noAllocation
    init(_ type: FilterType, frequency: Float, width: Width, gain: Float = 0, isBypassed: Bool = false) {
        self.type = type
        self.frequency = frequency
        self.width = width
        self.gain = gain
        self.isBypassed = isBypassed
    }

    @_noLocks @_noAllocation
    func differs(from other: FilterSettings) -> Bool {
        type.number() != other.type.number() || frequency != other.frequency || gain != other.gain
            || isBypassed != other.isBypassed || widthBits() != other.widthBits()
    }

    @_noLocks @_noAllocation
    private func widthBits() -> UInt64 {
        switch width {
        case .octaves(let value): UInt64(value.bitPattern)
        case .quality(let value): 1 << 32 | UInt64(value.bitPattern)
        }
    }

    /// The filter by the Audio EQ Cookbook, as a state-variable filter with the same response.
    ///
    /// The Cookbook has an analog prototype for each shape, made digital by the bilinear transform with the filter's
    /// frequency kept: s = (1 - 1/z) / (1 + 1/z) / tan(w0 / 2), w0 = 2π f / rate. All have the form
    ///
    ///     H(s) = (high s² + band s + low) / (s² + k s + 1)
    ///
    /// with k = 1/Q; a shelf's has it after s was scaled by the root of A, and a peak's k is 1/(A Q), A = 10^(gain / 40).
    /// An octave width gives 1/Q = 2 sinh(ln 2 / 2 · octaves · w0 / sin w0).
    ///
    /// Source: R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter coefficients", W3C note, 2021.
    @_noLocks @_noAllocation
    func coefficients(sampleRate: Double) -> FilterCoefficients {
        guard !isBypassed else { return FilterCoefficients() }
        // Below half the rate, where the transform ends, and above nothing.
        let frequency = min(max(Double(frequency), 1), 0.49 * sampleRate)
        let w0 = 2 * Double.pi * frequency / sampleRate
        let g = oav_tan(w0 / 2)
        let k = inverseQuality(w0)
        let root = oav_pow(10, Double(gain) / 80)
        let a = root * root
        return switch type {
        case .parametric: FilterCoefficients(g, k / a, 1, k * a, 1)
        case .lowPass, .resonantLowPass: FilterCoefficients(g, k, 0, 0, 1)
        case .highPass, .resonantHighPass: FilterCoefficients(g, k, 1, 0, 0)
        case .bandPass: FilterCoefficients(g, k, 0, k, 0)
        case .bandStop: FilterCoefficients(g, k, 1, 0, 1)
        case .lowShelf, .resonantLowShelf:
            FilterCoefficients(g / root, k, 1, k * a, a * a)
        case .highShelf, .resonantHighShelf:
            FilterCoefficients(g * root, k, a * a, k * a, 1)
        }
    }

    /// Limited to a million: bandwidths of octaves near half the rate have more, and are filters no more.
    @_noLocks @_noAllocation
    private func inverseQuality(_ w0: Double) -> Double {
        switch type {
        case .lowPass, .highPass, .lowShelf, .highShelf: return 1.4142135623730951
        case .parametric, .resonantLowPass, .resonantHighPass, .bandPass, .bandStop, .resonantLowShelf,
            .resonantHighShelf:
            switch width {
            case .octaves(let octaves):
                let half = 0.34657359027997264 * Double(octaves) * w0 / oav_sin(w0)
                return min(2 * oav_sinh(min(half, 20)), 1e6)
            case .quality(let quality):
                return 1 / Double(max(quality, 1e-3))
            }
        }
    }
}

/// A state-variable filter: how it moves, and what it gives of its three outputs.
struct FilterCoefficients: BitwiseCopyable, Sendable {
    /// The tangent of half the angular frequency, and the damping 1/Q.
    var g: Float
    var k: Float
    /// Shares of the high, the band and the low pass.
    var high: Float
    var band: Float
    var low: Float

    @_noLocks @_noAllocation
    init(_ g: Double, _ k: Double, _ high: Double, _ band: Double, _ low: Double) {
        self.g = Float(g)
        self.k = Float(k)
        self.high = Float(high)
        self.band = Float(band)
        self.low = Float(low)
    }

    /// Passes what comes: high + k band + low is the input.
    @_noLocks @_noAllocation
    init() { self.init(0.1, 1, 1, 1, 1) }
}

extension FilterType {
    /// A number that no filter has is a parametric filter's.
    @_noLocks @_noAllocation
    init(number: Int) {
        self =
            switch number {
            case 1: .lowPass
            case 2: .highPass
            case 3: .resonantLowPass
            case 4: .resonantHighPass
            case 5: .bandPass
            case 6: .bandStop
            case 7: .lowShelf
            case 8: .highShelf
            case 9: .resonantLowShelf
            case 10: .resonantHighShelf
            default: .parametric
            }
    }

    /// Apple's.
    @_noLocks @_noAllocation
    func number() -> Int {
        switch self {
        case .parametric: 0
        case .lowPass: 1
        case .highPass: 2
        case .resonantLowPass: 3
        case .resonantHighPass: 4
        case .bandPass: 5
        case .bandStop: 6
        case .lowShelf: 7
        case .highShelf: 8
        case .resonantLowShelf: 9
        case .resonantHighShelf: 10
        }
    }
}
