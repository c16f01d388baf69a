/// Channel maps: the channel of the source that each channel of a node plays.
extension EngineGraph {
    /// The map of an output or a source, set or implied; nil for nodes that support no map.
    ///
    /// The index is the channel of the node's format; the value is the channel that plays there, or -1 for none. If
    /// labels mix several channels into one, the value is the loudest of them.
    package func soundingMap(of id: NodeID) -> [Int]? {
        guard let node = try? node(id) else { return nil }
        switch node.kind {
        case .mixer, .timeEffect, .processor, .sink: return nil
        case .source: return node.channelMap?.map { max($0, -1) } ?? Array(node.format.channels.indices)
        case .output:
            let matrix = lastStep(to: node)
            return (0..<matrix.rows).map { index in
                let row = Array(matrix.row(index))
                return row.indices.max { row[$0] < row[$1] || row[$0] == row[$1] && $0 > $1 }
                    .flatMap { row[$0] > 0 ? $0 : nil } ?? -1
            }
        }
    }

    /// The gains from the node connected to the output to the output's channels: by the map if one is set, else by the
    /// default map on several ports, else by labels.
    ///
    /// The mixer that follows the output has all its channels, but apps play only into the first two of them.
    func lastStep(to output: GraphNode) -> Matrix {
        let source = connection(into: NodeBus(output.id))?.source.node
        let isPair = source == nil || source == follower
        let outputs = output.format.channels
        let sources = inputFormat(NodeBus(output.id))?.channels ?? outputs
        if let map = output.channelMap { return .selection(map, columns: sources.count) }
        if let layout = output.layout, layout.hasDefaultMap {
            return .selection(layout.defaultMap(sources: isPair ? 2 : sources.count), columns: sources.count)
        }
        return Matrix(
            rows: outputs.count, columns: sources.count, gains: MixMatrix.compile(from: sources, to: outputs))
    }
}
