internal import AudioModel

/// Which channel sounds where.
extension EngineGraph {
    /// The map of an output or a source, or what sounds without one; nil for nodes that have none.
    ///
    /// Index: channel of the node's format; value: the channel that sounds there, -1 for none. Where labels let several
    /// sound on one channel, it is the loudest of them.
    package func soundingMap(of id: NodeID) -> [Int]? {
        guard let node = try? node(id) else { return nil }
        switch node.kind {
        case .mixer, .effect, .processor, .sink: return nil
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

    /// What is connected to the output, on the output's channels: by the map if there is one, which overrides what the
    /// channels are called; on several ports by their default map; else by labels.
    ///
    /// The mixer that follows the output has all its channels, but what apps play through it is in the first two.
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
