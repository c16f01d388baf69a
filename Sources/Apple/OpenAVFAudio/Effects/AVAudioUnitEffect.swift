public import CAudioTypes
internal import EngineCore
internal import Foundation

/// An effect in the render cycle: the length of the sound stays as it is.
///
/// It may stand anywhere in a graph: behind a player, a mixer or the input node. A changed setting is heard from the next cycle on,
/// without a click.
///
/// Source: SDK header AVAudioUnitEffect.h.
open class AVAudioUnitEffect: AVAudioUnit {
    /// The effect of this description: one of this library, a plug-in or a registered subclass of `AUAudioUnit`.
    ///
    /// Ends the program where there is none, or where the subclass throws; `AVAudioUnit.instantiate` returns an error instead.
    ///
    /// - Parameter audioComponentDescription: from `AVAudioUnitComponentManager`, or with `kAudioUnitType_Effect`, a
    ///   `kAudioUnitSubType_` and `kAudioUnitManufacturer_Apple`.
    public init(audioComponentDescription: AudioComponentDescription) {
        super.init(making: audioComponentDescription)
    }

    override init(_ component: UnitComponent) throws { try super.init(component) }

    override init(_ component: UnitComponent, unit: any ParameterizedUnit) { super.init(component, unit: unit) }

    /// Whether the sound passes unchanged.
    open var bypass: Bool {
        get { auAudioUnit.shouldBypassEffect }
        set { auAudioUnit.shouldBypassEffect = newValue }
    }
}
