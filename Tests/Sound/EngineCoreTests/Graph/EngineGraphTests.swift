import AudioModel
import EngineCore
import Testing

@Suite struct EngineGraphTests {
    /// Runs an edit that must be refused, and checks that it left nothing behind; returns why.
    private func refused(
        _ bench: inout GraphBench, _ edit: (inout EngineGraph) throws -> Void
    ) -> GraphError? {
        let before = bench.graph
        defer { #expect(bench.graph == before) }
        do {
            try edit(&bench.graph)
            Issue.record("the edit was not refused")
            return nil
        } catch {
            return error as? GraphError
        }
    }

    @Test func connect_toAMixer_takesTheNextFreeBus() throws {
        var bench = try GraphBench()
        let (a, b, c, m) = (try bench.source("a"), try bench.source("b"), try bench.source("c"), try bench.mixer())
        for node in [a, b, c] { try bench.connect(node, m) }
        #expect(bench.graph.connections(into: m).map(\.source.node) == [a, b, c])
        try bench.graph.disconnectInput(NodeBus(m, bus: 1))
        #expect(try bench.graph.nextAvailableInputBus(of: m) == 1)
        #expect(try bench.graph.nextAvailableInputBus(of: bench.output) == 0)
    }

    @Test func connect_onATakenBus_breaksTheOlderConnection() throws {
        var bench = try GraphBench()
        let (a, b) = (try bench.source("a"), try bench.source("b"))
        try bench.connect(a, bench.output)
        try bench.connect(b, bench.output)
        #expect(bench.graph.connections.map(\.source.node) == [b])
    }

    @Test func connect_fromAConnectedBus_breaksTheOlderConnections() throws {
        var bench = try GraphBench()
        let (a, m, n) = (try bench.source(), try bench.mixer("m"), try bench.mixer("n"))
        try bench.graph.connect(NodeBus(a), to: [NodeBus(m), NodeBus(n)])
        try bench.graph.setMixing(Mixing(volume: 0.5), of: a, at: NodeBus(n))
        try bench.graph.connect(NodeBus(a), to: [NodeBus(n), NodeBus(m, bus: 1)])
        #expect(bench.graph.connections(from: a).map(\.destination) == [NodeBus(n), NodeBus(m, bus: 1)])
        // Kept where the connection was kept.
        #expect(bench.graph.connections(from: a).map(\.mixing.volume) == [0.5, 1])
    }

    @Test func connect_withAFormat_setsThatOfTheSource() throws {
        var bench = try GraphBench()
        let a = try bench.source()
        try bench.graph.connect(NodeBus(a), to: NodeBus(bench.output), format: GraphBench.mono)
        #expect(bench.graph.inputFormat(NodeBus(bench.output)) == GraphBench.mono)
    }

    @Test func detach_takesTheConnectionsAlong() throws {
        var bench = try GraphBench()
        let (a, m) = (try bench.source(), try bench.mixer())
        try bench.connect(a, m)
        try bench.connect(m, bench.output)
        try bench.graph.detach(m)
        #expect(bench.graph.connections.isEmpty)
        #expect(refused(&bench) { try $0.detach(m) } == .notAttached(m))
    }

    @Test func mixing_setOnANode_isForAllItsConnections() throws {
        var bench = try GraphBench()
        let (a, m, n) = (try bench.source(), try bench.mixer("m"), try bench.mixer("n"))
        try bench.graph.setMixing(Mixing(volume: 0.5), of: a)
        try bench.graph.connect(NodeBus(a), to: [NodeBus(m), NodeBus(n)])
        #expect(bench.graph.connections.map(\.mixing.volume) == [0.5, 0.5])
        try bench.graph.setMixing(Mixing(volume: 0.25), of: a)
        #expect(bench.graph.connections.map(\.mixing.volume) == [0.25, 0.25])
    }

    // MARK: Refusals

    @Test func cycle_isRefusedAndNamed() throws {
        var bench = try GraphBench()
        let (m, n) = (try bench.mixer("m"), try bench.mixer("n"))
        try bench.connect(m, n)
        let error = refused(&bench) { try $0.connect(NodeBus(n), to: NodeBus(m)) }
        #expect(error == .cycle(nodes: ["the mixer \"n\"", "the mixer \"m\"", "the mixer \"n\""]))
        #expect(refused(&bench) { try $0.connect(NodeBus(m), to: NodeBus(m, bus: 3)) } != nil)
    }

    @Test func connection_thatCanNotBe_isRefused() throws {
        var bench = try GraphBench()
        let (a, m) = (try bench.source(), try bench.mixer())
        let (out, missing) = (bench.output, try EngineGraph().missingNode())
        #expect(
            refused(&bench) { try $0.connect(NodeBus(out), to: NodeBus(m)) } == .noOutputBus(node: "the output \"out\"")
        )
        #expect(refused(&bench) { try $0.connect(NodeBus(m), to: NodeBus(a)) } == .noInputBus(node: "the source \"a\""))
        #expect(
            refused(&bench) { try $0.connect(NodeBus(a, bus: 1), to: NodeBus(m)) }
                == .busOutOfRange(node: "the source \"a\"", side: .output, bus: 1, count: 1))
        #expect(
            refused(&bench) { try $0.connect(NodeBus(a), to: NodeBus(out, bus: 1)) }
                == .busOutOfRange(node: "the output \"out\"", side: .input, bus: 1, count: 1))
        #expect(
            refused(&bench) { try $0.connect(NodeBus(a), to: NodeBus(m, bus: -1)) }
                == .busOutOfRange(node: "the mixer \"m\"", side: .input, bus: -1, count: nil))
        #expect(
            refused(&bench) { try $0.connect(NodeBus(a), to: [NodeBus(m), NodeBus(m)]) }
                == .repeatedDestination(node: "the mixer \"m\"", bus: 0))
        #expect(refused(&bench) { try $0.connect(NodeBus(a), to: NodeBus(missing)) } == .notAttached(missing))
        let silent = StreamFormat(sampleRate: 0, channels: [])
        #expect(
            refused(&bench) { try $0.connect(NodeBus(a), to: NodeBus(m), format: silent) }
                == .invalidFormat(node: "the source \"a\"", silent))
        #expect(
            refused(&bench) { _ = try $0.attach(.output, name: "second", format: GraphBench.mono) }
                == .secondOutput(node: "the output \"out\""))
    }

    @Test(arguments: [-0.5, .nan, .infinity] as [Float]) func volume_withoutMeaning_isRefused(volume: Float) throws {
        var bench = try GraphBench()
        let m = try bench.mixer()
        #expect(refused(&bench) { try $0.setOutputVolume(volume, of: m) } != nil)
        #expect(refused(&bench) { try $0.setMixing(Mixing(volume: volume), of: m) } != nil)
    }

    @Test(arguments: [-1.5, 2, .nan] as [Float]) func pan_outOfRange_isRefused(pan: Float) throws {
        var bench = try GraphBench()
        let m = try bench.mixer()
        #expect(refused(&bench) { try $0.setMixing(Mixing(pan: pan), of: m) } != nil)
    }

    @Test func tap_twice_isRefused() throws {
        var bench = try GraphBench()
        let (m, out) = (try bench.mixer(), bench.output)
        try bench.graph.setTapped(true, m)
        #expect(refused(&bench) { try $0.setTapped(true, m) } == .alreadyTapped(node: "the mixer \"m\""))
        #expect(refused(&bench) { try $0.setTapped(true, out) } == .notTappable(node: "the output \"out\""))
    }

    // MARK: Channel maps

    @Test func mapWrongSizeRejected() throws {
        var bench = try GraphBench(device: ChannelLabel.standard(count: 6))
        let (a, out) = (try bench.source(), bench.output)
        try bench.connect(a, out)
        let map = [-1, -1, -1, -1, 0, 1]
        try bench.graph.setChannelMap(map, of: out)
        for wrong in [[], [0], [0, 1], [0, 1, -1, -1, -1], [0, 1, -1, -1, -1, -1, -1]] {
            #expect(
                refused(&bench) { try $0.setChannelMap(wrong, of: out) }
                    == .channelMapSize(node: "the output \"out\"", received: wrong.count, allowed: 6))
        }
        #expect(
            refused(&bench) { try $0.setChannelMap([0, 1, 2, -1, -1, -1], of: out) }
                == .channelMapValue(node: "the output \"out\"", value: 2, index: 2, channels: 2))
        #expect(try bench.graph.node(out).channelMap == map)
    }

    @Test func map_onAMixer_isRefused() throws {
        var bench = try GraphBench()
        let m = try bench.mixer()
        #expect(refused(&bench) { try $0.setChannelMap([0, 1], of: m) } == .notMappable(node: "the mixer \"m\""))
    }

    @Test func map_whenTheDeviceChanges_isKeptOnlyWhereItFits() throws {
        var bench = try GraphBench(device: ChannelLabel.standard(count: 6))
        try bench.graph.setChannelMap([-1, -1, -1, -1, 0, 1], of: bench.output)
        let same = StreamFormat(sampleRate: 2000, channels: (0..<6).map { .discrete($0) })
        try bench.graph.setDevice(OutputDevice(same))
        #expect(try bench.graph.node(bench.output).format == same)
        let before = bench.graph
        try bench.graph.setDevice(OutputDevice(same))
        #expect(bench.graph == before)
        #expect(try bench.graph.node(bench.output).channelMap != nil)
        try bench.graph.setDevice(OutputDevice(GraphBench.stereo))
        #expect(try bench.graph.node(bench.output).format == GraphBench.stereo)
        #expect(try bench.graph.node(bench.output).channelMap == nil)
    }

    @Test func map_thatNamesMoreThanIsConnectedLater_isFoundByValidation() throws {
        var bench = try GraphBench()
        try bench.graph.setChannelMap([0, 5], of: bench.output)
        let a = try bench.source()
        try bench.connect(a, bench.output)
        #expect(throws: GraphError.channelMapValue(node: "the output \"out\"", value: 5, index: 1, channels: 2)) {
            try bench.graph.validate()
        }
    }

    // MARK: Validation

    @Test func graph_withoutOutput_isNotValid() throws {
        #expect(throws: GraphError.noOutput) { try EngineGraph().validate() }
        var bench = try GraphBench()
        #expect(throws: GraphError.outputNotConnected(node: "the output \"out\"")) { try bench.graph.validate() }
        try bench.graph.validate(requiresOutput: false)
        let a = try bench.source()
        try bench.connect(a, bench.output)
        try bench.graph.validate()
    }

    @Test func split_withSeveralRatesBeforeTheWaysMeet_isNotValid() throws {
        var bench = try GraphBench()
        let other = StreamFormat(sampleRate: 2000, channels: [.left, .right])
        let (a, m, n, main) = (
            try bench.source(), try bench.mixer("m"), try bench.mixer("n", other), try bench.mixer("main", other)
        )
        try bench.graph.connect(NodeBus(a), to: [NodeBus(m), NodeBus(n)])
        try bench.connect(m, main)
        try bench.connect(n, main)
        try bench.connect(main, bench.output)
        #expect(
            throws: GraphError.splitRates(
                node: "the source \"a\"", rate: 1000, mixer: "the mixer \"n\"", mixerRate: 2000)
        ) { try bench.graph.validate() }
        // Where the ways have met, the rate is free.
        try bench.graph.setFormat(GraphBench.stereo, of: n)
        try bench.graph.validate()
    }

    @Test func errors_sayWhatToDo() throws {
        let error = GraphError.channelMapSize(node: "the output \"speakers\"", received: 2, allowed: 6)
        #expect(
            error.description == """
                The channel map of the output "speakers" has 2 entries and must have 6, one for each of its channels: fill \
                the others with -1. The map set before stays.
                """)
        #expect(
            GraphError.noOutputBus(node: "the output \"x\"").description.hasPrefix("The output \"x\" has no output bus")
        )
    }
}

extension EngineGraph {
    /// An id that no other graph of a test has given out.
    fileprivate func missingNode() throws -> NodeID {
        var graph = self
        var last: NodeID?
        for _ in 0..<100 { last = try graph.attach(.mixer, name: "", format: GraphBench.mono) }
        return try #require(last)
    }
}
