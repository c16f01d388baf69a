public import CAudioTypes
internal import Foundation

/// Changes the speed without changing the pitch, or the pitch without changing the speed.
///
/// Implemented with SoundTouch, for 1 to 16 channels at up to 192 000 Hz. Until a setting is changed after playback
/// started, the sound is bit-exact. Values out of range are clamped; NaN is ignored.
///
/// Source: SDK header AVAudioUnitTimePitch.h.
open class AVAudioUnitTimePitch: AVAudioUnitTimeEffect {
    /// A time pitch for code that has a description instead of a class.
    ///
    /// - Parameter audioComponentDescription: of a time pitch; another one ends the program.
    public init(audioComponentDescription: AudioComponentDescription) {
        precondition(
            UnitKind(audioComponentDescription) == .timePitch,
            "AVAudioUnitTimePitch was asked for \(audioComponentDescription). Use kAudioUnitSubType_NewTimePitch with "
                + "kAudioUnitType_FormatConverter.")
        super.init(.timePitch, name: "time pitch", subType: kAudioUnitSubType_NewTimePitch)
    }

    /// A time pitch with rate 1 and pitch 0, which passes the sound unchanged.
    public init() { super.init(.timePitch, name: "time pitch", subType: kAudioUnitSubType_NewTimePitch) }

    /// The speed of playback: 1/32 to 32; 1 by default.
    open var rate: Float {
        get { effect.settings.rate }
        set { set(\.rate, newValue, in: 1 / 32...32) }
    }

    /// In cents, hundredths of a semitone: -2400 to 2400; 0 by default.
    ///
    /// A change from above 0 to 0 or below, or back, causes a short audible join while playing.
    open var pitch: Float {
        get { effect.settings.pitch }
        set { set(\.pitch, newValue, in: -2400...2400) }
    }

    /// How smoothly pieces of sound are joined: 3 to 32; 8 by default.
    ///
    /// Here it is the length in milliseconds of the cross-fade of two pieces, rounded. Higher is smoother; lower keeps
    /// attacks sharp.
    open var overlap: Float {
        get { effect.settings.overlap }
        set { set(\.overlap, newValue, in: 3...32) }
    }
}
