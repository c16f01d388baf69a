import AudioModel
import EngineCore
import Testing

@Suite struct SinkPlanTests {
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
        let plans = bench.graph.sinkPlans(input: input)
        #expect(plans.map(\.node) == [sink, far])
        #expect(plans.map(\.format) == [GraphBench.stereo, GraphBench.mono])
        #expect(plans.map(\.matrix) == [[1, 0, 0, 1], [0.25, 0.25]])
        #expect(bench.graph.contains(loose))
        try bench.graph.validateSinks(input: input)
    }

    @Test func outputsPart_hasNeitherSinksNorTheInputsTap() throws {
        var bench = bench
        let mixer = try bench.mixer()
        try bench.graph.connect(NodeBus(input), to: [NodeBus(sink), NodeBus(mixer)])
        try bench.connect(mixer, bench.output)
        try bench.graph.setTapped(true, input)
        try bench.graph.setTapped(true, mixer)
        let plan = PlanCompiler.compile(bench.graph.withoutInputListeners(input))
        #expect(plan.sources.map(\.node) == [input])
        #expect(plan.listeners.map(\.node) == [mixer])
    }

    /// At every step of a graph that comes and goes.
    @Test func input_isRendered_whereTheOutputsPlanHasIt() throws {
        var bench = bench
        let mixer = try bench.mixer()
        var answers: [Bool] = []
        func look() {
            let plan = PlanCompiler.compile(bench.graph.withoutInputListeners(input))
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
            try bench.graph.validateSinks(input: input)
        }
        let mixer = try bench.mixer("m", StreamFormat(sampleRate: 2000, channels: [.mono]))
        try bench.connect(input, mixer)
        try bench.connect(mixer, sink)
        #expect(throws: GraphError.sinkNotFedByInput(node: "the sink \"sink\"")) {
            try bench.graph.validateSinks(input: input)
        }
        #expect(throws: GraphError.self) { try bench.graph.validateSinks(input: nil) }
        try bench.graph.setFormat(GraphBench.mono, of: mixer)
        try bench.graph.validateSinks(input: input)
    }
}
