internal import AudioRuntime
internal import Foundation

/// Plays faster and higher, or slower and lower, as a tape does.
///
/// Through libsoxr's variable-rate mode.
///
/// Source: SDK header AVAudioUnitVarispeed.h.
open class AVAudioUnitVarispeed: AVAudioUnitTimeEffect {
    public init() { super.init(.varispeed, name: "varispeed", subType: kAudioUnitSubType_Varispeed) }

    /// Of playback: 0.25 to 4; 1 at first.
    ///
    /// Frequencies change by the same factor: 2 is an octave up. Out of range is taken as the nearest in it; what is no
    /// number is not taken.
    open var rate: Float {
        get { effect.settings.rate }
        set { set(\.rate, newValue, in: VarispeedTool.rates) }
    }
}
