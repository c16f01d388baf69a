import AudioModel
internal import AudioRuntime
internal import EffectCore
public import Foundation

/// An equalizer with any number of filters in a row.
///
/// Each filter has one of eleven shapes, by the Audio EQ Cookbook. A changed setting slides to its new value in 20 ms. Values out of
/// range are clamped; NaN is ignored.
///
/// Source: SDK header AVAudioUnitEQ.h.
open class AVAudioUnitEQ: AVAudioUnitEffect {
    private let settings: EffectParameters
    /// The filters, in the order of the sound; all are bypassed at first.
    public let bands: [AVAudioUnitEQFilterParameters]

    /// An equalizer whose filters are all bypassed.
    ///
    /// - Parameter numberOfBands: 0 to 1000; another number ends the program.
    public init(numberOfBands: Int) {
        programmerError(
            unless: 0...EffectKind.mostBands ~= numberOfBands,
            "AVAudioUnitEQ was asked for \(numberOfBands) bands. Use 0 to \(EffectKind.mostBands).")
        let unit = EffectUnit(.equalizer, bands: numberOfBands)
        settings = unit.settings
        bands = (0..<numberOfBands).map { AVAudioUnitEQFilterParameters(unit.settings, band: $0) }
        super.init(ComponentRegistry.component(of: .equalizer), unit: unit)
    }

    /// The gain of the whole, in decibels: -96 to 24; 0 by default.
    open var globalGain: Float {
        get { settings[kAUNBandEQParam_GlobalGain] }
        set { settings[kAUNBandEQParam_GlobalGain] = newValue }
    }
}

/// One filter of an equalizer.
///
/// Any thread except the render thread. Values out of range are clamped; NaN is ignored.
///
/// Source: SDK header AVAudioUnitEQ.h.
open class AVAudioUnitEQFilterParameters: NSObject, @unchecked Sendable {
    private let settings: EffectParameters
    private let band: AudioUnitParameterID

    init(_ settings: EffectParameters, band: Int) {
        self.settings = settings
        self.band = AudioUnitParameterID(band)
    }

    /// The shape; parametric by default.
    open var filterType: AVAudioUnitEQFilterType {
        get { AVAudioUnitEQFilterType(rawValue: Int(settings[kAUNBandEQParam_FilterType + band])) ?? .parametric }
        set { settings[kAUNBandEQParam_FilterType + band] = Float(newValue.rawValue) }
    }

    /// The centre or the cutoff, in hertz: 20 to 24 000; 1000 by default.
    ///
    /// Filters end below half the rate of the sound.
    open var frequency: Float {
        get { settings[kAUNBandEQParam_Frequency + band] }
        set { settings[kAUNBandEQParam_Frequency + band] = newValue }
    }

    /// The width in octaves: 0.05 to 5; 0.5 by default.
    ///
    /// Of parametric, resonant, band pass and band stop filters; the smaller, the higher a resonance.
    open var bandwidth: Float {
        get { settings[kAUNBandEQParam_Bandwidth + band] }
        set { settings[kAUNBandEQParam_Bandwidth + band] = newValue }
    }

    /// The gain of a peak or a shelf, in decibels: -96 to 24; 0 by default.
    open var gain: Float {
        get { settings[kAUNBandEQParam_Gain + band] }
        set { settings[kAUNBandEQParam_Gain + band] = newValue }
    }

    /// Whether the filter is left out; true by default.
    open var bypass: Bool {
        get { settings[kAUNBandEQParam_BypassBand + band] >= 0.5 }
        set { settings[kAUNBandEQParam_BypassBand + band] = newValue ? 1 : 0 }
    }
}

/// The shapes of an equalizer's filter.
///
/// Source: SDK header AVAudioUnitEQ.h.
public enum AVAudioUnitEQFilterType: Int, Hashable, Sendable {
    /// A peak or a dip of the gain; the bandwidth lies between the two frequencies with half of it in decibels.
    case parametric = 0
    /// Butterworth of second order, -3 dB at its frequency.
    case lowPass = 1
    /// Butterworth of second order, -3 dB at its frequency.
    case highPass = 2
    /// A low pass with a peak at its frequency, by the bandwidth.
    case resonantLowPass = 3
    /// A high pass with a peak at its frequency, by the bandwidth.
    case resonantHighPass = 4
    /// 0 dB at its frequency, -3 dB at the edges of the bandwidth.
    case bandPass = 5
    /// Nothing at its frequency, -3 dB at the edges of the bandwidth.
    case bandStop = 6
    /// The gain below its frequency.
    case lowShelf = 7
    /// The gain above its frequency.
    case highShelf = 8
    /// A low shelf with a resonance at its frequency, by the bandwidth.
    case resonantLowShelf = 9
    /// A high shelf with a resonance at its frequency, by the bandwidth.
    case resonantHighShelf = 10
}

extension EffectParameters {
    /// A parameter that the effect has; setting it tells the observers of the unit's parameter tree.
    subscript(_ parameter: AudioUnitParameterID) -> Float {
        get { value(at: UInt64(parameter)) ?? 0 }
        set { change(newValue, at: UInt64(parameter)) }
    }
}
