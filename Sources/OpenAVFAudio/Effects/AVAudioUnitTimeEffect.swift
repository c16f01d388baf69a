internal import AudioRuntime
internal import Foundation

/// An effect that gives more or fewer frames than it takes.
///
/// The time of a player in front of it counts the player's own frames, as ever: at twice the speed it runs twice as fast,
/// in silence too. `playerTime(forNodeTime:)` follows each change of speed from the frame on from which it is heard, to
/// within the library's reach (20 ms); items with a time wait for that time of the player. A completion comes when the
/// last stretched frame has been rendered, or heard.
///
/// Source: SDK header AVAudioUnitTimeEffect.h.
open class AVAudioUnitTimeEffect: AVAudioUnit {
    let effect: EffectController

    init(_ kind: EffectController.Kind, name: String, subType: UInt32) {
        effect = EffectController(kind)
        super.init(effect, name: name, subType: subType)
    }

    /// Whether sound passes as it is, bit by bit; what the effect still holds comes out before.
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
