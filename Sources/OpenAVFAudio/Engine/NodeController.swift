import AudioModel
import AudioRuntime
import EngineCore
import Synchronization

/// What an `AVAudioNode` is below its Apple face, attached or not.
///
/// Its own lock is the innermost of all.
final class NodeController: Sendable {
    let kind: NodeKind
    /// For people, in errors.
    let name: String
    /// Makes the frames of a player or a source node; nil for other nodes.
    let source: (any EngineSource)?
    /// Takes what a sink hears; nil for other nodes.
    let sink: SinkNodeController?
    /// What an effect does; nil for other nodes.
    let effect: EffectController?
    private let state: Mutex<State>

    private struct State {
        var control: EngineController?
        var id: NodeID?
        /// Of the output bus; for an output of the device, which the engine knows better.
        var format: AVAudioFormat
        var mixing = Mixing()
        var outputVolume: Float = 1
    }

    init(
        _ kind: NodeKind, name: String, format: AVAudioFormat = .engineDefault, source: (any EngineSource)? = nil,
        sink: SinkNodeController? = nil, effect: EffectController? = nil
    ) {
        self.kind = kind
        self.name = name
        self.source = source
        self.sink = sink
        self.effect = effect
        state = Mutex(State(format: format))
    }

    /// Where it is attached.
    struct Place {
        var control: EngineController
        var id: NodeID
    }

    var place: Place? {
        state.withLock { state in state.control.flatMap { control in state.id.map { Place(control: control, id: $0) } }
        }
    }

    var format: AVAudioFormat { state.withLock { $0.format } }
    func setFormat(_ format: AVAudioFormat) { state.withLock { $0.format = format } }

    // MARK: Attaching

    /// With all that was set on it before.
    func attach(to control: EngineController) throws(GraphError) {
        let (format, mixing, volume) = state.withLock { ($0.format, $0.mixing, $0.outputVolume) }
        let id = try control.edit { state throws(GraphError) in
            var graph = state.graph
            let id = try graph.attach(self.kind, name: self.name, format: StreamFormat(format))
            try graph.setMixing(mixing, of: id)
            try graph.setOutputVolume(volume, of: id)
            state.graph = graph
            state.nodes[id] = self
            return id
        }
        state.withLock {
            $0.control = control
            $0.id = id
        }
        source?.sync()
    }

    func detach() {
        guard let place else { return }
        // Attached: it can not fail.
        try? place.control.edit { state throws(GraphError) in
            try state.graph.detach(place.id)
            state.nodes[place.id] = nil
            state.taps[place.id] = nil
        }
        state.withLock {
            $0.control = nil
            $0.id = nil
        }
        source?.sync()
    }

    // MARK: Settings

    /// What new connections begin with, and on all there are.
    var mixing: Mixing { state.withLock { $0.mixing } }

    func setMixing(_ change: (inout Mixing) -> Void) {
        let mixing = state.withLock {
            change(&$0.mixing)
            return $0.mixing
        }
        guard let place else { return }
        // The values are in range, and the node may only have left.
        try? place.control.edit { state throws(GraphError) in try state.graph.setMixing(mixing, of: place.id) }
    }

    var outputVolume: Float { state.withLock { $0.outputVolume } }

    func setOutputVolume(_ volume: Float) {
        state.withLock { $0.outputVolume = volume }
        guard let place else { return }
        try? place.control.edit { state throws(GraphError) in try state.graph.setOutputVolume(volume, of: place.id) }
    }
}

extension Float {
    /// A volume: what is negative or no number is silence.
    var asVolume: Float { isFinite ? Swift.max(self, 0) : 0 }
    /// -1 to 1; what is no number is the middle.
    var asPan: Float { isNaN ? 0 : Swift.min(Swift.max(self, -1), 1) }
}
