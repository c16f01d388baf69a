internal import AudioRuntime
internal import EngineCore
public import Foundation

/// Volume and pan of one connection to a mixer; without effect after the connection is removed.
///
/// Any thread. Source: SDK header AVAudioMixing.h.
open class AVAudioMixingDestination: NSObject, AVAudioMixing, _MixingSubject {
    private let core: NodeController
    private let bus: NodeBus
    /// The input of the mixer.
    public let connectionPoint: AVAudioConnectionPoint

    /// Nil where there is no such connection.
    init?(core: NodeController, mixer: AVAudioNode, bus: AVAudioNodeBus) {
        guard let place = core.place, let target = mixer.core.place, target.control === place.control else {
            return nil
        }
        self.core = core
        self.bus = NodeBus(target.id, bus: bus)
        connectionPoint = AVAudioConnectionPoint(node: mixer, bus: bus)
        super.init()
        guard core.mixing(into: self.bus) != nil else { return nil }
    }

    /// Those of the connection.
    public final var _mixing: _MixingSettings { _MixingSettings(core: core, bus: bus) }

    /// Returns self for its own connection.
    open func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        connectionPoint.node === mixer && connectionPoint.bus == bus ? self : nil
    }
}
