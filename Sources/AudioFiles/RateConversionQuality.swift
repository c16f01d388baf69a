import CSoxr

/// How much of a signal a rate conversion keeps, at the cost of time.
package enum RateConversionQuality: Sendable, CaseIterable {
    /// Cubic interpolation between frames: what is above the lower Nyquist frequency comes back as other tones.
    case lowest
    /// 16 bit precision, with more and with less of the highest frequencies lost.
    case low, medium
    /// 20 bit precision.
    case high
    /// 28 bit precision.
    case highest

    var recipe: UInt {
        switch self {
        case .lowest: UInt(SOXR_QQ)
        case .low: UInt(SOXR_LQ)
        case .medium: UInt(SOXR_MQ)
        case .high: UInt(SOXR_20_BITQ)
        case .highest: UInt(SOXR_28_BITQ)
        }
    }
}
