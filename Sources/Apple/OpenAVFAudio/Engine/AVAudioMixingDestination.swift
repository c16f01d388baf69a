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

    private var mixing: Mixing? {
        guard let place = core.place else { return nil }
        return place.control.graph.firstConnection(into: bus).flatMap { $0.source.node == place.id ? $0.mixing : nil }
    }

    private func change(_ body: (inout Mixing) -> Void) {
        guard var mixing, let place = core.place else { return }
        body(&mixing)
        // The values are in range, and the connection may only have been broken.
        try? place.control.editGraph { [bus] graph throws(GraphError) in
            guard let connection = graph.firstConnection(into: bus) else { return }
            try graph.setMixing(mixing, of: place.id, at: connection.destination)
        }
    }

    final var space: SpaceMixing { mixing?.space ?? SpaceMixing() }

    final func changeSpace(_ body: (inout SpaceMixing) -> Void) {
        guard let place = core.place, let destination = place.control.graph.firstConnection(into: bus)?.destination
        else { return }
        place.control.changeSpace(of: place.id, at: destination, body)
    }

    open var volume: Float {
        get { mixing?.volume ?? 1 }
        set { change { $0.volume = newValue.asVolume } }
    }

    open var pan: Float {
        get { mixing?.pan ?? 0 }
        set { change { $0.pan = newValue.asPan } }
    }

    /// Returns self for its own connection.
    open func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        connectionPoint.node === mixer && connectionPoint.bus == bus ? self : nil
    }
}
