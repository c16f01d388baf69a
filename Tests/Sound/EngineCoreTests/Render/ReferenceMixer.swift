import AudioModel
import EngineCore

/// What a graph must sound like: node by node and in Double, without matrices of whole graphs.
struct ReferenceMixer {
    let graph: EngineGraph
    /// [frame][channel] of each source.
    let inputs: [NodeID: [[Double]]]
    let frames: Int
    var units: [NodeID: SumUnit] = [:]

    /// What leaves a node, [frame][channel].
    func leaving(_ node: GraphNode) throws -> [[Double]] {
        var frames: [[Double]]
        if node.kind == .source {
            frames = inputs[node.id] ?? []
            if let map = node.channelMap {
                frames = frames.map { frame in map.map { $0 < 0 ? 0 : frame[$0] } }
            }
        } else if let unit = units[node.id] {
            frames = try processed(node, by: unit)
        } else {
            frames = Array(repeating: Array(repeating: 0, count: node.format.channels.count), count: self.frames)
            for connection in graph.connections(into: node.id) {
                let source = try graph.node(connection.source.node)
                let mixing = graph.firstConnection(into: connection.destination)?.mixing ?? connection.mixing
                let pan = PanLaw.gains(pan: mixing.pan, channels: node.format.channels)
                let arriving = converted(try leaving(source), from: source.format.channels, to: node.format.channels)
                for (index, frame) in arriving.enumerated() {
                    for channel in frame.indices {
                        frames[index][channel] += frame[channel] * Double(pan[channel] * mixing.volume)
                    }
                }
            }
        }
        let gain = node.isMuted ? 0 : Double(node.outputVolume)
        return frames.map { $0.map { $0 * gain } }
    }

    private func processed(_ node: GraphNode, by unit: SumUnit) throws -> [[Double]] {
        let busses = try graph.connections(into: node.id).map { connection in
            (connection.destination.bus, try leaving(try graph.node(connection.source.node)))
        }
        var last = [Double](repeating: 0, count: node.format.channels.count)
        return (0..<frames).map { frame in
            for channel in last.indices {
                last[channel] *= Double(unit.feedback)
                for (bus, input) in busses {
                    last[channel] += input[frame][channel % input[frame].count] / Double(bus + 1)
                }
            }
            return last
        }
    }

    /// What the device gets, [frame][channel].
    func output() throws -> [[Double]] {
        guard let output = graph.output else { return [] }
        let channels = output.format.channels
        let silence = Array(repeating: Array(repeating: 0.0, count: channels.count), count: frames)
        guard let connection = graph.connection(into: NodeBus(output.id)) else { return silence }
        let source = try graph.node(connection.source.node)
        let arriving = try leaving(source)
        let gain = output.isMuted ? 0 : Double(output.outputVolume)
        let mapped =
            output.channelMap.map { map in arriving.map { frame in map.map { $0 < 0 ? 0 : frame[$0] } } }
            ?? converted(arriving, from: source.format.channels, to: channels)
        return mapped.map { $0.map { $0 * gain } }
    }

    private func converted(_ frames: [[Double]], from: [ChannelLabel], to: [ChannelLabel]) -> [[Double]] {
        let matrix = MixMatrix.compile(from: from, to: to)
        return frames.map { frame in
            to.indices.map { row in
                from.indices.reduce(0) { $0 + frame[$1] * Double(matrix[row * from.count + $1]) }
            }
        }
    }
}
