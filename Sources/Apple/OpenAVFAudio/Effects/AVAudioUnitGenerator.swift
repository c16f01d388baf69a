internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
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

    open var volume: Float {
        get { core.mixing.volume }
        set { core.setMixing { $0.volume = newValue.asVolume } }
    }

    open var pan: Float {
        get { core.mixing.pan }
        set { core.setMixing { $0.pan = newValue.asPan } }
    }

    open func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        AVAudioMixingDestination(core: core, mixer: mixer, bus: bus)
    }
}
