import AudioRuntime
import EngineCore

extension EngineController.State {
    /// What changes a source's sound, in its order.
    func effects(behind id: NodeID) -> [EffectController] {
        graph.effects(behind: id).compactMap { nodes[$0.id]?.effect }
    }

    /// Throws for a source whose format the effects behind it can not take.
    func checkEffects(of graph: EngineGraph) throws(GraphError) {
        for source in graph.nodes where source.kind == .source {
            for node in graph.effects(behind: source.id) {
                try nodes[node.id]?.effect?.check(source.format, title: node.title)
            }
        }
    }
}
