import AudioModel
import EngineCore

/// A graph with an output, and short words for what tests do to it.
struct GraphBench {
    static let mono = StreamFormat(sampleRate: 1000, channels: [.mono])
    static let stereo = StreamFormat(sampleRate: 1000, channels: [.left, .right])

    var graph = EngineGraph()
    let output: NodeID

    init(device: [ChannelLabel] = [.left, .right]) throws {
        output = try graph.attach(.output, name: "out", format: StreamFormat(sampleRate: 1000, channels: device))
    }

    mutating func source(_ name: String = "a", _ format: StreamFormat = stereo) throws -> NodeID {
        try graph.attach(.source, name: name, format: format)
    }

    mutating func mixer(_ name: String = "m", _ format: StreamFormat = stereo) throws -> NodeID {
        try graph.attach(.mixer, name: name, format: format)
    }

    /// To the next free bus.
    mutating func connect(_ source: NodeID, _ destination: NodeID) throws {
        try graph.connect(
            NodeBus(source), to: NodeBus(destination, bus: graph.nextAvailableInputBus(of: destination)))
    }

    var plan: MixPlan { PlanCompiler.compile(graph) }
    /// The plan's gains, [row][column].
    var rows: [[Float]] {
        (0..<plan.listeners.reduce(plan.outputChannels) { $0 + $1.channels }).map { plan.row($0) }
    }
}

extension MixPlan {
    private var columnCount: Int {
        steps.reduce(sources.reduce(0) { $0 + $1.channels }) { $0 + $1.channels }
    }

    /// The gains of one row.
    func row(_ index: Int) -> [Float] { Array(matrix[index * columnCount..<(index + 1) * columnCount]) }
}
