import AudioModel
package import EngineCore
import Synchronization

/// A node of an engine below the public API, attached or not.
///
/// Whether it is attached is the engine's to say: the node is in its `EngineState`. `place` is the way there, set as long as
/// it is. Its own lock is the innermost of all.
package final class NodeController: Sendable {
    package let kind: NodeKind
    /// For people, in errors.
    package let name: String
    /// Makes the frames of a player or a source node; nil for other nodes.
    package let source: (any EngineSource)?
    /// Takes what a sink hears; nil for other nodes.
    package let sink: SinkNodeController?
    /// What an effect does; nil for other nodes.
    package let effect: EffectController?
    private let state: Mutex<State>

    private struct State {
        var place: Place?
        /// Of the output bus, while it is not attached.
        var format: StreamFormat
        var mixing = Mixing()
        var outputVolume: Float = 1
    }

    package init(
        _ kind: NodeKind, name: String, format: StreamFormat = .engineDefault, source: (any EngineSource)? = nil,
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
    package struct Place {
        package var control: EngineController
        package var id: NodeID
    }

    package var place: Place? { state.withLock { $0.place } }

    /// Of the output bus.
    package var format: StreamFormat {
        let (place, format) = state.withLock { ($0.place, $0.format) }
        return place.flatMap { place in try? place.control.graph.node(place.id).format } ?? format
    }

    // MARK: Attaching

    /// With all that was set on it before.
    ///
    /// An engine that it is attached to loses it.
    package func attach(to control: EngineController) throws(GraphError) {
        if let place { detach(from: place.control) }
        let (format, mixing, volume) = state.withLock { ($0.format, $0.mixing, $0.outputVolume) }
        let id = try control.edit { state throws(GraphError) in
            try state.attach(self, format: format, mixing: mixing, outputVolume: volume)
        }
        state.withLock { $0.place = Place(control: control, id: id) }
        source?.sync(for: self)
    }

    /// Does nothing where it is not attached to this engine.
    package func detach(from control: EngineController) {
        guard let place, place.control === control else { return }
        // It fails where another thread has detached it.
        let format = try? control.edit { state throws(GraphError) in try state.detach(place.id) }
        state.withLock {
            guard let format else { return }
            $0.place = nil
            $0.format = format
        }
        source?.sync(for: self)
    }

    // MARK: Settings

    /// What new connections begin with, and on all there are.
    package var mixing: Mixing { state.withLock { $0.mixing } }

    package func setMixing(_ change: (inout Mixing) -> Void) {
        let mixing = state.withLock {
            change(&$0.mixing)
            return $0.mixing
        }
        guard let place else { return }
        // The values are in range, and the node may only have left.
        try? place.control.editGraph { graph throws(GraphError) in try graph.setMixing(mixing, of: place.id) }
    }

    package var outputVolume: Float { state.withLock { $0.outputVolume } }

    package func setOutputVolume(_ volume: Float) {
        state.withLock { $0.outputVolume = volume }
        guard let place else { return }
        try? place.control.editGraph { graph throws(GraphError) in try graph.setOutputVolume(volume, of: place.id) }
    }

    // MARK: Tap, of an attached node

    /// - Parameters:
    ///   - wantedFrames: of one piece; brought to 100 to 400 ms.
    ///   - wantedFormat: of the pieces; nil for what the bus has.
    package func installTap(
        wantedFrames: Int, wantedFormat: StreamFormat?, receiver: @escaping SampleReceiver
    ) throws(GraphError) {
        guard let place else { return }
        let tap = TapController(
            wantedFrames: wantedFrames, wantedFormat: wantedFormat, calls: place.control.handlers.taps,
            receiver: receiver)
        try place.control.edit { state throws(GraphError) in
            try state.setTap(tap, of: place.id)
        }
        place.control.reading.wake()
    }

    package func removeTap() {
        guard let place else { return }
        // The node is attached: it cannot fail.
        try? place.control.edit { state throws(GraphError) in
            guard state.nodes[place.id]?.tap != nil else { return }
            try state.setTap(nil, of: place.id)
        }
    }

    // MARK: Channel map

    package var isInput: Bool { source is InputNodeController }

    private var isMappable: Bool { kind == .output || source is PlayerNodeController || isInput }

    /// Nil for a node without a map, and while it is not attached.
    package var channelMap: [Int]? {
        guard isMappable, let place else { return nil }
        if isInput { return place.control.inputMap }
        place.control.refreshDevice()
        return place.control.state.withLock { state in
            if kind == .output, state.device == nil { return [] }
            return state.graph.soundingMap(of: place.id)
        }
    }

    /// - Throws: why the map was not taken; the old one stays.
    package func setChannelMap(_ map: [Int]?) throws(GraphError) {
        guard isMappable, let place else { throw .notMappable(node: "the \(name) node") }
        try place.control.edit { state throws(GraphError) in
            if self.isInput { return try state.setInputMap(map) }
            if self.kind == .output, state.device == nil, map != nil {
                throw .nothingToMap(node: "the output")
            }
            try state.graph.setChannelMap(map, of: place.id)
            if self.kind == .output { state.channelMapOwner = .none }
        }
    }
}

extension StreamFormat {
    /// What a node's bus has before anything is connected: stereo at 44 100 Hz.
    package static let engineDefault = StreamFormat(sampleRate: 44_100, channels: ChannelLabel.standard(count: 2))
}

extension Float {
    /// A volume: what is negative or no number is silence.
    package var asVolume: Float { isFinite ? Swift.max(self, 0) : 0 }
    /// -1 to 1; what is no number is the middle.
    package var asPan: Float { isNaN ? 0 : Swift.min(Swift.max(self, -1), 1) }
}
