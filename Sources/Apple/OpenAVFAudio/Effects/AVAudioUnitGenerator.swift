public import CAudioTypes
internal import Foundation

/// A node whose sound a unit of the app's makes, in the render cycle.
///
/// The unit is a registered subclass of `AUAudioUnit` of the type `kAudioUnitType_Generator`; no unit of this library is one.
///
/// Source: SDK header AVAudioUnitGenerator.h.
open class AVAudioUnitGenerator: AVAudioUnit, AVAudioMixing {
    /// The unit of this description.
    ///
    /// Ends the program where there is none, or where it throws; `AVAudioUnit.instantiate` returns an error instead.
    public init(audioComponentDescription: AudioComponentDescription) {
        super.init(making: audioComponentDescription)
    }

    override init(_ component: UnitComponent) throws { try super.init(component) }

    /// What the unit's `shouldBypassEffect` is.
    open var bypass: Bool {
        get { auAudioUnit.shouldBypassEffect }
        set { auAudioUnit.shouldBypassEffect = newValue }
    }
}
