internal import AudioRuntime
internal import EffectCore
internal import EngineCore
public import Foundation

/// The properties of a source in the mixers that it is connected to.
///
/// Source: SDK header AVAudioMixing.h.
public protocol AVAudioMixing: AVAudioStereoMixing, AVAudio3DMixing {
    /// Linear amplitude at the mixer's input; 1 at first. Apple's range is 0 to 1. Here, higher values amplify.
    var volume: Float { get set }

    /// Volume and pan of one connection, where a node feeds several mixers.
    ///
    /// - Returns: nil where the node is not connected to that bus.
    func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination?
}

/// What has the properties of `AVAudioMixing`: a node, for all of its connections, or one connection.
///
/// Source: ours (docs/decisions/0087-mixing-properties-stand-once.md).
public protocol _MixingSubject: NSObjectProtocol {
    /// The owner of the properties.
    var _mixing: _MixingSettings { get }
}

/// The owner of the properties of `AVAudioMixing`, for this library only.
///
/// Any thread. Source: ours (docs/decisions/0087-mixing-properties-stand-once.md).
public struct _MixingSettings {
    let core: NodeController
    /// The input of the mixer that the connection leads to; nil for the node.
    let bus: NodeBus?

    /// The defaults where the connection is removed.
    var values: Mixing {
        guard let bus else { return core.mixing }
        return core.mixing(into: bus) ?? Mixing()
    }

    var volume: Float {
        get { values.volume }
        nonmutating set { change { $0.volume = newValue.asVolume } }
    }

    var pan: Float {
        get { values.pan }
        nonmutating set { change { $0.pan = newValue.asPan } }
    }

    private func change(_ body: (inout Mixing) -> Void) {
        if let bus { core.setMixing(into: bus, body) } else { core.setMixing(body) }
    }

    func changeSpace(_ body: (inout SpaceMixing) -> Void) {
        if let bus { core.setSpace(into: bus, body) } else { core.setSpace(body) }
    }
}

extension AVAudioMixing where Self: _MixingSubject {
    public var volume: Float {
        get { _mixing.volume }
        set { _mixing.volume = newValue }
    }

    public var pan: Float {
        get { _mixing.pan }
        set { _mixing.pan = newValue }
    }
}

extension AVAudioMixing where Self: AVAudioNode {
    public func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        AVAudioMixingDestination(core: core, mixer: mixer, bus: bus)
    }
}

extension AVAudioNode: _MixingSubject {
    /// What is set on the node holds for all of its connections.
    public final var _mixing: _MixingSettings { _MixingSettings(core: core, bus: nil) }
}

/// The base of the nodes of which a test's double may be made: their members are open.
///
/// Source: ours (docs/decisions/0087-mixing-properties-stand-once.md).
open class _AVAudioMixingNode: AVAudioNode, AVAudioMixing {
    open var volume: Float {
        get { _mixing.volume }
        set { _mixing.volume = newValue }
    }

    open var pan: Float {
        get { _mixing.pan }
        set { _mixing.pan = newValue }
    }

    open func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        AVAudioMixingDestination(core: core, mixer: mixer, bus: bus)
    }
}
