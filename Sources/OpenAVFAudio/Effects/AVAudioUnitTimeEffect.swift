internal import AudioRuntime
public import CAudioTypes
internal import Foundation

/// An effect whose output has more or fewer frames than its input.
///
/// The time of a player before it counts the player's own frames: at twice the speed it runs twice as fast, also in
/// silence. `playerTime(forNodeTime:)` follows each change of speed from the frame where it is heard, within the
/// library's accuracy (20 ms). Items with a time wait for that time of the player. A completion is called when the last
/// stretched frame has been rendered, or heard.
///
/// Source: SDK header AVAudioUnitTimeEffect.h.
open class AVAudioUnitTimeEffect: AVAudioUnit {
    let effect: EffectController

    init(_ kind: EffectController.Kind, name: String, subType: UInt32) {
        effect = EffectController(kind)
        super.init(effect, name: name, subType: subType)
    }

    /// A time pitch or a varispeed, by the subtype of the description.
    ///
    /// Ends the program for another subtype; `AVAudioUnit.instantiate` returns an error instead.
    public convenience init(audioComponentDescription: AudioComponentDescription) {
        guard let kind = UnitKind(audioComponentDescription) else {
            preconditionFailure(
                "There is no time effect for \(audioComponentDescription). Use kAudioUnitSubType_NewTimePitch or "
                    + "kAudioUnitSubType_Varispeed with kAudioUnitType_FormatConverter.")
        }
        self.init(kind.effect, name: kind.name, subType: kind.subType)
    }

    /// The effects of this library.
    enum UnitKind {
        case timePitch, varispeed

        init?(_ description: AudioComponentDescription) {
            guard description.componentType == kAudioUnitType_FormatConverter else { return nil }
            switch description.componentSubType {
            case kAudioUnitSubType_NewTimePitch, kAudioUnitSubType_TimePitch: self = .timePitch
            case kAudioUnitSubType_Varispeed: self = .varispeed
            default: return nil
            }
        }

        var effect: EffectController.Kind { self == .timePitch ? .timePitch : .varispeed }
        var name: String { self == .timePitch ? "time pitch" : "varispeed" }
        var subType: UInt32 { self == .timePitch ? kAudioUnitSubType_NewTimePitch : kAudioUnitSubType_Varispeed }
    }

    /// Whether the sound passes unchanged; sound that the effect has buffered is played first.
    open var bypass: Bool {
        get { effect.settings.isBypassed }
        set { effect.change { $0.isBypassed = newValue } }
    }

    /// A number in a range; what is no number changes nothing.
    func set(_ member: WritableKeyPath<EffectSettings, Float>, _ value: Float, in range: ClosedRange<Float>) {
        guard !value.isNaN else { return }
        effect.change { $0[keyPath: member] = min(max(value, range.lowerBound), range.upperBound) }
    }
}
