import AudioModel
internal import AudioRuntime
public import CAudioTypes
internal import Foundation
internal import TimePitch

/// An effect whose output has more or fewer frames than its input.
///
/// The time of a player before it counts the player's own frames: at twice the speed it runs twice as fast, also in
/// silence. `playerTime(forNodeTime:)` follows each change of speed from the frame where it is heard, within the
/// library's accuracy (20 ms). Items with a time wait for that time of the player. A completion is called when the last
/// stretched frame has been rendered, or heard.
///
/// - A changed setting is heard after about 0.1 s, 0.17 s at most, with cycles of 43 ms and less. Longer cycles are fed
///   one cycle ahead.
/// - Inserting or removing an effect while something is scheduled restarts the scheduled sound; use `bypass` instead.
/// - A tap in the chain, also one on the source, gets the output of the last effect.
/// - `reset` leaves out the sound that the effect has taken and not played; `stop` of the player discards it too.
/// - Volume and pan of the source apply at the mixer input after the chain.
///
/// Source: SDK header AVAudioUnitTimeEffect.h.
open class AVAudioUnitTimeEffect: AVAudioUnit {
    let effect: TimeEffectController

    init(_ kind: TimeEffectController.Kind) {
        SoundTouch.register()
        effect = TimeEffectController(kind)
        super.init(
            ComponentRegistry.component(of: kind),
            core: NodeController(.timeEffect(effect, IslandSource()), name: kind.name))
    }

    /// A time pitch or a varispeed, by the subtype of the description.
    ///
    /// Ends the program for another subtype; `AVAudioUnit.instantiate` returns an error instead.
    public convenience init(audioComponentDescription: AudioComponentDescription) {
        guard let kind = TimeEffectController.Kind(audioComponentDescription) else {
            programmerError(
                "There is no time effect for \(audioComponentDescription). Use kAudioUnitSubType_NewTimePitch or "
                    + "kAudioUnitSubType_Varispeed with kAudioUnitType_FormatConverter.")
        }
        self.init(kind)
    }

    /// Whether the sound passes unchanged; sound that the effect has buffered is played first.
    open var bypass: Bool {
        get { effect.settings.isBypassed }
        set { effect.change { $0.isBypassed = newValue } }
    }
}

/// Changes the speed without changing the pitch, or the pitch without changing the speed.
///
/// Implemented with SoundTouch, for 1 to 16 channels at up to 192 000 Hz. At rate 1 and pitch 0 the sound is bit-exact; when
/// these are set while it plays, once what the effect holds has been played, with a short audible join. Values out of range are clamped; NaN is ignored.
///
/// Source: SDK header AVAudioUnitTimePitch.h.
open class AVAudioUnitTimePitch: AVAudioUnitTimeEffect {
    /// A time pitch for code that has a description instead of a class.
    ///
    /// - Parameter audioComponentDescription: of a time pitch; another one ends the program.
    public init(audioComponentDescription: AudioComponentDescription) {
        programmerError(
            unless: TimeEffectController.Kind(audioComponentDescription) == .timePitch,
            "AVAudioUnitTimePitch was asked for \(audioComponentDescription). Use kAudioUnitSubType_NewTimePitch with "
                + "kAudioUnitType_FormatConverter.")
        super.init(.timePitch)
    }

    /// A time pitch with rate 1 and pitch 0, which passes the sound unchanged.
    public init() { super.init(.timePitch) }

    /// The speed of playback: 1/32 to 32; 1 by default.
    open var rate: Float {
        get { effect.settings.rate }
        set { effect.set(newValue, .timePitchRate) }
    }

    /// In cents, hundredths of a semitone: -2400 to 2400; 0 by default.
    ///
    /// A change from above 0 to 0 or below, or back, causes a short audible join while playing.
    open var pitch: Float {
        get { effect.settings.pitch }
        set { effect.set(newValue, .pitch) }
    }

    /// How smoothly pieces of sound are joined: 3 to 32; 8 by default.
    ///
    /// Here it is the length in milliseconds of the cross-fade of two pieces, rounded. Higher is smoother; lower keeps
    /// attacks sharp.
    open var overlap: Float {
        get { effect.settings.overlap }
        set { effect.set(newValue, .overlap) }
    }
}

/// Changes speed and pitch together, like a tape.
///
/// Implemented with libsoxr's variable-rate mode.
///
/// Source: SDK header AVAudioUnitVarispeed.h.
open class AVAudioUnitVarispeed: AVAudioUnitTimeEffect {
    /// A varispeed with rate 1, which passes the sound unchanged.
    public init() { super.init(.varispeed) }

    /// The speed of playback: 0.25 to 4; 1 by default.
    ///
    /// Frequencies change by the same factor: 2 is an octave up. Values out of range are clamped; NaN is ignored.
    open var rate: Float {
        get { effect.settings.rate }
        set { effect.set(newValue, .varispeedRate) }
    }
}

extension TimeEffectController.Kind {
    /// Nil for a unit that this library does not have.
    init?(_ description: AudioComponentDescription) {
        guard description.componentType == kAudioUnitType_FormatConverter else { return nil }
        switch description.componentSubType {
        case kAudioUnitSubType_NewTimePitch, kAudioUnitSubType_TimePitch, kAudioUnitSubType_AUiPodTimeOther:
            self = .timePitch
        case kAudioUnitSubType_Varispeed: self = .varispeed
        default: return nil
        }
    }

    var name: String { self == .timePitch ? "time pitch" : "varispeed" }

    var subType: UInt32 { self == .timePitch ? kAudioUnitSubType_NewTimePitch : kAudioUnitSubType_Varispeed }
}
