/// The checks before a graph plays.
extension EngineGraph {
    /// Throws the first reason why the graph cannot play.
    ///
    /// It does not check what edits already refuse: cycles, buses out of range, invalid formats.
    ///
    /// - Parameter requiresOutput: false for an engine with sinks and taps only.
    package func validate(requiresOutput: Bool = true) throws(GraphError) {
        if requiresOutput {
            guard let output else { throw .noOutput }
            guard connection(into: NodeBus(output.id)) != nil else { throw .outputNotConnected(node: output.title) }
        }
        try checkWaysToTimeEffects()
        for node in nodes {
            if let map = node.channelMap { try checkValues(of: map, node) }
            try checkSplit(at: node)
        }
    }

    /// Throws if paths from a node to several others have different rates before they meet.
    private func checkSplit(at node: GraphNode) throws(GraphError) {
        let branches = connections(from: node.id)
        guard branches.count > 1 else { return }
        let reached = branches.map { downstream(of: $0.destination.node) }
        let common = reached.dropFirst().reduce(reached[0]) { $0.intersection($1) }
        let all = reached.reduce(Set()) { $0.union($1) }
        for id in all.subtracting(common).sorted() {
            let other = try self.node(id)
            guard other.kind == .mixer, other.format.sampleRate != node.format.sampleRate else { continue }
            throw .splitRates(
                node: node.title, rate: node.format.sampleRate, mixer: other.title, mixerRate: other.format.sampleRate)
        }
    }

    /// The greatest sum of weights of the nodes on a path after a node.
    package func longestWay(from id: NodeID, weight: (NodeID) -> Int) -> Int {
        var known: [NodeID: Int] = [:]
        func longest(_ id: NodeID) -> Int {
            if let length = known[id] { return length }
            let length = connections(from: id).map { weight($0.destination.node) + longest($0.destination.node) }.max()
            known[id] = length ?? 0
            return length ?? 0
        }
        return longest(id)
    }
}
