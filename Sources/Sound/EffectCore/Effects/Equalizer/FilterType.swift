/// The shapes of a second-order filter, in the order of the numbers of Apple's `AVAudioUnitEQFilterType` and N-band EQ.
///
/// Source: SDK header AudioUnitParameters.h.
package enum FilterType: BitwiseCopyable, CaseIterable, Hashable, Sendable {
    /// A peak or a dip; the bandwidth lies between the two frequencies with half its gain in decibels.
    case parametric
    /// Butterworth, -3 dB at its frequency.
    case lowPass
    /// Butterworth, -3 dB at its frequency.
    case highPass
    /// With a peak at its frequency, the higher the smaller the bandwidth.
    case resonantLowPass
    /// With a peak at its frequency, the higher the smaller the bandwidth.
    case resonantHighPass
    /// 0 dB at its frequency, -3 dB at the edges of the bandwidth.
    case bandPass
    /// Nothing at its frequency, -3 dB at the edges of the bandwidth.
    case bandStop
    /// Raises or lowers what is below its frequency, where it has half its gain in decibels.
    case lowShelf
    /// Raises or lowers what is above its frequency, where it has half its gain in decibels.
    case highShelf
    /// With a resonance at its frequency, the higher the smaller the bandwidth.
    case resonantLowShelf
    /// With a resonance at its frequency, the higher the smaller the bandwidth.
    case resonantHighShelf

    /// For people.
    package var name: String {
        switch self {
        case .parametric: "parametric"
        case .lowPass: "low pass"
        case .highPass: "high pass"
        case .resonantLowPass: "resonant low pass"
        case .resonantHighPass: "resonant high pass"
        case .bandPass: "band pass"
        case .bandStop: "band stop"
        case .lowShelf: "low shelf"
        case .highShelf: "high shelf"
        case .resonantLowShelf: "resonant low shelf"
        case .resonantHighShelf: "resonant high shelf"
        }
    }
}
