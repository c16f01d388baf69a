/// Compiles a whole graph to one matrix, with processors between its rows and its columns.
///
/// Mixers only add and scale, so the contribution of a source channel to an output channel is one number: the sum over
/// all paths of the product of the gains on the path. The render thread needs only these numbers and never sees the
/// graph. Gains of 1 stay exactly 1, so a path without changes passes samples bit by bit.
///
/// A processor cuts the paths through it: its inputs are rows, like those of a sink, and its outputs are columns, like
/// those of a source.
///
/// The plan has no rates: everything in it runs at the device's rate, and a source of another rate is converted where
/// it is fed. Time effects are applied there, too; in the plan they only pass the sound on.
package enum PlanCompiler {
    /// Compiles any graph, also one that `validate` refuses; nodes without a connection are not in the plan.
    package static func compile(_ graph: EngineGraph) -> MixPlan {
        let nodes = graph.nodes
        let output = nodes.first { $0.kind == .output }
        var listeners: [(node: GraphNode, format: StreamFormat)] = []
        for node in nodes {
            if node.kind == .sink, let format = graph.inputFormat(NodeBus(node.id)) { listeners.append((node, format)) }
            if node.isTapped { listeners.append((node, node.format)) }
        }
        let outputChannels = output?.format.channels.count ?? 0
        let upstream = upstreamOrder(of: graph)
        let heard = heardNodes(of: graph, in: upstream)
        let processors = upstream.reversed().filter { $0.kind == .processor && heard.contains($0.id) }.map { node in
            (node: node, inputs: graph.inputFormats(of: node).map(\.channels.count))
        }
        let rowCount =
            listeners.reduce(outputChannels) { $0 + $1.format.channels.count }
            + processors.reduce(0) { $0 + $1.inputs.reduce(0, +) }

        // From the rows backwards: the gain of each output channel of a node on each row.
        var reach: [NodeID: Matrix] = [:]
        func add(_ matrix: Matrix, atRow row: Int = 0, to node: GraphNode) {
            reach[node.id, default: Matrix(rows: rowCount, columns: node.format.channels.count)].add(matrix, atRow: row)
        }
        var row = outputChannels
        for (node, format) in listeners {
            let channels = format.channels.count
            if node.kind == .sink {
                if let source = graph.source(into: node) { add(.identity(channels), atRow: row, to: source) }
            } else {
                add(.identity(channels), atRow: row, to: node)
            }
            row += channels
        }
        if let output, let source = graph.source(into: output) {
            add(graph.lastStep(to: output).scaled(by: output.gain), to: source)
        }
        for (node, inputs) in processors {
            for (bus, channels) in inputs.enumerated() {
                if let connection = graph.connection(into: NodeBus(node.id, bus: bus)),
                    let source = try? graph.node(connection.source.node)
                {
                    add(.identity(channels), atRow: row, to: source)
                }
                row += channels
            }
        }
        for node in upstream where node.kind == .mixer || node.kind == .timeEffect {
            guard let onward = reach[node.id] else { continue }
            for connection in graph.connections(into: node.id) {
                guard let source = try? graph.node(connection.source.node) else { continue }
                add(onward.scaled(by: node.gain).times(entry(connection, from: source, to: node, graph)), to: source)
            }
        }

        let sources = nodes.filter { $0.kind == .source && reach[$0.id] != nil }
        let columns = (sources + processors.map(\.node)).compactMap { source in
            reach[source.id].map { $0.times(selection(source.channelMap, source)).scaled(by: source.gain) }
        }
        return MixPlan(
            sources: sources.map { MixPlan.Span(node: $0.id, channels: $0.format.channels.count) },
            steps: processors.map {
                MixPlan.Step(node: $0.node.id, inputs: $0.inputs, channels: $0.node.format.channels.count)
            },
            outputChannels: outputChannels,
            listeners: listeners.map { MixPlan.Span(node: $0.node.id, channels: $0.format.channels.count) },
            matrix: (0..<rowCount).flatMap { row in columns.flatMap { $0.row(row) } })
    }

    /// The gains of a connection from the source's channels to the node's; at a mixer, with volume and pan.
    ///
    /// After an effect, a mixer uses the volume and pan of the source before the effect.
    private static func entry(
        _ connection: GraphConnection, from source: GraphNode, to node: GraphNode, _ graph: EngineGraph
    ) -> Matrix {
        let spread = Matrix(
            rows: node.format.channels.count, columns: source.format.channels.count,
            gains: MixMatrix.compile(from: source.format.channels, to: node.format.channels))
        guard node.kind == .mixer, let mixing = graph.firstConnection(into: connection.destination)?.mixing else {
            return spread
        }
        let pan = PanLaw.gains(pan: mixing.pan, channels: node.format.channels)
        return spread.scaled(rowsBy: pan.map { $0 * mixing.volume })
    }

    private static func selection(_ map: [Int]?, _ source: GraphNode) -> Matrix {
        map.map { Matrix.selection($0, columns: source.format.channels.count) }
            ?? .identity(source.format.channels.count)
    }

    /// The nodes that feed an output, a sink or a tap.
    ///
    /// - Parameter upstream: all nodes, each before the nodes that feed it.
    private static func heardNodes(of graph: EngineGraph, in upstream: [GraphNode]) -> Set<NodeID> {
        var heard: Set<NodeID> = []
        for node in upstream
        where node.kind == .output || node.kind == .sink || node.isTapped || heard.contains(node.id) {
            heard.insert(node.id)
            for connection in graph.connections(into: node.id) { heard.insert(connection.source.node) }
        }
        return heard
    }

    /// All nodes, each before the nodes that feed it.
    private static func upstreamOrder(of graph: EngineGraph) -> [GraphNode] {
        var order: [GraphNode] = []
        var waiting = Dictionary(
            uniqueKeysWithValues: graph.nodes.map { ($0.id, graph.connections(from: $0.id).count) })
        var ready = graph.nodes.filter { waiting[$0.id] == 0 }
        while let node = ready.popLast() {
            order.append(node)
            for connection in graph.connections(into: node.id) {
                guard let left = waiting[connection.source.node] else { continue }
                waiting[connection.source.node] = left - 1
                if left == 1, let source = try? graph.node(connection.source.node) { ready.append(source) }
            }
        }
        return order
    }
}

extension EngineGraph {
    /// The node connected to the only input bus of an output or a sink.
    fileprivate func source(into node: GraphNode) -> GraphNode? {
        connection(into: NodeBus(node.id)).flatMap { try? self.node($0.source.node) }
    }
}
