/// What one renderer runs of a graph.
///
/// An effect that changes the rate asks for as many frames as it needs, so what lies before it cannot run in the cycle that the
/// effect's sound is heard in. It is a part of its own, as long as it is more than one player or source node, which feeds the
/// effect itself.
package struct GraphPart: Hashable, Sendable {
    /// The effect that gets what the part makes; nil for the part with the output.
    package var effect: NodeID?
    /// With an output where the effect was, in the effect's format, and with sources where the effects of other parts were.
    package var graph: EngineGraph
}

extension EngineGraph {
    /// The parts; only one where no effect that changes the rate has more before it than one player or source node.
    ///
    /// - Parameter input: of the engine: what is recorded comes at its own pace, and cannot feed an effect by itself.
    package func parts(input: NodeID?) -> [GraphPart] {
        let effects = nodes.filter { $0.kind == .effect && hasPart(before: $0, input: input) }
        guard !effects.isEmpty else { return [GraphPart(effect: nil, graph: self)] }
        let heads = Set(effects.map(\.id))
        var members: [NodeID?: Set<NodeID>] = [:]
        for node in nodes { members[firstEffect(behind: node.id, of: heads), default: []].insert(node.id) }
        return ([nil] + effects.map(Optional.some)).map { effect in
            var part = self
            let feeder = effect.flatMap { connection(into: NodeBus($0.id))?.source }
            let members = members[effect?.id] ?? []
            for head in heads where members.contains(head) { part.makeSource(of: head) }
            for node in nodes where !members.contains(node.id) { try? part.detach(node.id) }
            if let effect, let feeder {
                // There is no other output, and the feeder is a member: it cannot fail.
                let output = try? part.attach(.output, name: effect.name, format: effect.format)
                if let output { try? part.connect(feeder, to: NodeBus(output)) }
            }
            return GraphPart(effect: effect?.id, graph: part)
        }
    }

    /// Whether what comes into an effect is made by more than one player or source node, or by other effects behind one.
    private func hasPart(before effect: GraphNode, input: NodeID?) -> Bool {
        guard let connection = connection(into: NodeBus(effect.id)), let feeder = try? node(connection.source.node)
        else { return false }
        switch feeder.kind {
        case .effect: return false
        case .source: return feeder.id == input
        case .mixer, .processor, .output, .sink: return true
        }
    }

    /// The next of these effects on all ways from a node; nil where there is none.
    private func firstEffect(behind id: NodeID, of effects: Set<NodeID>) -> NodeID? {
        var id = id
        while let next = connections(from: id).first?.destination.node {
            if effects.contains(next) { return next }
            id = next
        }
        return nil
    }

    /// Throws for a way from what feeds an effect that changes the rate past that effect.
    package func checkWaysToEffects() throws(GraphError) {
        for effect in nodes where effect.kind == .effect {
            var before: Set<NodeID> = [effect.id]
            var waiting = [effect.id]
            while let id = waiting.popLast() {
                for connection in connections(into: id) where before.insert(connection.source.node).inserted {
                    waiting.append(connection.source.node)
                }
            }
            for connection in connections
            where connection.source.node != effect.id && before.contains(connection.source.node)
                && !before.contains(connection.destination.node)
            {
                throw .effectBesideOthers(effect: effect.title, source: try node(connection.source.node).title)
            }
        }
    }
}
