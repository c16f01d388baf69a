import AudioModel
import EngineCore
import Testing

@Suite struct PlanCompilerTests {
    @Test func plan_ofStereoStraightToStereo_isExactlyOne() throws {
        var bench = try GraphBench()
        let a = try bench.source()
        try bench.connect(a, bench.output)
        #expect(bench.rows == [[1, 0], [0, 1]])
        #expect(bench.plan.sources == [.init(node: a, channels: 2)])
    }

    @Test func plan_throughAChainOfMixers_staysExactlyOne() throws {
        var bench = try GraphBench()
        var last = try bench.source()
        for index in 0..<20 {
            let mixer = try bench.mixer("m\(index)")
            try bench.connect(last, mixer)
            last = mixer
        }
        try bench.connect(last, bench.output)
        #expect(bench.rows == [[1, 0], [0, 1]])
    }

    @Test func plan_withVolumesOnTheWay_hasTheirProduct() throws {
        var bench = try GraphBench()
        let (a, m, n) = (try bench.source(), try bench.mixer("m"), try bench.mixer("n"))
        try bench.connect(a, m)
        try bench.connect(m, n)
        try bench.connect(n, bench.output)
        try bench.graph.setMixing(Mixing(volume: 0.5), of: a)
        try bench.graph.setOutputVolume(0.25, of: m)
        try bench.graph.setMixing(Mixing(volume: 0.5), of: m)
        try bench.graph.setOutputVolume(0.5, of: bench.output)
        #expect(bench.rows == [[0.03125, 0], [0, 0.03125]])
    }

    @Test func plan_overTwoWays_isTheirSum() throws {
        var bench = try GraphBench()
        let (a, m, n, main) = (try bench.source(), try bench.mixer("m"), try bench.mixer("n"), try bench.mixer("main"))
        try bench.graph.connect(NodeBus(a), to: [NodeBus(m), NodeBus(n), NodeBus(main, bus: 5)])
        try bench.connect(m, main)
        try bench.connect(n, main)
        try bench.connect(main, bench.output)
        try bench.graph.setMixing(Mixing(volume: 0.25), of: a, at: NodeBus(m))
        try bench.graph.setMixing(Mixing(volume: 0.5), of: n)
        #expect(bench.rows == [[1.75, 0], [0, 1.75]])
    }

    @Test func plan_ofTwoSources_hasAColumnForEachChannel() throws {
        var bench = try GraphBench()
        let (a, b, m) = (
            try bench.source("a", GraphBench.mono), try bench.source("b"), try bench.mixer()
        )
        try bench.connect(b, m)
        try bench.connect(a, m)
        try bench.connect(m, bench.output)
        #expect(bench.rows == [[1, 1, 0], [1, 0, 1]])
        #expect(bench.plan.sources == [.init(node: a, channels: 1), .init(node: b, channels: 2)])
    }

    @Test func plan_ofWhatIsNotConnected_isEmpty() throws {
        var bench = try GraphBench()
        let (a, m) = (try bench.source(), try bench.mixer())
        try bench.connect(a, m)
        #expect(bench.plan.sources == [])
        #expect(bench.plan.matrix == [])
        #expect(bench.plan.outputChannels == 2)
    }

    @Test func pan_toTheSides_fadesTheFarOne() throws {
        var bench = try GraphBench()
        let (a, m) = (try bench.source("a", GraphBench.mono), try bench.mixer())
        try bench.connect(a, m)
        try bench.connect(m, bench.output)
        var heard: [Float: [Float]] = [:]
        for pan in [-1, -0.5, 0, 0.5, 1] as [Float] {
            try bench.graph.setMixing(Mixing(pan: pan), of: a)
            heard[pan] = bench.rows.map { $0[0] }
        }
        #expect(heard[-1] == [1, 0])
        #expect(heard[0] == [1, 1])
        #expect(heard[1] == [0, 1])
        // -3 dB, rounded once.
        #expect(abs((heard[-0.5]?[1] ?? 0) - Float(0.5).squareRoot()) < .ulpOfOne)
        #expect(abs((heard[0.5]?[0] ?? 0) - Float(0.5).squareRoot()) < .ulpOfOne)
    }

    @Test func pan_whereThereAreNoSides_changesNothing() throws {
        #expect(PanLaw.gains(pan: -1, channels: [.mono]) == [1])
        #expect(PanLaw.gains(pan: 1, channels: [.left, .right, .center, .rearLeft]) == [0, 1, 1, 0])
        #expect(PanLaw.gains(pan: 1, channels: [.discrete(0), .discrete(1), .discrete(2)]) == [0, 1, 1])
        #expect(PanLaw.gains(pan: 1, channels: [.discrete(0)]) == [1])
    }

    @Test func mute_ofEachKind_silencesWhatLeavesIt() throws {
        for muted in ["a", "m", "out"] {
            var bench = try GraphBench()
            let (a, b, m) = (try bench.source("a"), try bench.source("b"), try bench.mixer("m"))
            try bench.connect(a, m)
            try bench.connect(b, m)
            try bench.connect(m, bench.output)
            guard let node = bench.graph.nodes.first(where: { $0.name == muted }) else { continue }
            try bench.graph.setMuted(true, of: node.id)
            #expect(bench.rows == (muted == "a" ? [[0, 0, 1, 0], [0, 0, 0, 1]] : [[0, 0, 0, 0], [0, 0, 0, 0]]))
            try bench.graph.setMuted(false, of: node.id)
            #expect(bench.rows == [[1, 0, 1, 0], [0, 1, 0, 1]])
        }
    }

    // MARK: Channel maps

    private func mapped(_ map: [Int], _ channels: Int = 6) throws -> [[Float]] {
        var bench = try GraphBench(device: (0..<channels).map { .discrete($0) })
        let (a, m) = (try bench.source(), try bench.mixer())
        try bench.connect(a, m)
        try bench.connect(m, bench.output)
        try bench.graph.setChannelMap(map, of: bench.output)
        return bench.rows
    }

    @Test func mapSteersToDevice() throws {
        #expect(try mapped([-1, -1, -1, -1, 0, 1]) == [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0], [0, 1]])
        #expect(try mapped([1, 0], 2) == [[0, 1], [1, 0]])
        #expect(try mapped([0, 0, 0, -1, -7, 1]) == [[1, 0], [1, 0], [1, 0], [0, 0], [0, 0], [0, 1]])
    }

    @Test func monoDeviceGetsOneChannel() throws {
        #expect(try mapped([-1, -1, 0], 3) == [[0, 0], [0, 0], [1, 0]])
    }

    @Test func map_thatIsNotThere_goesByLabels() throws {
        var bench = try GraphBench(device: [.left, .right, .left, .right, .center, .lowFrequency])
        let a = try bench.source()
        try bench.connect(a, bench.output)
        #expect(bench.rows == [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
    }

    @Test func map_ofASource_rearrangesItsChannels() throws {
        var bench = try GraphBench()
        let a = try bench.source()
        try bench.connect(a, bench.output)
        try bench.graph.setChannelMap([-1, 0], of: a)
        #expect(bench.rows == [[0, 0], [1, 0]])
    }

    // MARK: Taps and sinks

    @Test func taps_areRowsOfTheirOwn_afterTheOutputs() throws {
        var bench = try GraphBench(device: [.mono])
        let (a, m) = (try bench.source("a", GraphBench.mono), try bench.mixer())
        try bench.connect(a, m)
        try bench.connect(m, bench.output)
        try bench.graph.setMixing(Mixing(volume: 0.5), of: a)
        try bench.graph.setOutputVolume(0.5, of: m)
        try bench.graph.setTapped(true, a)
        try bench.graph.setTapped(true, m)
        #expect(bench.plan.listeners == [.init(node: a, channels: 1), .init(node: m, channels: 2)])
        // Device; the source before the mixer's input volume; the mixer after its output volume.
        #expect(bench.rows == [[0.25], [1], [0.25], [0.25]])
        try bench.graph.setTapped(false, a)
        #expect(bench.rows == [[0.25], [0.25], [0.25]])
    }

    @Test func tap_onASourceThatGoesNowhere_hearsIt() throws {
        var bench = try GraphBench(device: [.mono])
        let a = try bench.source()
        try bench.graph.setTapped(true, a)
        #expect(bench.rows == [[0, 0], [1, 0], [0, 1]])
    }

    @Test func sink_hearsWhatIsConnectedToIt() throws {
        var bench = try GraphBench(device: [.mono])
        let a = try bench.source()
        let sink = try bench.graph.attach(.sink, name: "s", format: GraphBench.mono)
        try bench.connect(a, sink)
        #expect(bench.plan.listeners == [.init(node: sink, channels: 2)])
        #expect(bench.rows == [[0, 0], [1, 0], [0, 1]])
    }

    // MARK: Several ports

    private static let pair: [ChannelLabel] = [.left, .right]

    /// What each channel of the ports gets of a stereo source behind the main mixer.
    private func rows(
        on ports: [[ChannelLabel]], map: [Int]? = nil, connectedAs format: StreamFormat? = nil
    ) throws -> (rows: [[Float]], sounding: [Int]?) {
        var bench = try GraphBench()
        let (a, main) = (try bench.source(), try bench.mixer("main"))
        try bench.connect(a, main)
        try bench.connect(main, bench.output)
        try bench.graph.followOutput(main)
        try bench.graph.setDevice(OutputDevice(sampleRate: 1000, ports: ports))
        if let format { try bench.graph.connect(NodeBus(main), to: NodeBus(bench.output), format: format) }
        try bench.graph.setChannelMap(map, of: bench.output)
        return (bench.rows, bench.graph.soundingMap(of: bench.output))
    }

    @Test func severalPorts_withoutAMap_soundOnTheFirstTwo() throws {
        let (rows, sounding) = try rows(on: [Self.pair, ChannelLabel.standard(count: 4)])
        #expect(rows == [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
        #expect(sounding == [0, 1, -1, -1, -1, -1])
        let (monoRows, monoSounding) = try self.rows(on: [[.mono], Self.pair])
        #expect(monoRows == [[1, 0], [0, 0], [0, 0]])
        #expect(monoSounding == [0, -1, -1])
    }

    @Test func severalPorts_withAMap_soundWhereItSays_throughTheMixer() throws {
        let map = [-1, -1, 0, 1, -1, -1]
        let (rows, sounding) = try rows(on: [Self.pair, ChannelLabel.standard(count: 4)], map: map)
        #expect(rows == [[0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [0, 0]])
        #expect(sounding == map)
        // Past a device of one channel, too, both channels arrive.
        #expect(try self.rows(on: [[.mono], Self.pair], map: [-1, 0, 1]).rows == [[0, 0], [1, 0], [0, 1]])
    }

    @Test func severalPorts_connectedInTheirFormat_areOneToOne() throws {
        let ports = [Self.pair, ChannelLabel.standard(count: 4)]
        let format = OutputDevice(sampleRate: 1000, ports: ports).format
        let (rows, sounding) = try rows(on: ports, connectedAs: format)
        #expect(rows == [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
        #expect(sounding == [0, 1, 2, 3, 4, 5])
    }

    @Test func soundingMap_onOneDevice_saysWhatTheLabelsDo() throws {
        var bench = try GraphBench(device: ChannelLabel.standard(count: 6))
        let a = try bench.source("a", GraphBench.mono)
        #expect(bench.graph.soundingMap(of: bench.output) == [0, 1, 2, 3, 4, 5])
        try bench.connect(a, bench.output)
        #expect(bench.graph.soundingMap(of: bench.output) == [0, 0, -1, -1, -1, -1])
        #expect(bench.graph.soundingMap(of: a) == [0])
        #expect(try bench.graph.soundingMap(of: bench.mixer()) == nil)
    }
}
