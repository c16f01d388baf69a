internal import AudioRuntime
internal import EngineCore
internal import Foundation

/// Sums any number of inputs in the format of its output; rates and channels may differ.
///
/// Source: SDK header AVAudioMixerNode.h.
open class AVAudioMixerNode: AVAudioNode, AVAudioMixing {
    /// A mixer with one output; each connection adds an input.
    public init() { super.init(core: NodeController(.mixer, name: "mixer")) }

    init(name: String) { super.init(core: NodeController(.mixer, name: name)) }

    /// The linear amplitude of the mixer's output; 1 by default.
    ///
    /// A change is a ramp of 5 ms.
    ///
    /// Apple's range is 0 to 1. Here, higher values amplify.
    open var outputVolume: Float {
        get { core.outputVolume }
        set { core.setOutputVolume(newValue.asVolume) }
    }

    /// The first input bus without a connection.
    open var nextAvailableInputBus: AVAudioNodeBus { core.nextAvailableInputBus }
}
