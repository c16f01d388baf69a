/// What a sink, or a tap on a mixer, hears of the input.
///
/// Sinks and a tap on the input run on the input's clock, so they are no part of the `MixPlan` that the output's runs. So
/// do all taps of an engine that uses no output.
package struct SinkPlan: Hashable, Sendable {
    package var node: NodeID
    /// Of what is connected to a sink, or of what leaves a tapped node.
    package var format: StreamFormat
    /// Linear gains, row-major [sink's channel][input's channel]; empty for silence.
    package var matrix: [Float]
}

extension EngineGraph {
    /// The part that the output's clock runs: without sinks, and without a tap on the input.
    package func withoutInputListeners(_ input: NodeID?) -> EngineGraph {
        var graph = self
        for node in nodes where node.kind == .sink { try? graph.detach(node.id) }
        if let input, graph.contains(input) { try? graph.setTapped(false, input) }
        return graph
    }

    /// Whether the output's clock runs the node: it sounds, or a tap behind it hears it.
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

    /// The sinks that something is connected to, in the order of attachment.
    package func sinkPlans(input: NodeID) -> [SinkPlan] {
        listenerPlans(input: input) { $0.kind == .sink ? inputFormat(NodeBus($0.id)) : nil }
    }

    /// The tapped nodes behind the input, in the order of attachment.
    package func tapPlans(input: NodeID) -> [SinkPlan] {
        let fed = downstream(of: input)
        return listenerPlans(input: input) { $0.isTapped && $0.id != input && fed.contains($0.id) ? $0.format : nil }
    }

    /// - Parameter format: nil for a node that is left out.
    private func listenerPlans(input: NodeID, _ format: (GraphNode) -> StreamFormat?) -> [SinkPlan] {
        var graph = self
        for node in nodes where node.kind == .output { try? graph.detach(node.id) }
        let plan = PlanCompiler.compile(graph)
        var columns = 0..<0
        for source in plan.sources {
            columns = columns.upperBound..<columns.upperBound + source.channels
            if source.node == input { break }
            columns = columns.upperBound..<columns.upperBound
        }
        var row = 0
        return plan.listeners.compactMap { sink in
            let rows = row..<row + sink.channels
            row += sink.channels
            guard let node = try? graph.node(sink.node), let format = format(node) else { return nil }
            let matrix = columns.isEmpty ? [] : rows.flatMap { plan.row($0)[columns] }
            return SinkPlan(node: sink.node, format: format, matrix: matrix)
        }
    }

    /// Throws for a sink that anything but the input feeds, or the input at another rate.
    package func validateSinks(input: NodeID?) throws(GraphError) {
        let rate = input.flatMap { try? node($0).format.sampleRate }
        for sink in nodes where sink.kind == .sink {
            for feeder in nodes where feeder.id != sink.id && downstream(of: feeder.id).contains(sink.id) {
                let isAtRate = feeder.format.sampleRate == rate
                let isInput = feeder.id == input || feeder.kind != .source
                guard isAtRate, isInput else { throw .sinkNotFedByInput(node: sink.title) }
            }
        }
    }
}
