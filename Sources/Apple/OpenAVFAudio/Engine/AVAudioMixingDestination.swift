internal import AudioRuntime
internal import EffectCore
internal import EngineCore
public import Foundation

/// Volume and pan of one connection to a mixer; without effect after the connection is removed.
///
/// Any thread. Source: SDK header AVAudioMixing.h.
open class AVAudioMixingDestination: NSObject, AVAudioMixing {
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
        guard mixing != nil else { return nil }
    }

    private var mixing: Mixing? { core.mixing(into: bus) }

    final var space: SpaceMixing { mixing?.space ?? SpaceMixing() }

    final func changeSpace(_ body: (inout SpaceMixing) -> Void) { core.setSpace(into: bus, body) }

    open var volume: Float {
        get { mixing?.volume ?? 1 }
        set { core.setMixing(into: bus) { $0.volume = newValue.asVolume } }
    }

    open var pan: Float {
        get { mixing?.pan ?? 0 }
        set { core.setMixing(into: bus) { $0.pan = newValue.asPan } }
    }

    /// Returns self for its own connection.
    open func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        connectionPoint.node === mixer && connectionPoint.bus == bus ? self : nil
    }
}
