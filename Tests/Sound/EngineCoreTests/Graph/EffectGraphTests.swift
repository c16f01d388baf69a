import AudioModel
import EngineCore
import Testing

/// Effects in a graph: where they may be, and what they leave of a plan.
@Suite struct EffectGraphTests {
    private func refused(_ expected: GraphError, _ edit: () throws -> Void) {
        let error = #expect(throws: GraphError.self) { try edit() }
        #expect(error == expected)
    }

    @Test func plan_throughEffects_isTheSourceAsItIs() throws {
        var bench = try GraphBench()
        let (a, m) = (try bench.source(), try bench.mixer())
        let e = try bench.graph.attach(.timeEffect, name: "e", format: GraphBench.stereo)
        let f = try bench.graph.attach(.timeEffect, name: "f", format: GraphBench.stereo)
        for (from, to) in [(a, e), (e, f), (f, m), (m, bench.output)] { try bench.connect(from, to) }
        #expect(bench.rows == [[1, 0], [0, 1]])
        #expect(bench.plan.sources == [.init(node: a, channels: 2)])
        #expect(bench.graph.timeEffects(behind: a).map(\.id) == [e, f])
        #expect(bench.graph.timeEffects(behind: m) == [])
    }

    @Test func mixing_ofASource_holdsWhereAMixerTakesTheEffect() throws {
        var bench = try GraphBench()
        let (a, m) = (try bench.source("a", GraphBench.mono), try bench.mixer())
        let e = try bench.graph.attach(.timeEffect, name: "e", format: GraphBench.mono)
        for (from, to) in [(a, e), (e, m), (m, bench.output)] { try bench.connect(from, to) }
        try bench.graph.setMixing(Mixing(volume: 0.5, pan: -1), of: a)
        #expect(bench.rows == [[0.5], [0]])
        #expect(bench.graph.firstConnection(into: NodeBus(m))?.source.node == a)
    }

    @Test func listener_behindAnEffect_hearsTheSource() throws {
        var bench = try GraphBench()
        let a = try bench.source("a", GraphBench.mono)
        let e = try bench.graph.attach(.timeEffect, name: "e", format: GraphBench.stereo)
        try bench.connect(a, e)
        try bench.connect(e, bench.output)
        try bench.graph.setTapped(true, e)
        // A mono sound on both channels, as in front of a stereo mixer.
        #expect(bench.rows == [[1], [1], [1], [1]])
    }

    @Test func effect_besideOtherWays_isRefused() throws {
        var bench = try GraphBench()
        let (a, m, n) = (try bench.source(), try bench.mixer("m"), try bench.mixer("n"))
        let e = try bench.graph.attach(.timeEffect, name: "e", format: GraphBench.stereo)
        let f = try bench.graph.attach(.timeEffect, name: "f", format: GraphBench.stereo)
        func refuses(_ edit: (inout EngineGraph) throws(GraphError) -> Void, _ effect: String, _ source: String) throws
        {
            var graph = bench.graph
            try edit(&graph)
            refused(.timeEffectBesideOthers(effect: effect, source: source)) { try graph.checkWaysToTimeEffects() }
            refused(.timeEffectBesideOthers(effect: effect, source: source)) {
                try graph.validate(requiresOutput: false)
            }
        }
        try refuses(
            { graph throws(GraphError) in try graph.connect(NodeBus(a), to: [NodeBus(m), NodeBus(e)]) },
            "the effect \"e\"", "the source \"a\"")
        try refuses(
            { graph throws(GraphError) in try graph.connect(NodeBus(e), to: [NodeBus(f), NodeBus(m)]) },
            "the effect \"f\"", "the effect \"e\"")
        // Nor may what lies before a mixer in front of it.
        try bench.connect(m, e)
        try refuses(
            { graph throws(GraphError) in try graph.connect(NodeBus(a), to: [NodeBus(m), NodeBus(n)]) },
            "the effect \"e\"", "the source \"a\"")
        try bench.connect(a, e)
        // Behind the last effect there may be several.
        try bench.graph.connect(NodeBus(e), to: [NodeBus(m), NodeBus(n)])
        try bench.graph.validate(requiresOutput: false)
    }

    @Test func effectBehindAMixer_splitsTheGraph() throws {
        var bench = try GraphBench()
        let (a, b, c) = (try bench.source("a"), try bench.source("b", GraphBench.mono), try bench.source("c"))
        let (m, n) = (try bench.mixer("m"), try bench.mixer("n"))
        let e = try bench.graph.attach(.timeEffect, name: "e", format: GraphBench.stereo)
        let f = try bench.graph.attach(.timeEffect, name: "f", format: GraphBench.stereo)
        for (from, to) in [(a, m), (b, m), (m, e), (e, f), (f, n), (c, n), (n, bench.output)] {
            try bench.connect(from, to)
        }
        try bench.graph.setMixing(Mixing(volume: 0.5), of: b)
        try bench.graph.setMixing(Mixing(volume: 0.25), of: m)
        let parts = bench.graph.parts(input: nil)
        #expect(parts.map(\.timeEffect) == [nil, e])
        let (whole, before) = (PlanCompiler.compile(parts[0].graph), PlanCompiler.compile(parts[1].graph))
        #expect(whole.sources.map(\.node) == [c, e])
        // What was set on the mixer holds where the next one takes it, behind the effects.
        #expect((0..<2).map { whole.row($0) } == [[1, 0, 0.25, 0], [0, 1, 0, 0.25]])
        #expect(before.sources.map(\.node) == [a, b])
        #expect((0..<2).map { before.row($0) } == [[1, 0, 0.5], [0, 1, 0.5]])
        #expect(parts[0].graph.timeEffects(behind: e).map(\.id) == [f])
    }

    @Test func effectOfTheInput_splitsTheGraph_andThatOfAPlayerDoesNot() throws {
        var bench = try GraphBench()
        let a = try bench.source("a", GraphBench.mono)
        let e = try bench.graph.attach(.timeEffect, name: "e", format: GraphBench.stereo)
        for (from, to) in [(a, e), (e, bench.output)] { try bench.connect(from, to) }
        #expect(bench.graph.parts(input: nil).map(\.graph) == [bench.graph])
        let parts = bench.graph.parts(input: a)
        #expect(parts.map(\.timeEffect) == [nil, e])
        #expect(PlanCompiler.compile(parts[1].graph).matrix == [1, 1])
    }

    @Test func effectsBehindMixersInARow_areAPartEach() throws {
        var bench = try GraphBench()
        let a = try bench.source("a")
        let (m, n) = (try bench.mixer("m"), try bench.mixer("n"))
        let e = try bench.graph.attach(.timeEffect, name: "e", format: GraphBench.stereo)
        let f = try bench.graph.attach(.timeEffect, name: "f", format: GraphBench.stereo)
        for (from, to) in [(a, m), (m, e), (e, n), (n, f), (f, bench.output)] { try bench.connect(from, to) }
        let parts = bench.graph.parts(input: nil)
        #expect(parts.map(\.timeEffect) == [nil, e, f])
        #expect(parts.map { PlanCompiler.compile($0.graph).sources.map(\.node) } == [[f], [a], [e]])
    }

    @Test func source_connectedElsewhere_leavesItsEffect() throws {
        var bench = try GraphBench()
        let (a, m) = (try bench.source(), try bench.mixer())
        let e = try bench.graph.attach(.timeEffect, name: "e", format: GraphBench.stereo)
        for (from, to) in [(a, e), (e, m), (m, bench.output), (a, m)] { try bench.connect(from, to) }
        #expect(bench.graph.timeEffects(behind: a) == [])
        #expect(bench.rows == [[1, 0], [0, 1]])
    }
}
