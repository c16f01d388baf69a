internal import AudioRuntime
internal import EffectCore
public import Foundation

/// An echo that goes round, each time weaker and duller.
///
/// A changed setting slides to its new value in 20 ms; a new delay fades in. Values out of range are clamped; NaN is ignored.
///
/// Source: SDK header AVAudioUnitDelay.h.
open class AVAudioUnitDelay: AVAudioUnitEffect {
    private let settings: EffectParameters

    /// A delay of a second, all wet.
    public init() {
        let unit = EffectUnit(.delay)
        settings = unit.settings
        // The class has another default than its unit.
        settings.set(100, at: UInt64(kDelayParam_WetDryMix))
        super.init(ComponentRegistry.component(of: .delay), unit: unit)
    }

    /// From the sound to its echo, in seconds: 0 to 2; 1 by default.
    open var delayTime: TimeInterval {
        get { TimeInterval(settings[kDelayParam_DelayTime]) }
        set { settings[kDelayParam_DelayTime] = Float(newValue) }
    }

    /// What of an echo goes round, in percent: -100 to 100; 50 by default.
    open var feedback: Float {
        get { settings[kDelayParam_Feedback] }
        set { settings[kDelayParam_Feedback] = newValue }
    }

    /// The frequency above which echoes grow duller, in hertz: 10 to 24 000; 15 000 by default.
    open var lowPassCutoff: Float {
        get { settings[kDelayParam_LopassCutoff] }
        set { settings[kDelayParam_LopassCutoff] = newValue }
    }

    /// From 0, the sound alone, to 100, the echoes alone; 100 by default.
    ///
    /// Both are -3 dB at 50.
    open var wetDryMix: Float {
        get { settings[kDelayParam_WetDryMix] }
        set { settings[kDelayParam_WetDryMix] = newValue }
    }
}
