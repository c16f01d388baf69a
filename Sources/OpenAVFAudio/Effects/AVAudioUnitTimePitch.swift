internal import Foundation

/// Plays faster or slower without another pitch, or at another pitch without another speed.
///
/// Through SoundTouch, for 1 to 16 channels at up to 192 000 Hz. As long as neither has been changed since playing began,
/// sound passes bit by bit. Values out of range are taken as the nearest in it; what is no number is not taken.
///
/// Source: SDK header AVAudioUnitTimePitch.h.
open class AVAudioUnitTimePitch: AVAudioUnitTimeEffect {
    public init() { super.init(.timePitch, name: "time pitch", subType: kAudioUnitSubType_NewTimePitch) }

    /// Of playback: 1/32 to 32; 1 at first.
    open var rate: Float {
        get { effect.settings.rate }
        set { set(\.rate, newValue, in: 1 / 32...32) }
    }

    /// In cents, hundredths of a semitone: -2400 to 2400; 0 at first.
    ///
    /// A change from above 0 to 0 or below, or back, while playing is heard as a short join.
    open var pitch: Float {
        get { effect.settings.pitch }
        set { set(\.pitch, newValue, in: -2400...2400) }
    }

    /// How smoothly pieces of sound are joined: 3 to 32; 8 at first.
    ///
    /// Here: the milliseconds that two pieces fade into each other, rounded. More is smoother; less keeps attacks sharp.
    open var overlap: Float {
        get { effect.settings.overlap }
        set { set(\.overlap, newValue, in: 3...32) }
    }
}
