internal import AudioRuntime
internal import EffectCore

/// Damages sound: echoes, ring modulation, fewer samples and bits, a bent curve, a soft clip.
///
/// The presets have Apple's names; what they sound like is ours. Values out of range are clamped; NaN is ignored.
///
/// Source: SDK header AVAudioUnitDistortion.h.
open class AVAudioUnitDistortion: AVAudioUnitEffect {
    private let settings: EffectParameters

    /// The preset `drumsBitBrush`, half wet.
    public init() {
        let unit = EffectUnit(.distortion)
        settings = unit.settings
        settings.set(DistortionPreset.drumsBitBrush.values)
        super.init(ComponentRegistry.component(of: .distortion), unit: unit)
    }

    /// Takes another sound; gain and mix stay.
    open func loadFactoryPreset(_ preset: AVAudioUnitDistortionPreset) {
        guard let preset = DistortionPreset(rawValue: preset.rawValue) else { return }
        for (address, value) in preset.values { settings.change(value, at: address) }
    }

    /// The gain before everything else, in decibels: -80 to 20; -6 by default.
    open var preGain: Float {
        get { settings[kDistortionParam_SoftClipGain] }
        set { settings[kDistortionParam_SoftClipGain] = newValue }
    }

    /// From 0, the sound alone, to 100, the damaged sound alone; 50 by default.
    open var wetDryMix: Float {
        get { settings[kDistortionParam_FinalMix] }
        set { settings[kDistortionParam_FinalMix] = newValue }
    }
}

/// The sounds of a distortion.
///
/// Source: SDK header AVAudioUnitDistortion.h.
public enum AVAudioUnitDistortionPreset: Int, Hashable, Sendable {
    /// Few bits, beside the sound; the default.
    case drumsBitBrush = 0
    /// An echo of 120 ms with fewer samples.
    case drumsBufferBeats = 1
    /// Few samples and bits.
    case drumsLoFi = 2
    /// A bent curve with a short echo.
    case multiBrokenSpeaker = 3
    /// Few samples with a short echo.
    case multiCellphoneConcert = 4
    /// Fewer samples.
    case multiDecimated1 = 5
    /// Fewer samples and bits.
    case multiDecimated2 = 6
    /// Few samples and bits.
    case multiDecimated3 = 7
    /// One sample in 50, of nine bits.
    case multiDecimated4 = 8
    /// Squares and cubes.
    case multiDistortedFunk = 9
    /// Cubes: odd harmonics.
    case multiDistortedCubed = 10
    /// Squares: even harmonics.
    case multiDistortedSquared = 11
    /// An echo of 250 ms.
    case multiEcho1 = 12
    /// An echo of 400 ms.
    case multiEcho2 = 13
    /// An echo of 60 ms.
    case multiEchoTight1 = 14
    /// An echo of 90 ms.
    case multiEchoTight2 = 15
    /// Everything at once.
    case multiEverythingIsBroken = 16
    /// Two ring modulators and a short echo.
    case speechAlienChatter = 17
    /// Two ring modulators far apart.
    case speechCosmicInterference = 18
    /// Two ring modulators, and an echo of π ms.
    case speechGoldenPi = 19
    /// Few samples and a tone.
    case speechRadioTower = 20
    /// A slow tremolo with short echoes.
    case speechWaves = 21
}
