package import EffectCore

/// The graph of an engine as a value: its nodes, their connections, volumes and formats.
///
/// An edit that throws `GraphError` changes nothing. `validate` checks whether the graph can play; `PlanCompiler` makes
/// the gains that the render thread uses.
package struct EngineGraph: Hashable, Sendable {
    private var nodesByID: [NodeID: GraphNode] = [:]
    /// The connections, in the order in which they were made.
    package internal(set) var connections: [GraphConnection] = []
    private var lastNumber = 0
    /// The mixer that has no format of its own and follows the output's format.
    package internal(set) var follower: NodeID?

    package init() {}

    // MARK: Nodes

    /// The nodes, in the order of attachment.
    package var nodes: [GraphNode] { nodesByID.values.sorted { $0.id < $1.id } }

    package func contains(_ id: NodeID) -> Bool { nodesByID[id] != nil }

    package func node(_ id: NodeID) throws(GraphError) -> GraphNode {
        guard let node = nodesByID[id] else { throw .notAttached(id) }
        return node
    }

    package var output: GraphNode? { nodesByID.values.first { $0.kind == .output } }

    /// Adds a node.
    ///
    /// - Parameters:
    ///   - name: the name in error messages.
    ///   - format: the output format of a source, a mixer or a processor; the device's format for an output; unused for
    ///     a sink.
    ///   - inputCount: the number of input buses of a processor; nil for any number.
    package mutating func attach(
        _ kind: NodeKind, name: String, format: StreamFormat, inputCount: Int? = 1
    ) throws(GraphError) -> NodeID {
        let node = GraphNode(
            id: NodeID(number: lastNumber + 1), kind: kind, name: name, format: format, inputCount: inputCount)
        guard kind == .sink || format.isValid else { throw .invalidFormat(node: node.title, format) }
        if kind == .output, let output { throw .secondOutput(node: output.title) }
        lastNumber += 1
        nodesByID[node.id] = node
        return node.id
    }

    /// Removes a node with its connections.
    package mutating func detach(_ id: NodeID) throws(GraphError) {
        _ = try node(id)
        nodesByID[id] = nil
        connections.removeAll { $0.source.node == id || $0.destination.node == id }
        if follower == id { follower = nil }
    }

    /// Replaces an effect by a source of its format, because another renderer makes its sound.
    mutating func makeSource(of effect: NodeID) {
        guard let node = nodesByID[effect] else { return }
        var source = GraphNode(id: effect, kind: .source, name: node.name, format: node.format, inputCount: nil)
        source.isTapped = node.isTapped
        // The mixing of the source or mixer before the effect applies at the mixer after it, as for any effect.
        let mixing = firstConnection(into: NodeBus(effect))?.mixing
        nodesByID[effect] = source
        connections.removeAll { $0.destination.node == effect }
        for index in connections.indices where connections[index].source.node == effect {
            connections[index].mixing = mixing ?? connections[index].mixing
        }
    }

    // MARK: Settings

    /// Sets the output format of a source or a mixer; every connection from the node has this format.
    package mutating func setFormat(_ format: StreamFormat, of id: NodeID) throws(GraphError) {
        let node = try node(id)
        guard format.isValid else { throw .invalidFormat(node: node.title, format) }
        nodesByID[id]?.format = format
        dropMapOfOtherSize(id)
    }

    /// Makes a mixer follow the output's format, until a connection from it sets a format.
    package mutating func followOutput(_ id: NodeID) throws(GraphError) {
        _ = try node(id)
        guard let output else { throw .noOutput }
        nodesByID[id]?.format = output.format
        follower = id
    }

    /// Applies a new device or a changed format of the device.
    ///
    /// A channel map of another size is dropped, because it would name channels that do not exist.
    package mutating func setDevice(_ device: OutputDevice) throws(GraphError) {
        guard let output else { throw .noOutput }
        guard device.format.isValid else { throw .invalidFormat(node: output.title, device.format) }
        nodesByID[output.id]?.format = device.format
        nodesByID[output.id]?.layout = device.layout
        if let follower { nodesByID[follower]?.format = device.format }
        dropMapOfOtherSize(output.id)
    }

    /// - Parameter volume: linear, finite, 0 or more.
    package mutating func setOutputVolume(_ volume: Float, of id: NodeID) throws(GraphError) {
        let node = try node(id)
        guard volume.isFinite, volume >= 0 else { throw .invalidVolume(node: node.title, volume) }
        nodesByID[id]?.outputVolume = volume
    }

    /// Mutes the output of a node; its sources continue.
    package mutating func setMuted(_ isMuted: Bool, of id: NodeID) throws(GraphError) {
        _ = try node(id)
        nodesByID[id]?.isMuted = isMuted
    }

    /// Sets a channel map: the index is the channel of the node's format, the value is the channel that feeds it.
    ///
    /// A value below 0 is silence; nil restores the default. For an output, the values name channels of the node that
    /// is connected to it; for a source, its own channels. A channel may occur more than once. Values are checked
    /// against the current connection, and again by `validate`.
    package mutating func setChannelMap(_ map: [Int]?, of id: NodeID) throws(GraphError) {
        let node = try node(id)
        guard node.kind == .output || node.kind == .source else { throw .notMappable(node: node.title) }
        if let map {
            let allowed = node.format.channels.count
            guard map.count == allowed else {
                throw .channelMapSize(node: node.title, received: map.count, allowed: allowed)
            }
            try checkValues(of: map, node)
        }
        nodesByID[id]?.channelMap = map
    }

    package mutating func setTapped(_ isTapped: Bool, _ id: NodeID) throws(GraphError) {
        let node = try node(id)
        guard node.kind.outputCount > 0 else { throw .notTappable(node: node.title) }
        if isTapped, node.isTapped { throw .alreadyTapped(node: node.title) }
        nodesByID[id]?.isTapped = isTapped
    }

    /// Sets the mixing of all current and future connections of the node.
    package mutating func setMixing(_ mixing: Mixing, of id: NodeID) throws(GraphError) {
        try check(mixing, try node(id))
        nodesByID[id]?.mixing = mixing
        for index in connections.indices where connections[index].source.node == id {
            connections[index].mixing = mixing
        }
    }

    /// Sets the mixing of the connection to one bus.
    package mutating func setMixing(
        _ mixing: Mixing, of id: NodeID, at destination: NodeBus
    ) throws(GraphError) {
        let source = try node(id)
        try check(mixing, source)
        guard
            let index = connections.firstIndex(where: { $0.source.node == id && $0.destination == destination })
        else { throw .notConnected(from: source.title, to: try node(destination.node).title) }
        connections[index].mixing = mixing
    }

    /// Changes the position of a source in environments; the plan does not depend on it.
    ///
    /// - Parameter destination: the bus of one connection; nil for all current and future connections.
    package mutating func changeSpace(
        of id: NodeID, at destination: NodeBus?, _ change: (inout SpaceMixing) -> Void
    ) {
        if destination == nil, var node = nodesByID[id] {
            change(&node.mixing.space)
            nodesByID[id] = node
        }
        for index in connections.indices where connections[index].source.node == id {
            if destination == nil || connections[index].destination == destination {
                change(&connections[index].mixing.space)
            }
        }
    }

    private func check(_ mixing: Mixing, _ node: GraphNode) throws(GraphError) {
        guard mixing.volume.isFinite, mixing.volume >= 0 else {
            throw .invalidVolume(node: node.title, mixing.volume)
        }
        guard mixing.pan >= -1, mixing.pan <= 1 else { throw .invalidPan(node: node.title, mixing.pan) }
    }

    /// Throws for a value beyond the channels that the map may name; an output without a connection is not checked.
    func checkValues(of map: [Int], _ node: GraphNode) throws(GraphError) {
        guard let channels = node.kind == .output ? inputFormat(NodeBus(node.id))?.channels : node.format.channels
        else { return }
        for (index, value) in map.enumerated() where value >= channels.count {
            throw .channelMapValue(node: node.title, value: value, index: index, channels: channels.count)
        }
    }

    private mutating func dropMapOfOtherSize(_ id: NodeID) {
        guard let node = nodesByID[id], node.channelMap?.count != node.format.channels.count else { return }
        nodesByID[id]?.channelMap = nil
    }
}
