/// The part of a graph that one renderer runs.
///
/// An effect that changes the rate needs another number of frames than the cycle has, so the nodes before it cannot run
/// in the cycle in which the effect is heard. They are a part of their own, unless they are one player or source node,
/// which feeds the effect directly.
package struct GraphPart: Hashable, Sendable {
    /// The effect that the part feeds; nil for the part with the output.
    package var effect: NodeID?
    /// The graph of the part: an output of the effect's format replaces the effect, and sources replace the effects of
    /// other parts.
    package var graph: EngineGraph
}

extension EngineGraph {
    /// The parts; only one if each effect that changes the rate has just one player or source node before it.
    ///
    /// - Parameter input: the engine's input; it has its own pace and cannot feed an effect directly.
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
                // This cannot fail: there is no other output, and the feeder is a member.
                let output = try? part.attach(.output, name: effect.name, format: effect.format)
                if let output { try? part.connect(feeder, to: NodeBus(output)) }
            }
            return GraphPart(effect: effect?.id, graph: part)
        }
    }

    /// Whether more than one player or source node feeds an effect, apart from other effects in between.
    private func hasPart(before effect: GraphNode, input: NodeID?) -> Bool {
        guard let connection = connection(into: NodeBus(effect.id)), let feeder = try? node(connection.source.node)
        else { return false }
        switch feeder.kind {
        case .effect: return false
        case .source: return feeder.id == input
        case .mixer, .processor, .output, .sink: return true
        }
    }

    /// The next of these effects on the paths from a node; nil if there is none.
    private func firstEffect(behind id: NodeID, of effects: Set<NodeID>) -> NodeID? {
        var id = id
        while let next = connections(from: id).first?.destination.node {
            if effects.contains(next) { return next }
            id = next
        }
        return nil
    }

    /// Throws if a node that feeds an effect that changes the rate also feeds a node beside that effect.
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
