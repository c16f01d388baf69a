/// Connections: queries and edits.
extension EngineGraph {
    // MARK: Queries

    /// The connection into an input bus.
    package func connection(into bus: NodeBus) -> GraphConnection? { connections.first { $0.destination == bus } }

    /// The connections into the buses of a node, sorted by bus.
    package func connections(into id: NodeID) -> [GraphConnection] {
        connections.filter { $0.destination.node == id }.sorted { $0.destination.bus < $1.destination.bus }
    }

    /// The connections from a node, in the order in which they were made.
    package func connections(from id: NodeID) -> [GraphConnection] { connections.filter { $0.source.node == id } }

    /// The format of the connection into a bus; nil if nothing is connected.
    package func inputFormat(_ bus: NodeBus) -> StreamFormat? {
        guard let connection = connection(into: bus) else { return nil }
        return try? node(connection.source.node).format
    }

    /// The first connection of the effect chain into a bus; without effects, the connection into the bus.
    ///
    /// If the last effect of the chain has several inputs, or none that is connected, it is that effect's connection
    /// into the bus.
    package func firstConnection(into bus: NodeBus) -> GraphConnection? {
        guard let connection = connection(into: bus) else { return nil }
        guard let source = try? node(connection.source.node), source.kind == .timeEffect || source.kind == .processor,
            source.inputCount == 1
        else { return connection }
        return firstConnection(into: NodeBus(source.id)) ?? connection
    }

    /// The connection from a node into a bus, or into the effect chain that ends there; nil if another node or none is
    /// connected.
    package func connection(from id: NodeID, into bus: NodeBus) -> GraphConnection? {
        firstConnection(into: bus).flatMap { $0.source.node == id ? $0 : nil }
    }

    /// The format of each input bus of a processor, in order; a bus without a connection has the processor's own
    /// format.
    ///
    /// A processor with any number of inputs has the buses up to the last connected one.
    package func inputFormats(of processor: GraphNode) -> [StreamFormat] {
        let last = connections(into: processor.id).last?.destination.bus ?? -1
        return (0..<(processor.inputCount ?? last + 1)).map {
            inputFormat(NodeBus(processor.id, bus: $0)) ?? processor.format
        }
    }

    /// The time effects after a source, in their order.
    package func timeEffects(behind id: NodeID) -> [GraphNode] {
        guard let next = connections(from: id).lazy.compactMap({ try? node($0.destination.node) }).first,
            next.kind == .timeEffect
        else { return [] }
        return [next] + timeEffects(behind: next.id)
    }

    /// The first free input bus of a node with any number of inputs; 0 for other nodes.
    package func nextAvailableInputBus(of id: NodeID) throws(GraphError) -> Int {
        guard try node(id).inputCount == nil else { return 0 }
        let taken = Set(connections(into: id).map(\.destination.bus))
        var bus = 0
        while taken.contains(bus) { bus += 1 }
        return bus
    }

    // MARK: Edits

    /// Connects an output bus to one input bus; earlier connections of either bus are broken.
    ///
    /// - Parameter format: the new format of the source's output bus; nil keeps the old one.
    package mutating func connect(
        _ source: NodeBus, to destination: NodeBus, format: StreamFormat? = nil
    ) throws(GraphError) {
        try connect(source, to: [destination], format: format)
    }

    /// Connects an output bus to all these input buses and no others; other connections of these buses are broken.
    ///
    /// Connections that existed before keep their volume and pan.
    package mutating func connect(
        _ source: NodeBus, to destinations: [NodeBus], format: StreamFormat? = nil
    ) throws(GraphError) {
        // Edits a copy, so a refused edit changes nothing.
        var edited = self
        let from = try edited.node(source.node)
        guard from.kind.outputCount > 0 else { throw .noOutputBus(node: from.title) }
        guard (0..<from.kind.outputCount).contains(source.bus) else {
            throw .busOutOfRange(node: from.title, side: .output, bus: source.bus, count: from.kind.outputCount)
        }
        var seen: Set<NodeBus> = []
        for destination in destinations {
            let to = try edited.node(destination.node)
            guard to.inputCount != 0 else { throw .noInputBus(node: to.title) }
            guard destination.bus >= 0, destination.bus < to.inputCount ?? .max else {
                throw .busOutOfRange(node: to.title, side: .input, bus: destination.bus, count: to.inputCount)
            }
            guard seen.insert(destination).inserted else {
                throw .repeatedDestination(node: to.title, bus: destination.bus)
            }
            if let path = edited.path(from: destination.node, to: source.node) {
                throw .cycle(nodes: ([source.node] + path).compactMap { try? edited.node($0).title })
            }
        }
        let before = edited.connections
        edited.connections.removeAll { $0.source == source || seen.contains($0.destination) }
        for destination in destinations {
            let kept = before.first { $0.source == source && $0.destination == destination }
            edited.connections.append(
                kept ?? GraphConnection(source: source, destination: destination, mixing: from.mixing))
        }
        if let format {
            try edited.setFormat(format, of: source.node)
            if follower == source.node { edited.follower = nil }
        }
        self = edited
    }

    /// Breaks the connection into that bus, if there is one.
    package mutating func disconnectInput(_ bus: NodeBus) throws(GraphError) {
        _ = try node(bus.node)
        connections.removeAll { $0.destination == bus }
    }

    /// Breaks the connections into all buses of a node.
    package mutating func disconnectInputs(of id: NodeID) throws(GraphError) {
        _ = try node(id)
        connections.removeAll { $0.destination.node == id }
    }

    /// Breaks the connections from that bus.
    package mutating func disconnectOutput(_ bus: NodeBus) throws(GraphError) {
        _ = try node(bus.node)
        connections.removeAll { $0.source == bus }
    }

    // MARK: Ways

    /// A node and all nodes that it feeds, directly or through others.
    func downstream(of id: NodeID) -> Set<NodeID> { ways(from: id, by: successors).reached }

    /// A node and all nodes that feed it, directly or through others.
    func upstream(of id: NodeID) -> Set<NodeID> {
        ways(from: id) { node in connections.filter { $0.destination.node == node }.map(\.source.node) }.reached
    }

    /// The nodes on a path along connections, with both ends; nil if there is no path.
    private func path(from start: NodeID, to end: NodeID) -> [NodeID]? {
        let ways = ways(from: start, by: successors)
        guard ways.reached.contains(end) else { return nil }
        var path = [end]
        while let node = ways.before[path[0]] { path.insert(node, at: 0) }
        return path
    }

    private func successors(of id: NodeID) -> [NodeID] { connections(from: id).map(\.destination.node) }

    /// All nodes that steps lead to, with the first, and the node before each of the others.
    private func ways(
        from start: NodeID, by steps: (NodeID) -> [NodeID]
    ) -> (reached: Set<NodeID>, before: [NodeID: NodeID]) {
        var (reached, before): (Set, [NodeID: NodeID]) = ([start], [:])
        var waiting = [start]
        while let id = waiting.popLast() {
            for next in steps(id) where reached.insert(next).inserted {
                before[next] = id
                waiting.append(next)
            }
        }
        return (reached, before)
    }
}
