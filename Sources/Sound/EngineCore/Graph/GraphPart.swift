/// The part of a graph that one renderer runs.
///
/// A time effect needs another number of frames than the cycle has, so the nodes before it cannot run in the cycle in
/// which the effect is heard. They are a part of their own, unless they are one player or source node,
/// which feeds the effect directly.
package struct GraphPart: Hashable, Sendable {
    /// The time effect that the part feeds; nil for the part with the output.
    package var timeEffect: NodeID?
    /// The graph of the part: an output of the effect's format replaces the effect, and sources replace the effects of
    /// other parts.
    package var graph: EngineGraph
}

extension EngineGraph {
    /// The parts; only one if each time effect has just one player or source node before it.
    ///
    /// - Parameter input: the engine's input; it has its own pace and cannot feed an effect directly.
    package func parts(input: NodeID?) -> [GraphPart] {
        let effects = nodes.filter { $0.kind == .timeEffect && hasPart(before: $0, input: input) }
        guard !effects.isEmpty else { return [GraphPart(timeEffect: nil, graph: self)] }
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
            return GraphPart(timeEffect: effect?.id, graph: part)
        }
    }

    /// Whether an effect needs a part before it: a mixer, a processor or the engine's input feeds it.
    private func hasPart(before effect: GraphNode, input: NodeID?) -> Bool {
        guard let connection = connection(into: NodeBus(effect.id)), let feeder = try? node(connection.source.node)
        else { return false }
        switch feeder.kind {
        case .timeEffect: return false
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

    /// Throws if a node that feeds a time effect also feeds a node beside it.
    package func checkWaysToTimeEffects() throws(GraphError) {
        for effect in nodes where effect.kind == .timeEffect {
            let before = upstream(of: effect.id)
            for connection in connections
            where connection.source.node != effect.id && before.contains(connection.source.node)
                && !before.contains(connection.destination.node)
            {
                throw .timeEffectBesideOthers(effect: effect.title, source: try node(connection.source.node).title)
            }
        }
    }
}
