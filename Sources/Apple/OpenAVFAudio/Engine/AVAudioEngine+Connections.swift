internal import AudioRuntime
internal import EngineCore
public import Foundation

// What the engine's methods come to, all of which an app may override.
extension AVAudioEngine {
    /// Connects output 0 to input 0, or to the next free input of a mixer.
    func join(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) throws {
        let target = try place(of: node2)
        do {
            let point = AVAudioConnectionPoint(
                node: node2, bus: try control.graph.nextAvailableInputBus(of: target))
            try join(node1, to: [point], fromBus: 0, format: format)
        } catch let error as GraphError {
            throw NSError.audio(error)
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
            return NodeBus(try place(of: node), bus: point.bus)
        }
        let format = try checked(format, for: sourceNode)
        do throws(GraphError) {
            try control.connect(source, to: destinations, format: format.map { StreamFormat($0) })
        } catch {
            throw NSError.audio(error)
        }
        if let format { sourceNode.setFormat(format) }
    }

    private func checked(_ format: AVAudioFormat?, for source: AVAudioNode) throws -> AVAudioFormat? {
        let own = source.outputFormat(forBus: 0)
        let used = source is AVAudioInputNode && own.channelCount == 0 ? own : format ?? own
        guard used.isLinearPCM, used.channelCount > 0, used.sampleRate > 0 else {
            throw NSError.audio(
                kAudioUnitErr_FormatNotSupported,
                "A connection cannot have the format \(used): give linear PCM with at least one channel and a rate above "
                    + "0 Hz. A device that is not there has neither; look at its format before you connect it.")
        }
        if let format, source is AVAudioInputNode,
            format.channelCount != own.channelCount || format.sampleRate != own.sampleRate
        {
            throw NSError.audio(
                kAudioUnitErr_FormatNotSupported,
                "The input node cannot be connected as \(format): its format is the device's, \(own). Give that or nil, and set "
                    + "its channel map for other channels.")
        }
        return format
    }

    // MARK: Helpers

    func point(at bus: NodeBus) -> AVAudioConnectionPoint? {
        node(at: bus.node).map { AVAudioConnectionPoint(node: $0, bus: bus.bus) }
    }

    func place(of node: AVAudioNode) throws -> NodeID {
        guard let place = node.core.place, place.control === control else {
            throw NSError.audio(
                kAudioUnitErr_InvalidParameter,
                "The \(node.core.name) node is not attached to this engine: attach it before you connect it.")
        }
        return place.id
    }

    /// Changes the graph around a node, if that is here.
    func edit(
        _ node: AVAudioNode, _ body: (inout EngineGraph, NodeID) throws(GraphError) -> Void
    ) {
        guard let id = try? place(of: node) else { return }
        // To break what is not there is no fault.
        try? control.editGraph { graph throws(GraphError) in try body(&graph, id) }
    }
}

/// One bus of a node, for connections from one node to several.
///
/// Source: SDK header AVAudioConnectionPoint.h.
open class AVAudioConnectionPoint: NSObject {
    /// Nil once the node is gone.
    public private(set) weak var node: AVAudioNode?
    /// The number of the node's input or output, from 0.
    public let bus: AVAudioNodeBus

    /// A point at a bus of a node; whether the bus exists is checked when it is connected.
    public init(node: AVAudioNode, bus: AVAudioNodeBus) {
        self.node = node
        self.bus = bus
        super.init()
    }
}
