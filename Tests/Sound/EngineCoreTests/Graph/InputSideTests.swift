import AudioModel
import EngineCore
import Testing

@Suite struct InputSideTests {
    private var bench: GraphBench
    private let input: NodeID
    private let sink: NodeID

    init() throws {
        bench = try GraphBench()
        input = try bench.source("input")
        sink = try bench.graph.attach(.sink, name: "sink", format: GraphBench.stereo)
    }

    @Test func sinks_hearTheInput_asTheirChainHasIt() throws {
        var bench = bench
        let mixer = try bench.mixer("m", GraphBench.mono)
        let far = try bench.graph.attach(.sink, name: "far", format: GraphBench.stereo)
        let loose = try bench.graph.attach(.sink, name: "loose", format: GraphBench.stereo)
        try bench.graph.connect(NodeBus(input), to: [NodeBus(sink), NodeBus(mixer)])
        try bench.connect(mixer, far)
        try bench.graph.setOutputVolume(0.5, of: mixer)
        // What else there is changes nothing.
        let player = try bench.source("player")
        try bench.connect(player, bench.output)
        try bench.graph.setTapped(true, input)
        try bench.graph.setTapped(true, player)
        let plan = inputPlan(bench.graph)
        #expect(plan.sources.map(\.node) == [input])
        #expect(plan.listeners.map(\.node) == [sink, far])
        #expect(plan.listeners.map(\.channels) == [2, 1])
        #expect(plan.matrix == [1, 0, 0, 1, 0.25, 0.25])
        #expect(bench.graph.contains(loose))
        try bench.graph.validateSinks(input: input, usesOutput: true)
    }

    /// What the input's clock runs.
    private func inputPlan(_ graph: EngineGraph, usesOutput: Bool = true) -> MixPlan {
        let side = graph.inputSide(of: input, usesOutput: usesOutput)
        return PlanCompiler.compile(graph.inputPart(side, input: input))
    }

    private func outputPlan(_ graph: EngineGraph, usesOutput: Bool = true) -> MixPlan {
        let side = graph.inputSide(of: input, usesOutput: usesOutput)
        return PlanCompiler.compile(graph.outputPart(without: side, input: input))
    }

    /// Its way to a sink is the input's; its way to the output is not.
    @Test func processor_isOnOneSide() throws {
        var bench = bench
        let processor = try bench.graph.attach(.processor, name: "eq", format: GraphBench.stereo)
        let mixer = try bench.mixer()
        try bench.connect(input, processor)
        try bench.graph.connect(NodeBus(processor), to: [NodeBus(sink)])
        #expect(inputPlan(bench.graph).steps.map(\.node) == [processor])
        #expect(outputPlan(bench.graph).steps.isEmpty)
        try bench.graph.validateSinks(input: input, usesOutput: true)
        try bench.graph.connect(NodeBus(processor), to: [NodeBus(sink), NodeBus(mixer)])
        try bench.connect(mixer, bench.output)
        #expect(inputPlan(bench.graph).steps.isEmpty)
        #expect(outputPlan(bench.graph).steps.map(\.node) == [processor])
        #expect(
            throws: GraphError.sinkBehindPlayedProcessor(node: "the sink \"sink\"", processor: "the effect \"eq\"")
        ) {
            try bench.graph.validateSinks(input: input, usesOutput: true)
        }
        // No output, one clock.
        try bench.graph.validateSinks(input: input, usesOutput: false)
        #expect(inputPlan(bench.graph, usesOutput: false).steps.map(\.node) == [processor])
    }

    /// A tap is on the output's clock where there is one.
    @Test func tapBehindAProcessor_isOnTheInputsSide_withoutAnOutput() throws {
        var bench = bench
        let processor = try bench.graph.attach(.processor, name: "eq", format: GraphBench.stereo)
        try bench.connect(input, processor)
        try bench.graph.setTapped(true, processor)
        try bench.graph.setTapped(true, input)
        for usesOutput in [false, true] {
            let plans = [
                inputPlan(bench.graph, usesOutput: usesOutput), outputPlan(bench.graph, usesOutput: usesOutput),
            ]
            #expect(plans.map { $0.listeners.count } == (usesOutput ? [0, 1] : [1, 0]))
            #expect(plans.map { $0.steps.count } == (usesOutput ? [0, 1] : [1, 0]))
        }
    }

    @Test func outputsPart_hasNeitherSinksNorTheInputsTap() throws {
        var bench = bench
        let mixer = try bench.mixer()
        try bench.graph.connect(NodeBus(input), to: [NodeBus(sink), NodeBus(mixer)])
        try bench.connect(mixer, bench.output)
        try bench.graph.setTapped(true, input)
        try bench.graph.setTapped(true, mixer)
        let plan = outputPlan(bench.graph)
        #expect(plan.sources.map(\.node) == [input])
        #expect(plan.listeners.map(\.node) == [mixer])
    }

    /// At every step of a graph that comes and goes.
    @Test func input_isRendered_whereTheOutputsPlanHasIt() throws {
        var bench = bench
        let mixer = try bench.mixer()
        var answers: [Bool] = []
        func look() {
            let plan = outputPlan(bench.graph)
            let isRendered = bench.graph.isRendered(input)
            #expect(isRendered == plan.sources.contains { $0.node == input })
            answers.append(isRendered)
        }
        look()
        try bench.graph.setTapped(true, input)
        try bench.graph.connect(NodeBus(input), to: [NodeBus(sink), NodeBus(mixer)])
        look()
        try bench.graph.setTapped(true, mixer)
        look()
        try bench.graph.setTapped(false, mixer)
        try bench.connect(mixer, bench.output)
        look()
        try bench.graph.disconnectInputs(of: mixer)
        look()
        #expect(answers == [false, false, true, true, false])
    }

    @Test func sink_fedByAnotherSource_orAtAnotherRate_isRefused() throws {
        var bench = bench
        let player = try bench.source("player")
        try bench.connect(player, sink)
        #expect(throws: GraphError.sinkNotFedByInput(node: "the sink \"sink\"")) {
            try bench.graph.validateSinks(input: input, usesOutput: true)
        }
        let mixer = try bench.mixer("m", StreamFormat(sampleRate: 2000, channels: [.mono]))
        try bench.connect(input, mixer)
        try bench.connect(mixer, sink)
        #expect(throws: GraphError.sinkNotFedByInput(node: "the sink \"sink\"")) {
            try bench.graph.validateSinks(input: input, usesOutput: true)
        }
        #expect(throws: GraphError.self) { try bench.graph.validateSinks(input: nil, usesOutput: true) }
        try bench.graph.setFormat(GraphBench.mono, of: mixer)
        try bench.graph.validateSinks(input: input, usesOutput: true)
    }
}
