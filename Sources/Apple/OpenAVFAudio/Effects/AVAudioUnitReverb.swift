internal import AudioRuntime
internal import EffectCore

/// A room.
///
/// The rooms have the names and sizes of Apple's; what they sound like is ours. Values out of range are clamped; NaN is ignored.
///
/// Source: SDK header AVAudioUnitReverb.h.
open class AVAudioUnitReverb: AVAudioUnitEffect {
    private let settings: EffectParameters

    /// The medium hall, all wet.
    public init() {
        let unit = EffectUnit(.reverb)
        settings = unit.settings
        settings.set(ReverbPreset.mediumHall.values)
        super.init(ComponentRegistry.component(of: .reverb), unit: unit)
    }

    /// Takes another room; the mix stays.
    ///
    /// While it sounds, the room before fades out for 10 ms, and the new one begins empty.
    open func loadFactoryPreset(_ preset: AVAudioUnitReverbPreset) {
        guard let preset = ReverbPreset(rawValue: preset.rawValue) else { return }
        for (address, value) in preset.values { settings.change(value, at: address) }
    }

    /// From 0, the sound alone, to 100, the room alone; 100 by default.
    ///
    /// Both are -3 dB at 50.
    open var wetDryMix: Float {
        get { settings[kReverb2Param_DryWetMix] }
        set { settings[kReverb2Param_DryWetMix] = newValue }
    }
}

/// The rooms of a reverb.
///
/// Source: SDK header AVAudioUnitReverb.h.
public enum AVAudioUnitReverbPreset: Int, Hashable, Sendable {
    /// 0.45 s.
    case smallRoom = 0
    /// 0.8 s.
    case mediumRoom = 1
    /// 1.2 s.
    case largeRoom = 2
    /// 1.8 s; the default.
    case mediumHall = 3
    /// 2.8 s.
    case largeHall = 4
    /// 1.9 s, bright.
    case plate = 5
    /// 1.3 s.
    case mediumChamber = 6
    /// 2 s.
    case largeChamber = 7
    /// 5.5 s.
    case cathedral = 8
    /// 1 s, dull.
    case largeRoom2 = 9
    /// 1.6 s, dull.
    case mediumHall2 = 10
    /// 2.1 s, bright.
    case mediumHall3 = 11
    /// 3.4 s, dull.
    case largeHall2 = 12
}
