/// The part of the graph that runs on the input's clock: the path from the input to sinks, and a tap on the input.
///
/// In an engine without an output, all taps after the input run on the input's clock, too. The output's clock runs the
/// rest. A mixer may be on both sides, a processor only on one.
extension EngineGraph {
    /// The nodes after the input that run on the input's clock and not on the output's.
    package func inputSide(of input: NodeID?, usesOutput: Bool) -> Set<NodeID> {
        guard let input else { return [] }
        return downstream(of: input).filter { id in
            guard id != input, let node = try? node(id), node.kind != .output else { return false }
            return node.kind == .sink || !usesOutput || !(node.isTapped || isRendered(id))
        }
    }

    /// The part of the graph that runs on the output's clock.
    package func outputPart(without inputSide: Set<NodeID>, input: NodeID?) -> EngineGraph {
        var graph = self
        if let input, contains(input) { try? graph.setTapped(false, input) }
        for node in nodes where node.kind == .sink || inputSide.contains(node.id) {
            if node.kind == .sink || node.kind == .processor {
                try? graph.detach(node.id)
            } else {
                try? graph.setTapped(false, node.id)
            }
        }
        return graph
    }

    /// The part of the graph that runs on the input's clock; its only source is the input.
    package func inputPart(_ inputSide: Set<NodeID>, input: NodeID) -> EngineGraph {
        var graph = self
        for node in nodes where !inputSide.contains(node.id) {
            switch node.kind {
            case .output, .processor: try? graph.detach(node.id)
            case .source where node.id != input: try? graph.detach(node.id)
            case .source, .mixer, .timeEffect, .sink: try? graph.setTapped(false, node.id)
            }
        }
        return graph
    }

    /// Whether the node runs on the output's clock: the output or a tap gets its sound.
    package func isRendered(_ id: NodeID) -> Bool {
        downstream(of: id).contains { reached in
            guard reached != id, let node = try? node(reached) else { return false }
            return node.kind == .output || node.isTapped
        }
    }

    /// Whether the sound of the node reaches an output, a sink or a tap.
    package func isHeard(_ id: NodeID) -> Bool {
        downstream(of: id).contains { reached in
            guard let node = try? node(reached) else { return false }
            return node.kind == .output || node.kind == .sink || node.isTapped
        }
    }

    /// Throws for a sink that another source than the input feeds, or a node at another rate, or a processor that the
    /// output plays.
    package func validateSinks(input: NodeID?, usesOutput: Bool) throws(GraphError) {
        let rate = input.flatMap { try? node($0).format.sampleRate }
        let inputSide = inputSide(of: input, usesOutput: usesOutput)
        for sink in nodes where sink.kind == .sink {
            for feeder in nodes where feeder.id != sink.id && downstream(of: feeder.id).contains(sink.id) {
                let isAtRate = feeder.format.sampleRate == rate
                let isInput = feeder.id == input || feeder.kind != .source
                guard isAtRate, isInput else { throw .sinkNotFedByInput(node: sink.title) }
                guard feeder.kind != .processor || inputSide.contains(feeder.id) else {
                    throw .sinkBehindPlayedProcessor(node: sink.title, processor: feeder.title)
                }
            }
        }
    }
}
