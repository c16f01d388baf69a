internal import AudioModel
internal import AudioRuntime
internal import EngineCore
internal import Foundation

// What the engine's methods come to, all of which an app may override.
extension AVAudioEngine {
    /// Connects output 0 to input 0, or to the next free input of a mixer.
    func join(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) throws {
        let target = try place(of: node2)
        let bus = control.state.withLock { state in
            Result { () throws(GraphError) in
                try state.graph.nextAvailableInputBus(of: target)
            }
        }
        do {
            let point = AVAudioConnectionPoint(node: node2, bus: try bus.get())
            try join(node1, to: [point], fromBus: 0, format: format)
        } catch let error as GraphError {
            throw NSError(error)
        }
    }

    func join(
        _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
        format: AVAudioFormat?
    ) throws {
        let source = NodeBus(try place(of: sourceNode), bus: sourceBus)
        let destinations = try destNodes.map { point in
            guard let node = point.node else {
                throw NSError.audio(
                    kAudioUnitErr_InvalidParameter,
                    "A connection point's node is gone: keep the node as long as it is to be connected.")
            }
            if sourceNode is AVAudioInputNode, node is AVAudioUnit {
                throw NSError(GraphError.effectOfInput(effect: "the \(node.core.name)", input: "the input"))
            }
            return NodeBus(try place(of: node), bus: point.bus)
        }
        let format = try checked(format, for: sourceNode)
        do {
            try control.edit { state throws(GraphError) in
                var graph = state.graph
                try graph.connect(source, to: destinations, format: format.map { StreamFormat($0) })
                try state.checkEffects(of: graph)
                state.graph = graph
                guard let format else { return }
                state.nodes[source.node]?.setFormat(format)
            }
        } catch {
            throw NSError(error)
        }
        control.startLateOutput()
    }

    private func checked(_ format: AVAudioFormat?, for source: AVAudioNode) throws -> AVAudioFormat? {
        let used = format ?? source.outputFormat(forBus: 0)
        let hasSound = source.outputFormat(forBus: 0).channelCount > 0 || !(source is AVAudioInputNode)
        guard hasSound, used.isLinearPCM, used.channelCount > 0, used.sampleRate > 0 else {
            throw NSError.audio(
                kAudioUnitErr_FormatNotSupported,
                "A connection can not have the format \(used): give linear PCM with at least one channel and a rate above "
                    + "0 Hz. A device that is not there has neither; look at its format before you connect it.")
        }
        if let format, source is AVAudioInputNode,
            format.channelCount != source.outputFormat(forBus: 0).channelCount
                || format.sampleRate != source.outputFormat(forBus: 0).sampleRate
        {
            throw NSError.audio(
                kAudioUnitErr_FormatNotSupported,
                "The input node can not be connected as \(format): its format is the device's, "
                    + "\(source.outputFormat(forBus: 0)). Give that or nil, and set its channel map for other channels."
            )
        }
        return format
    }

    // MARK: Asking

    func source(
        of node: AVAudioNode, inputBus bus: AVAudioNodeBus
    ) -> AVAudioConnectionPoint? {
        guard let id = try? place(of: node) else { return nil }
        let (core, sourceBus) = control.state.withLock { state in
            let connection = state.graph.connection(into: NodeBus(id, bus: bus))
            return (connection.flatMap { state.nodes[$0.source.node] }, connection?.source.bus ?? 0)
        }
        return self.node(core).map { AVAudioConnectionPoint(node: $0, bus: sourceBus) }
    }

    func destinations(
        of node: AVAudioNode, outputBus bus: AVAudioNodeBus
    ) -> [AVAudioConnectionPoint] {
        guard let id = try? place(of: node) else { return [] }
        let ends = control.state.withLock { state in
            state.graph.connections(from: id).filter { $0.source.bus == bus }.map {
                (core: state.nodes[$0.destination.node], bus: $0.destination.bus)
            }
        }
        return ends.compactMap { end in
            self.node(end.core).map { AVAudioConnectionPoint(node: $0, bus: end.bus) }
        }
    }

    // MARK: Helpers

    private func place(of node: AVAudioNode) throws -> NodeID {
        guard let place = node.core.place, place.control === control else {
            throw NSError.audio(
                kAudioUnitErr_InvalidParameter,
                "The \(node.core.name) node is not attached to this engine: attach it before you connect it.")
        }
        return place.id
    }

    /// Changes the graph around a node, if that is here.
    func edit(
        _ node: AVAudioNode, _ body: (inout EngineController.State, NodeID) throws(GraphError) -> Void
    ) {
        guard let id = try? place(of: node) else { return }
        // To break what is not there is no fault.
        try? control.edit { state throws(GraphError) in try body(&state, id) }
    }
}
