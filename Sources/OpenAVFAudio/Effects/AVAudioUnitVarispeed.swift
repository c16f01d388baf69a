internal import AudioRuntime
internal import Foundation

/// Changes speed and pitch together, like a tape.
///
/// Implemented with libsoxr's variable-rate mode.
///
/// Source: SDK header AVAudioUnitVarispeed.h.
open class AVAudioUnitVarispeed: AVAudioUnitTimeEffect {
    /// A varispeed with rate 1, which passes the sound unchanged.
    public init() { super.init(.varispeed, name: "varispeed", subType: kAudioUnitSubType_Varispeed) }

    /// The speed of playback: 0.25 to 4; 1 by default.
    ///
    /// Frequencies change by the same factor: 2 is an octave up. Values out of range are clamped; NaN is ignored.
    open var rate: Float {
        get { effect.settings.rate }
        set { set(\.rate, newValue, in: VarispeedTool.rates) }
    }
}
