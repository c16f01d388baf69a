import AudioModel
import EngineCore
import TestSupport
import Testing

/// Any graph sounds as it would if each node were worked out by itself.
@Suite struct EnginePropertyTests {
    private static let layouts: [[ChannelLabel]] = [
        [.mono], [.left, .right], ChannelLabel.standard(count: 4), ChannelLabel.standard(count: 6),
        [.discrete(0), .discrete(1), .discrete(2)], [.left, .right, .left, .right, .mono],
    ]

    @Test(arguments: 1...150 as ClosedRange<UInt64>)
    func graph_ofAnyShape_soundsLikeTheReference(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        func layout() -> [ChannelLabel] { Self.layouts.randomElement(using: &random) ?? [.mono] }
        let frames = 9
        let bench = try EngineBench(device: layout())
        var inputs: [NodeID: [[Double]]] = [:]
        var nodes: [NodeID] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let channels = layout()
            let samples = (0..<frames * channels.count).map { _ in Float.random(in: -1...1, using: &random) }
            let id = try bench.source(channels, playing: samples)
            inputs[id] = (0..<frames).map { frame in
                channels.indices.map { Double(samples[frame * channels.count + $0]) }
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                let map = channels.indices.map { _ in Int.random(in: -1..<channels.count, using: &random) }
                try bench.graph.setChannelMap(map, of: id)
            }
            nodes.append(id)
        }
        /// Between some of the nodes that there are and those to come.
        func addProcessor() throws {
            let unit = SumUnit(
                inputCount: [1, 2, 3, nil].randomElement(using: &random) ?? 1,
                feedback: Float(Int.random(in: -2...2, using: &random)) / 4)
            let processor = try bench.processor(unit, layout())
            let node = try bench.graph.node(processor)
            for bus in 0..<(node.inputCount ?? 4) where Int.random(in: 0..<4, using: &random) > 0 {
                guard let source = nodes.randomElement(using: &random) else { continue }
                let others = bench.graph.connections(from: source).map(\.destination)
                try bench.graph.connect(NodeBus(source), to: others + [NodeBus(processor, bus: bus)])
            }
            nodes.append(processor)
        }
        if Bool.random(using: &random) { try addProcessor() }
        // Each mixer takes from some of the nodes before it, so there is no cycle.
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let mixer = try bench.mixer(layout())
            for node in nodes where Bool.random(using: &random) {
                let bus = NodeBus(mixer, bus: try bench.graph.nextAvailableInputBus(of: mixer))
                let others = bench.graph.connections(from: node).map(\.destination)
                try bench.graph.connect(NodeBus(node), to: others + [bus])
                let mixing = Mixing(
                    volume: Float(Int.random(in: 0...4, using: &random)) / 4,
                    pan: Float(Int.random(in: -4...4, using: &random)) / 4)
                try bench.graph.setMixing(mixing, of: node, at: bus)
            }
            try bench.graph.setOutputVolume(Float(Int.random(in: 0...4, using: &random)) / 4, of: mixer)
            nodes.append(mixer)
            if Int.random(in: 0..<2, using: &random) == 0 { try addProcessor() }
        }
        let last = nodes[nodes.count - 1]
        let others = bench.graph.connections(from: last).map(\.destination)
        try bench.graph.connect(NodeBus(last), to: others + [NodeBus(bench.output)])
        if Bool.random(using: &random) {
            let channels = try bench.graph.node(last).format.channels.count
            let map = try bench.graph.node(bench.output).format.channels.map { _ in
                Int.random(in: -1..<channels, using: &random)
            }
            try bench.graph.setChannelMap(map, of: bench.output)
        }
        let tapped = nodes.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        for node in tapped { try bench.graph.setTapped(true, node) }
        for node in nodes where Int.random(in: 0..<8, using: &random) == 0 {
            try bench.graph.setMuted(true, of: node)
        }
        try bench.graph.validate()
        try bench.publish()
        let reference = ReferenceMixer(graph: bench.graph, inputs: inputs, frames: frames, units: bench.units)

        // Six sources of up to six channels, each summed over few ways at gains up to 4: 40 roundings below 32. A processor
        // doubles, and there are up to six in a row.
        let tolerance = 40 * 32 * Double(Float.ulpOfOne) / 2 * (bench.units.isEmpty ? 1 : 64)
        // In two cycles: processors remember.
        let (first, second) = (try bench.render(4), try bench.render(frames - 4))
        let rendered = zip(first, second).map { $0 + $1 }
        for (index, frame) in try reference.output().enumerated() {
            for (channel, sample) in frame.enumerated() {
                #expect(abs(Double(rendered[channel][index]) - sample) < tolerance, "seed \(seed)")
            }
        }
        for node in tapped {
            let expected = try reference.leaving(try bench.graph.node(node)).flatMap { $0 }
            let heard = bench.heard(node).flatMap(\.samples)
            #expect(heard.count == expected.count)
            #expect(zip(heard, expected).allSatisfy { abs(Double($0) - $1) < tolerance }, "seed \(seed)")
        }
    }
}
