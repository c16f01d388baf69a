import AudioModel
import EngineCore
import RenderCore
import TestSupport
import Testing

@Suite struct EngineRendererTests {
    @Test func path_ofUnityGains_isBitExact() throws {
        let bench = try EngineBench(device: [.left, .right, .center, .lowFrequency])
        // Denormals, a negative zero, odd fractions: whatever a Float can be.
        let samples: [Float] = [-0.0, .leastNonzeroMagnitude, 1 / 3, -.pi, 1e-30, 0.1, -1, .leastNormalMagnitude]
        let a = try bench.source([.left, .right], playing: samples)
        let (m, n) = (try bench.mixer(), try bench.mixer())
        try bench.connect(a, m)
        try bench.connect(m, n)
        try bench.connect(n, bench.output)
        try bench.graph.setChannelMap([1, -1, 0, 0], of: bench.output)
        try bench.publish()
        let rendered = try bench.render(4)
        let (left, right) = ([0, 2, 4, 6].map { samples[$0].bitPattern }, [1, 3, 5, 7].map { samples[$0].bitPattern })
        #expect(rendered.map { $0.map(\.bitPattern) } == [right, [0, 0, 0, 0], left, left])
    }

    /// Cycles shorter than a vector, of vectors, and of vectors and a rest.
    @Test(arguments: [3, 4, 8, 13]) func sources_moreThanAGroupOfTerms_areAllHeard(frames: Int) throws {
        for count in 1...19 {
            let bench = try EngineBench(device: [.mono])
            let mixer = try bench.mixer([.mono])
            try bench.connect(mixer, bench.output)
            for index in 0..<count {
                try bench.connect(try bench.source([.mono], playing: ramp(1 << index, frames, step: 1)), mixer)
            }
            try bench.publish()
            let sum = Float((1 << count) - 1)
            #expect(try bench.render(frames) == [(0..<frames).map { sum + Float($0 * count) }])
        }
    }

    @Test func plan_withMoreOutputsThanTheHost_leavesThemOut() throws {
        let bench = try EngineBench(device: [.left, .right])
        let a = try bench.source([.left, .right], playing: ramp(1, 8, step: 1))
        try bench.connect(a, bench.output)
        try bench.publish()
        #expect(try bench.render(2, outputs: 1) == [[1, 3]])
        #expect(try bench.render(2, outputs: 3) == [[5, 7], [6, 8], [0, 0]])
    }

    // MARK: Taps

    @Test func taps_hearEachCycleWithItsTime() throws {
        let bench = try EngineBench(device: [.mono])
        let a = try bench.source([.left, .right], playing: ramp(1, 40, step: 1))
        let mixer = try bench.mixer()
        try bench.connect(a, mixer)
        try bench.connect(mixer, bench.output)
        try bench.graph.setMixing(Mixing(volume: 0.5), of: a)
        try bench.graph.setTapped(true, mixer)
        try bench.publish()
        #expect(try bench.render(2) == [[0.75, 1.75]])
        #expect(bench.heard(mixer) == [.init(sampleTime: 0, samples: [0.5, 1, 1.5, 2])])
        _ = try bench.render(1)
        _ = try bench.render(3, isGated: true)
        _ = try bench.render(1)
        let heard = bench.heard(mixer)
        #expect(heard.map(\.sampleTime) == [2, 6])
        #expect(heard[0].samples == [2.5, 3])
        // Silent as the device is, and then a fade-in of five frames.
        #expect(isClose(heard[1].samples, [0.7, 0.8]))
    }

    @Test func tap_addedAndRemovedWhilePlaying_changesNothingElse() throws {
        let bench = try EngineBench(device: [.mono])
        let a = try bench.source([.mono], playing: ramp(1, 60, step: 1))
        try bench.connect(a, bench.output)
        try bench.publish()
        #expect(try bench.render(3) == [ramp(1, 3, step: 1)])
        try bench.graph.setTapped(true, a)
        try bench.publish()
        #expect(try bench.render(3) == [ramp(4, 3, step: 1)])
        // Without a fade: a click is not heard where a recording begins.
        #expect(bench.heard(a) == [.init(sampleTime: 3, samples: ramp(4, 3, step: 1))])
        _ = try bench.render(5)
        try bench.graph.setTapped(false, a)
        try bench.publish()
        _ = bench.heard(a)
        #expect(try bench.render(3) == [ramp(12, 3, step: 1)])
        #expect(bench.heard(a) == [])
    }

    @Test func tap_thatWraps_comesInTwoPieces() throws {
        let bench = try EngineBench(device: [.mono])
        let a = try bench.source([.mono], playing: ramp(0, 1000, step: 1))
        try bench.graph.setTapped(true, a)
        try bench.publish()
        var heard: [Float] = []
        for _ in 0..<70 {
            bench.write(ramp(1000, 0, step: 1), to: a)
            _ = try bench.render(13)
            for block in bench.heard(a) {
                #expect(block.sampleTime == Int64(heard.count))
                heard += block.samples
            }
        }
        #expect(heard == ramp(0, 910, step: 1))
    }

    @Test func tap_thatNobodyReads_dropsWholeCycles() throws {
        let bench = try EngineBench(device: [.mono], maximumFrames: 64)
        let a = try bench.source([.mono], playing: ramp(0, 1000, step: 1))
        try bench.graph.setTapped(true, a)
        try bench.publish()
        for _ in 0..<40 {
            bench.write(ramp(0, 64, step: 1), to: a)
            _ = try bench.render(64)
        }
        // Room for 1 s, rounded up to 1024 frames.
        #expect(bench.heard(a).map(\.sampleTime) == (0..<16).map { 64 * $0 })
        bench.write(ramp(0, 64, step: 1), to: a)
        _ = try bench.render(64)
        #expect(bench.heard(a).map(\.sampleTime) == [40 * 64])
    }

    // MARK: Edits

    @Test func volume_setBeforeASourceBegins_needsNoSlide() throws {
        let bench = try EngineBench(device: [.mono])
        let a = try bench.source([.mono], playing: ramp(1, 20, step: 1))
        bench.sources[a]?.pause()
        let mixer = try bench.mixer([.mono])
        try bench.connect(a, mixer)
        try bench.connect(mixer, bench.output)
        try bench.publish()
        _ = try bench.render(3)
        try bench.graph.setMixing(Mixing(volume: 0.5), of: a)
        try bench.publish()
        bench.sources[a]?.play()
        #expect(try bench.render(3) == [[0.5, 1, 1.5]])
    }

    @Test func map_changedWhilePlaying_isInPlaceWithinARamp() throws {
        let bench = try EngineBench(device: [.left, .right, .discrete(0), .discrete(1)])
        let a = try bench.source([.left, .right], playing: [Float](repeating: 1, count: 60))
        try bench.connect(a, bench.output)
        try bench.publish()
        #expect(try bench.render(2) == [[1, 1], [1, 1], [0, 0], [0, 0]])
        try bench.graph.setChannelMap([-1, -1, 0, 1], of: bench.output)
        try bench.publish()
        let rendered = try bench.render(6)
        #expect(isClose(rendered[0], [0.8, 0.6, 0.4, 0.2, 0, 0]))
        #expect(isClose(rendered[3], [0.2, 0.4, 0.6, 0.8, 1, 1]))
    }

    @Test func sourcesAndTaps_thatNoPlanNames_areFreedOnceTheRenderThreadHasLetGo() throws {
        let bench = try EngineBench(device: [.mono])
        let a = try bench.source([.mono], playing: ramp(1, 60, step: 1))
        let b = try bench.source([.mono], playing: ramp(1, 60, step: 1))
        let mixer = try bench.mixer([.mono])
        for id in [a, b] { try bench.connect(id, mixer) }
        try bench.connect(mixer, bench.output)
        try bench.graph.setTapped(true, b)
        try bench.publish()
        _ = try bench.render(2)
        weak let source = bench.sources[b]
        weak let tap = bench.taps[b]
        try bench.graph.detach(b)
        bench.forget(b)
        try bench.publish()
        #expect(source != nil)
        #expect(tap != nil)
        #expect(bench.engine.livePlans == 2)
        _ = try bench.render(2)
        bench.engine.reclaim()
        #expect(source != nil)
        #expect(tap != nil)
        _ = try bench.render(3)
        bench.engine.reclaim()
        #expect(source == nil)
        #expect(tap == nil)
        #expect(bench.engine.livePlans == 1)
    }

    // MARK: Time and ends

    @Test func lastCycle_saysWhen() throws {
        let bench = try EngineBench()
        #expect(bench.engine.lastCycle == nil)
        _ = try bench.render(10)
        _ = try bench.render(5)
        let last = try #require(bench.engine.lastCycle)
        #expect(last.sampleTime == 10)
        #expect(last.frames == 5)
        #expect(last.hostTimeNanoseconds == 7)
    }

    @Test func ends_areThoseOfTheirSource() throws {
        let bench = try EngineBench()
        let (a, b) = (try bench.source([.mono], playing: [1, 2]), try bench.source([.mono], playing: [1, 2, 3]))
        let mixer = try bench.mixer()
        for id in [a, b] { try bench.connect(id, mixer) }
        try bench.connect(mixer, bench.output)
        bench.sources[a]?.markEnd()
        try bench.publish()
        _ = try bench.render(5)
        #expect([a, b].map { bench.sources[$0]?.takeDrain() } == [true, false])
        #expect([a, b].map { bench.sources[$0]?.underrunFrames } == [0, 2])
    }
}
