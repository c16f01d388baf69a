internal import AudioRuntime
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
