import AudioModel
package import EngineCore
internal import SessionRuntime
import Synchronization

/// A node of an engine below the public API, attached or not.
///
/// Its own lock is the innermost of all.
package final class NodeController: Sendable {
    package let role: NodeRole
    /// For people, in errors.
    package let name: String
    /// Changed with the engine's lock held, so that it says the same as the engine's `EngineState`.
    private let state: Mutex<State>

    private enum State {
        /// What was set on it, or what it had when it left; to `attached`.
        case detached(NodeSettings)
        /// The engine's graph has what is set on it; to `detached`.
        case attached(Place)
    }

    package init(_ role: NodeRole, name: String, format: StreamFormat = .engineDefault) {
        (self.role, self.name) = (role, name)
        state = Mutex(.detached(NodeSettings(format: format)))
    }

    package var kind: NodeKind { role.kind }

    package var source: (any EngineSource)? { role.source }

    /// Input buses; nil for as many as wanted.
    package var inputCount: Int? { role.unit.map(\.inputCount) ?? kind.inputCount }

    /// Where any number is allowed, those up to the last connected one.
    package var inputBusCount: Int {
        if let inputCount { return inputCount }
        guard let place else { return 1 }
        return (place.control.graph.connections(into: place.id).last?.destination.bus ?? 0) + 1
    }

    /// 0 for a node that is not attached.
    package var nextAvailableInputBus: Int {
        // Attached: it cannot fail.
        place.flatMap { try? $0.control.graph.nextAvailableInputBus(of: $0.id) } ?? 0
    }

    /// Forgets sound: what a source has made and not played, what an effect holds, the tail of a processor.
    ///
    /// App threads.
    package func reset() {
        source?.reset()
        role.timeEffect?.reset()
        guard role.unit != nil, let place else { return }
        place.control.state.withLock { $0.nodes[place.id]?.slot?.reset() }
    }

    /// From going in to coming out, in seconds; 0 without an engine that has been prepared.
    package var latencySeconds: Double {
        guard role.unit != nil, let place else { return 0 }
        return place.control.state.withLock { state in
            guard let slot = state.nodes[place.id]?.slot else { return 0 }
            return Double(slot.unit.latencyFrames) / slot.shape.output.sampleRate
        }
    }

    /// From leaving the node to the air, in seconds; 0 without a stream and on no way to the output.
    package var presentationLatencySeconds: Double {
        guard let place else { return 0 }
        return place.control.state.withLock { state in
            state.renderer.map { Double(state.latencyFrames(behind: place.id)) / $0.sampleRate } ?? 0
        }
    }

    /// Where it is attached.
    package struct Place {
        package var control: EngineController
        package var id: NodeID
    }

    package var place: Place? {
        state.withLock { if case .attached(let place) = $0 { place } else { nil } }
    }

    // MARK: Attaching

    /// With all that was set on it before.
    ///
    /// An engine that it is attached to loses it.
    package func attach(to control: EngineController) throws(GraphError) {
        if let place { detach(from: place.control) }
        let settings = settings
        try control.edit { state throws(GraphError) in
            let id = try state.attach(self, settings)
            self.state.withLock { $0 = .attached(Place(control: control, id: id)) }
        }
    }

    /// Does nothing where it is not attached to this engine.
    package func detach(from control: EngineController) {
        guard let place, place.control === control else { return }
        // It fails where another thread has detached it.
        try? control.edit { state throws(GraphError) in
            let settings = try state.detach(place.id)
            self.state.withLock { $0 = .detached(settings) }
        }
        source?.sync(for: self)
        role.sink?.close()
    }

    // MARK: Settings

    private var settings: NodeSettings {
        while true {
            switch state.withLock({ $0 }) {
            case .detached(let settings): return settings
            case .attached(let place):
                // Nil where it has just left.
                if let node = try? place.control.graph.node(place.id) { return NodeSettings(node) }
            }
        }
    }

    /// Of the output bus.
    package var format: StreamFormat { settings.format }

    /// What new connections begin with, and on all there are.
    package var mixing: Mixing { settings.mixing }

    package func setMixing(_ change: (inout Mixing) -> Void) {
        set {
            change(&$0.mixing)
        } inGraph: { graph, id throws(GraphError) in
            var mixing = try graph.node(id).mixing
            change(&mixing)
            try graph.setMixing(mixing, of: id)
        }
    }

    /// Of its connection into a bus, which may lead through effects; nil where there is none.
    package func mixing(into bus: NodeBus) -> Mixing? {
        guard let place else { return nil }
        return place.control.graph.connection(from: place.id, into: bus)?.mixing
    }

    /// Does nothing where there is no such connection.
    package func setMixing(into bus: NodeBus, _ change: (inout Mixing) -> Void) {
        guard let place else { return }
        // The values are in range, and the node may only have left.
        try? place.control.editGraph { graph throws(GraphError) in
            guard let connection = graph.connection(from: place.id, into: bus) else { return }
            var mixing = connection.mixing
            change(&mixing)
            try graph.setMixing(mixing, of: place.id, at: connection.destination)
        }
    }

    package var outputVolume: Float { settings.outputVolume }

    package func setOutputVolume(_ volume: Float) {
        set {
            $0.outputVolume = volume
        } inGraph: { graph, id throws(GraphError) in
            try graph.setOutputVolume(volume, of: id)
        }
    }

    private func set(
        _ change: (inout NodeSettings) -> Void, inGraph edit: (inout EngineGraph, NodeID) throws(GraphError) -> Void
    ) {
        let place = state.withLock { state -> Place? in
            switch state {
            case .attached(let place): return place
            case .detached(var settings):
                change(&settings)
                state = .detached(settings)
                return nil
            }
        }
        guard let place else { return }
        // The values are in range, and the node may only have left.
        try? place.control.editGraph { graph throws(GraphError) in try edit(&graph, place.id) }
    }

    // MARK: Tap, of an attached node

    /// - Parameters:
    ///   - wantedFrames: of one piece; brought to 100 to 400 ms.
    ///   - wantedFormat: of the pieces; nil for what the bus has.
    package func installTap(
        wantedFrames: Int, wantedFormat: StreamFormat?, receiver: @escaping TapReceiver
    ) throws(GraphError) {
        guard let place else { return }
        let tap = TapController(
            wantedFrames: wantedFrames, wantedFormat: wantedFormat, calls: place.control.handlers.taps,
            receiver: receiver)
        try place.control.edit { state throws(GraphError) in
            try state.setTap(tap, of: place.id)
        }
        if isInput { place.control.checkInputTap(at: "installTap(onBus: 0)", isNew: true) }
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

    package var isInput: Bool { role.input != nil }

    /// Nil for a node without a map, and while it is not attached.
    package var channelMap: [Int]? {
        guard role.isMappable, let place else { return nil }
        if isInput { return place.control.inputMap }
        place.control.refreshDevice()
        return place.control.state.withLock { state in
            if kind == .output, state.device == nil { return [] }
            return state.graph.soundingMap(of: place.id)
        }
    }

    /// - Throws: why the map was not taken; the old one stays.
    package func setChannelMap(_ map: [Int]?) throws(GraphError) {
        guard role.isMappable, let place else { throw .notMappable(node: "the \(name) node") }
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

/// What a node keeps from one engine to the next.
struct NodeSettings {
    /// Of the output bus.
    var format: StreamFormat
    var mixing = Mixing()
    var outputVolume: Float = 1

    init(format: StreamFormat) { self.format = format }

    init(_ node: GraphNode) { (format, mixing, outputVolume) = (node.format, node.mixing, node.outputVolume) }
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

extension NodeController {
    /// Of the input busses, by what is connected to them, or of the output bus.
    package func formats(isInput: Bool) -> [StreamFormat] {
        guard isInput else { return kind.outputCount > 0 ? [format] : [] }
        guard let place else { return Array(repeating: .engineDefault, count: inputBusCount) }
        let graph = place.control.graph
        return (0..<inputBusCount).map { graph.inputFormat(NodeBus(place.id, bus: $0)) ?? .engineDefault }
    }
}
