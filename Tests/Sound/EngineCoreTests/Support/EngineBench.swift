import AudioModel
import EngineCore
import RenderBench

/// A graph, its renderer at 1 kHz (ramps of five frames), and a feed for each source and listener.
final class EngineBench {
    let engine: EngineRenderer
    var graph = EngineGraph()
    let output: NodeID
    private(set) var sources: [NodeID: SourceFeed] = [:]
    private(set) var taps: [NodeID: TapFeed] = [:]
    private(set) var units: [NodeID: SumUnit] = [:]
    private(set) var slots: [NodeID: ProcessorSlot] = [:]

    init(device: [ChannelLabel] = [.left, .right], sampleRate: Double = 1000, maximumFrames: Int = 64) throws {
        engine = EngineRenderer(sampleRate: sampleRate, maximumFrames: maximumFrames)
        output = try graph.attach(.output, name: "out", format: StreamFormat(sampleRate: sampleRate, channels: device))
    }

    func source(_ channels: [ChannelLabel], playing samples: [Float] = []) throws -> NodeID {
        let id = try graph.attach(
            .source, name: "source", format: StreamFormat(sampleRate: engine.sampleRate, channels: channels))
        let feed = engine.makeSource(channels: channels.count, readAheadSeconds: 1)
        sources[id] = feed
        write(samples, to: id)
        feed.play()
        return id
    }

    func write(_ samples: [Float], to id: NodeID) {
        _ = samples.withUnsafeBufferPointer { sources[id]?.write(interleaved: $0) }
    }

    func mixer(_ channels: [ChannelLabel] = [.left, .right]) throws -> NodeID {
        try graph.attach(
            .mixer, name: "mixer", format: StreamFormat(sampleRate: engine.sampleRate, channels: channels))
    }

    func processor(_ unit: SumUnit, _ channels: [ChannelLabel] = [.left, .right]) throws(GraphError) -> NodeID {
        let format = StreamFormat(sampleRate: engine.sampleRate, channels: channels)
        let id = try graph.attach(.processor, name: "processor", format: format, inputCount: unit.inputCount)
        units[id] = unit
        return id
    }

    func state(of id: NodeID) -> SumProcessor.State? { (slots[id]?.unit as? SumProcessor)?.state.pointee }

    func change(_ id: NodeID, _ body: (inout SumProcessor.State) -> Void) {
        if let processor = slots[id]?.unit as? SumProcessor { body(&processor.state.pointee) }
    }

    func connect(_ source: NodeID, _ destination: NodeID) throws {
        try graph.connect(
            NodeBus(source), to: NodeBus(destination, bus: graph.nextAvailableInputBus(of: destination)))
    }

    func forget(_ id: NodeID) {
        sources[id] = nil
        taps[id] = nil
        units[id] = nil
        slots[id] = nil
    }

    /// Keeps the processor of a node as long as its shape stays.
    private func slot(_ id: NodeID) throws -> ProcessorSlot {
        let node = try graph.node(id)
        let shape = ProcessorShape(
            inputs: graph.inputFormats(of: node), output: node.format, maximumFrames: engine.maximumFrames)
        if let slot = slots[id], slot.shape == shape { return slot }
        guard let unit = units[id] else { throw GraphError.notAttached(id) }
        let slot = engine.makeProcessor(try unit.makeProcessor(shape), shape)
        slots[id] = slot
        return slot
    }

    func publish() throws {
        let plan = PlanCompiler.compile(graph)
        for listener in plan.listeners where taps[listener.node]?.channels != listener.channels {
            taps[listener.node] = engine.makeTap(channels: listener.channels, capacitySeconds: 1)
        }
        for (source, feed) in zip(plan.sources, plan.sources.compactMap { sources[$0.node] }) {
            precondition(source.channels == feed.channels)
        }
        engine.publish(
            sources: plan.sources.map { sources[$0.node] ?? engine.makeSource(channels: 1, readAheadSeconds: 0) },
            processors: try plan.steps.map { try slot($0.node) },
            taps: plan.listeners.map { taps[$0.node] ?? engine.makeTap(channels: 1, capacitySeconds: 0) },
            outputChannels: plan.outputChannels, matrix: plan.matrix)
    }

    func render(_ frames: Int, outputs: Int? = nil, isGated: Bool = false) throws -> [[Float]] {
        let count = try outputs ?? graph.node(output).format.channels.count
        return RenderBench.cycle(
            engine.renderer, outputs: count, frames: frames, isGated: isGated, hostTimeNanoseconds: 7)
    }

    struct Heard: Equatable {
        var sampleTime: Int64
        var samples: [Float]
    }

    func heard(_ id: NodeID) -> [Heard] {
        var blocks: [Heard] = []
        taps[id]?.drain { blocks.append(Heard(sampleTime: $0.sampleTime, samples: Array($1))) }
        return blocks
    }
}
