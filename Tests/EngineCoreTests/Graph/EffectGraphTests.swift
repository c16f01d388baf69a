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
        let e = try bench.graph.attach(.effect, name: "e", format: GraphBench.stereo)
        let f = try bench.graph.attach(.effect, name: "f", format: GraphBench.stereo)
        for (from, to) in [(a, e), (e, f), (f, m), (m, bench.output)] { try bench.connect(from, to) }
        #expect(bench.rows == [[1, 0], [0, 1]])
        #expect(bench.plan.sources == [.init(node: a, channels: 2)])
        #expect(bench.graph.effects(behind: a).map(\.id) == [e, f])
        #expect(bench.graph.effects(behind: m) == [])
    }

    @Test func mixing_ofASource_holdsWhereAMixerTakesTheEffect() throws {
        var bench = try GraphBench()
        let (a, m) = (try bench.source("a", GraphBench.mono), try bench.mixer())
        let e = try bench.graph.attach(.effect, name: "e", format: GraphBench.mono)
        for (from, to) in [(a, e), (e, m), (m, bench.output)] { try bench.connect(from, to) }
        try bench.graph.setMixing(Mixing(volume: 0.5, pan: -1), of: a)
        #expect(bench.rows == [[0.5], [0]])
        #expect(bench.graph.firstConnection(into: NodeBus(m))?.source.node == a)
    }

    @Test func listener_behindAnEffect_hearsTheSource() throws {
        var bench = try GraphBench()
        let a = try bench.source("a", GraphBench.mono)
        let e = try bench.graph.attach(.effect, name: "e", format: GraphBench.stereo)
        try bench.connect(a, e)
        try bench.connect(e, bench.output)
        try bench.graph.setTapped(true, e)
        // A mono sound on both channels, as in front of a stereo mixer.
        #expect(bench.rows == [[1], [1], [1], [1]])
    }

    @Test func effect_withoutOneSourceOfItsOwn_isRefused() throws {
        var bench = try GraphBench()
        let (a, m, n) = (try bench.source(), try bench.mixer("m"), try bench.mixer("n"))
        let e = try bench.graph.attach(.effect, name: "e", format: GraphBench.stereo)
        let f = try bench.graph.attach(.effect, name: "f", format: GraphBench.stereo)
        let before = bench.graph
        refused(.effectBehindMixer(effect: "the effect \"e\"", mixer: "the mixer \"m\"")) { try bench.connect(m, e) }
        refused(.effectBesideOthers(effect: "the effect \"e\"", source: "the source \"a\"")) {
            try bench.graph.connect(NodeBus(a), to: [NodeBus(m), NodeBus(e)])
        }
        refused(.effectBesideOthers(effect: "the effect \"f\"", source: "the effect \"e\"")) {
            try bench.graph.connect(NodeBus(e), to: [NodeBus(f), NodeBus(m)])
        }
        #expect(bench.graph == before)
        try bench.connect(a, e)
        // Behind the last effect there may be several.
        try bench.graph.connect(NodeBus(e), to: [NodeBus(m), NodeBus(n)])
        try bench.graph.validate(requiresOutput: false)
    }

    @Test func source_connectedElsewhere_leavesItsEffect() throws {
        var bench = try GraphBench()
        let (a, m) = (try bench.source(), try bench.mixer())
        let e = try bench.graph.attach(.effect, name: "e", format: GraphBench.stereo)
        for (from, to) in [(a, e), (e, m), (m, bench.output), (a, m)] { try bench.connect(from, to) }
        #expect(bench.graph.effects(behind: a) == [])
        #expect(bench.rows == [[1, 0], [0, 1]])
    }
}
