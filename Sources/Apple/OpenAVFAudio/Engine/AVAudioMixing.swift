internal import AudioRuntime
internal import EngineCore

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

/// The nodes that can feed a mixer.
extension AVAudioMixing where Self: AVAudioNode {
    public var volume: Float {
        get { core.mixing.volume }
        set { core.setMixing { $0.volume = newValue.asVolume } }
    }

    public func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        AVAudioMixingDestination(core: core, mixer: mixer, bus: bus)
    }
}
