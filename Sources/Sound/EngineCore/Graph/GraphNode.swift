package import EffectCore

/// A node of the graph with its settings.
package struct GraphNode: Hashable, Sendable {
    package let id: NodeID
    package let kind: NodeKind
    /// The name in error messages.
    package var name: String
    /// The number of input buses; nil for any number.
    package let inputCount: Int?
    /// Of the output bus; for an output the device's, for a sink without meaning.
    package var format: StreamFormat
    /// The linear gain at the output of a mixer, or at the input of an output node.
    package var outputVolume: Float = 1
    package var isMuted = false
    /// The mixing of new connections from this node.
    package var mixing = Mixing()
    /// The channel that feeds each channel of `format`; nil for the default, see `EngineGraph.soundingMap(of:)`.
    ///
    /// The index is the fed channel; the value is the feeding channel, or below 0 for silence.
    package var channelMap: [Int]?
    /// The layout of the machine's ports, for an output; nil for other nodes.
    package var layout: RouteLayout?
    /// Whether the app has a tap on the output bus.
    package var isTapped = false

    init(id: NodeID, kind: NodeKind, name: String, format: StreamFormat, inputCount: Int?) {
        (self.id, self.kind, self.name, self.format) = (id, kind, name, format)
        self.inputCount = kind == .processor ? inputCount : kind.inputCount
    }

    /// The node in error messages, for example "the mixer \"main\"".
    package var title: String { "the \(kind == .processor ? "effect" : kind.rawValue) \"\(name)\"" }

    /// The gain at the output, with the mute.
    var gain: Float { isMuted ? 0 : outputVolume }
}

/// Identifies a node of one `EngineGraph`; a graph never uses a number twice.
package struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let number: Int

    init(number: Int) { self.number = number }

    package static func < (a: NodeID, b: NodeID) -> Bool { a.number < b.number }

    package var description: String { "node \(number)" }
}

/// One bus of a node: an input or an output, depending on its use.
package struct NodeBus: Hashable, Sendable {
    package var node: NodeID
    package var bus: Int

    package init(_ node: NodeID, bus: Int = 0) {
        self.node = node
        self.bus = bus
    }
}

/// One connection of the graph.
///
/// Its format is that of the source's output bus.
package struct GraphConnection: Hashable, Sendable {
    package var source: NodeBus
    package var destination: NodeBus
    package var mixing: Mixing
}

/// The kind of a node of the graph.
package enum NodeKind: String, Sendable {
    /// Makes frames: a player, a block, an input. No input bus, one output bus.
    case source
    /// Sums its inputs in the format of its output. Any number of input buses, one output bus.
    case mixer
    /// Changes the number of frames, where a source is fed, ahead of the cycle. One input bus, one output bus.
    case timeEffect = "effect"
    /// Changes sound in the render cycle, anywhere in the graph. Its unit sets the number of input buses; one output
    /// bus.
    case processor
    /// The device. One input bus, no output bus.
    case output
    /// Gives frames to the app. One input bus, no output bus.
    case sink

    /// The number of output buses.
    package var outputCount: Int {
        switch self {
        case .source, .mixer, .timeEffect, .processor: 1
        case .output, .sink: 0
        }
    }

    /// The number of input buses; nil for any number.
    ///
    /// The unit of a processor has its own number.
    package var inputCount: Int? {
        switch self {
        case .source: 0
        case .mixer: nil
        case .timeEffect, .processor, .output, .sink: 1
        }
    }
}

/// The volume and the position of a connection at the mixer that it goes to.
///
/// It has no effect on a connection to another kind of node.
package struct Mixing: Hashable, Sendable {
    /// The linear gain; 1 leaves samples unchanged.
    package var volume: Float
    /// The pan: -1 is left, 1 is right, 0 leaves both sides unchanged; see `PanLaw`.
    package var pan: Float
    /// The position and the settings in an environment.
    package var space = SpaceMixing()

    package init(volume: Float = 1, pan: Float = 0) {
        self.volume = volume
        self.pan = pan
    }
}
