package import EffectCore

/// A node of the graph with all that was set on it.
package struct GraphNode: Hashable, Sendable {
    package let id: NodeID
    package let kind: NodeKind
    /// For people, in errors.
    package var name: String
    /// Input buses; nil for as many as wanted.
    package let inputCount: Int?
    /// Of the output bus; for an output the device's, for a sink without meaning.
    package var format: StreamFormat
    /// Linear amplitude of everything that leaves a mixer or reaches an output.
    package var outputVolume: Float = 1
    package var isMuted = false
    /// What new connections from here begin with.
    package var mixing = Mixing()
    /// Which channel feeds each channel of `format`; nil: see `EngineGraph.soundingMap(of:)`.
    ///
    /// Index: the channel fed; value: the one that feeds it, below 0 for silence.
    package var channelMap: [Int]?
    /// Of an output on the machine's ports; nil for others.
    package var layout: RouteLayout?
    /// Whether the app hears what leaves the output bus.
    package var isTapped = false

    init(id: NodeID, kind: NodeKind, name: String, format: StreamFormat, inputCount: Int?) {
        (self.id, self.kind, self.name, self.format) = (id, kind, name, format)
        self.inputCount = kind == .processor ? inputCount : kind.inputCount
    }

    /// "the mixer \"main\"".
    package var title: String { "the \(kind == .processor ? "effect" : kind.rawValue) \"\(name)\"" }

    /// What leaves is multiplied by this.
    var gain: Float { isMuted ? 0 : outputVolume }
}

/// A node of one `EngineGraph`; never given out twice by the same graph.
package struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let number: Int

    init(number: Int) { self.number = number }

    package static func < (a: NodeID, b: NodeID) -> Bool { a.number < b.number }

    package var description: String { "node \(number)" }
}

/// One bus of a node: an input or an output, as the place where it stands says.
package struct NodeBus: Hashable, Sendable {
    package var node: NodeID
    package var bus: Int

    package init(_ node: NodeID, bus: Int = 0) {
        self.node = node
        self.bus = bus
    }
}

/// One edge of the graph.
///
/// Its format is that of the source's output bus.
package struct GraphConnection: Hashable, Sendable {
    package var source: NodeBus
    package var destination: NodeBus
    package var mixing: Mixing
}

/// What a node of the graph does.
package enum NodeKind: String, Sendable {
    /// Makes frames: a player, a block, an input. No input bus, one output bus.
    case source
    /// Sums its inputs in the format of its output. Any number of input buses, one output bus.
    case mixer
    /// Changes the number of frames, where a source is fed or before what it feeds is mixed. One input bus, one output bus.
    case effect
    /// Changes sound in the render cycle, anywhere in the graph. As many input buses as its unit has, one output bus.
    case processor
    /// The device. One input bus, no output bus.
    case output
    /// Hands frames to the app. One input bus, no output bus.
    case sink

    /// Output buses.
    package var outputCount: Int {
        switch self {
        case .source, .mixer, .effect, .processor: 1
        case .output, .sink: 0
        }
    }

    /// Input buses; nil for as many as wanted.
    ///
    /// A processor's unit has a number of its own.
    package var inputCount: Int? {
        switch self {
        case .source: 0
        case .mixer: nil
        case .effect, .processor, .output, .sink: 1
        }
    }
}

/// How loud a connection is at the mixer that it goes to, and where.
///
/// Without effect where it goes to anything but a mixer.
package struct Mixing: Hashable, Sendable {
    /// Linear amplitude; 1 leaves samples as they are.
    package var volume: Float
    /// -1 is left, 1 is right, 0 leaves both sides as they are; see `PanLaw`.
    package var pan: Float
    /// In an environment.
    package var space = SpaceMixing()

    package init(volume: Float = 1, pan: Float = 0) {
        self.volume = volume
        self.pan = pan
    }
}
