import AudioModel
import EngineCore
import TestSupport
import Testing

/// Processors in a plan: in their order, once a cycle, without clicks.
@Suite struct ProcessorTests {
    /// One source through these, in turn, to the output; all mono.
    private func chain(
        _ bench: EngineBench, _ source: NodeID, _ processors: [NodeID]
    ) throws {
        var last = source
        for next in processors + [bench.output] {
            try bench.graph.connect(NodeBus(last), to: NodeBus(next))
            last = next
        }
    }

    private func constant(_ bench: EngineBench, frames: Int = 900) throws -> NodeID {
        try bench.source([.mono], playing: [Float](repeating: 1, count: frames))
    }

    private func steps(_ samples: [Float]) -> Float {
        zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 0
    }

    @Test func plan_withProcessors_hasEachBehindWhatFeedsIt() throws {
        let bench = try EngineBench(device: [.mono])
        let (b, a) = (try bench.processor(SumUnit(), [.mono]), try bench.processor(SumUnit(), [.mono]))
        let lonely = try bench.processor(SumUnit(), [.mono])
        let source = try constant(bench)
        try chain(bench, source, [a, b])
        let plan = PlanCompiler.compile(bench.graph)
        #expect(plan.steps.map(\.node) == [a, b])
        // Columns: the source, a, b. Rows: the output, the input of a, that of b.
        #expect((0..<3).map { plan.row($0) } == [[0, 0, 1], [1, 0, 0], [0, 1, 0]])
        // What reaches nothing is not called.
        try bench.graph.connect(NodeBus(source), to: [NodeBus(a), NodeBus(lonely)])
        #expect(PlanCompiler.compile(bench.graph).steps.map(\.node) == [a, b])
        try bench.graph.setTapped(true, lonely)
        #expect(Set(PlanCompiler.compile(bench.graph).steps.map(\.node)) == [a, b, lonely])
    }

    @Test func processor_keepsItsState_whileThePlanChanges() throws {
        let bench = try EngineBench(device: [.mono])
        let source = try constant(bench)
        let sum = try bench.processor(SumUnit(feedback: 0.5), [.mono])
        try chain(bench, source, [sum])
        try bench.publish()
        #expect(try bench.render(3) == [[1, 1.5, 1.75]])
        try bench.graph.setOutputVolume(1, of: bench.output)
        try bench.publish()
        #expect(try bench.render(2) == [[1.875, 1.9375]])
        #expect(bench.state(of: sum)?.calls == 2)
        #expect(bench.state(of: sum)?.resets == 0)
    }

    @Test func insertedProcessor_whileSounding_fadesInWithoutClick() throws {
        let bench = try EngineBench(device: [.mono])
        let source = try constant(bench)
        try chain(bench, source, [])
        try bench.publish()
        var heard = try bench.render(8)[0]
        let sum = try bench.processor(SumUnit(), [.mono])
        try chain(bench, source, [sum])
        try bench.publish()
        for _ in 0..<4 { heard += try bench.render(3)[0] }
        // What goes out and what comes in, of an input that fades in as well, each within five frames.
        #expect(steps(heard) <= 0.4)
        #expect(heard.suffix(4) == [1, 1, 1, 1])
        #expect(bench.state(of: sum)?.calls == 4)
    }

    @Test func removedProcessor_whileSounding_fadesOutWithoutClick() throws {
        let bench = try EngineBench(device: [.mono])
        let source = try constant(bench)
        let unit = SumUnit(feedback: 0.5)
        let sum = try bench.processor(unit, [.mono])
        try chain(bench, source, [sum])
        try bench.publish()
        var heard = try bench.render(30)[0]
        try chain(bench, source, [])
        try bench.graph.detach(sum)
        bench.forget(sum)
        try bench.publish()
        for _ in 0..<4 { heard += try bench.render(3)[0] }
        // From 2 to 1 in five frames.
        #expect(steps(Array(heard.dropFirst(20))) <= 0.2001)
        #expect(heard.suffix(4) == [1, 1, 1, 1])
        #expect(unit.alive.load(ordering: .relaxed) == 1)
        bench.engine.reclaim()
        #expect(unit.alive.load(ordering: .relaxed) == 0)
    }

    @Test func processors_whoseOrderIsTurned_doNotClick() throws {
        let bench = try EngineBench(device: [.mono])
        let source = try constant(bench)
        let (a, b) = (try bench.processor(SumUnit(), [.mono]), try bench.processor(SumUnit(), [.mono]))
        try chain(bench, source, [a, b])
        try bench.publish()
        var heard = try bench.render(10)[0]
        for order in [[b, a], [a, b], [b, a]] {
            try chain(bench, source, order)
            try bench.publish()
            for _ in 0..<7 { heard += try bench.render(3)[0] }
            #expect(heard.suffix(4) == [1, 1, 1, 1])
        }
        // Two gains that slide, one behind the other, in five frames.
        #expect(steps(Array(heard.dropFirst())) <= 0.6)
        #expect(bench.state(of: a)?.calls == 22)
    }

    @Test func quietProcessor_sleepsUntilItsInputSounds() throws {
        let bench = try EngineBench(device: [.mono])
        let source = try bench.source([.mono], playing: [1, 1, 1])
        let sum = try bench.processor(SumUnit(feedback: 0.5, quietFrames: 4), [.mono])
        try chain(bench, source, [sum])
        try bench.publish()
        _ = try bench.render(3)
        #expect(bench.state(of: sum)?.inputFlags == 0)
        var heard: [Float] = []
        for _ in 0..<20 { heard += try bench.render(4)[0] }
        let calls = try #require(bench.state(of: sum)?.calls)
        // The source ends with a decay; 1.75 halves 18 times until it is below -100 dB.
        #expect(calls >= 5 && calls <= 9)
        #expect(bench.state(of: sum)?.inputFlags == 1)
        #expect(heard.suffix(40).allSatisfy { $0 == 0 })
        #expect(heard[0] > 0.5)
        bench.write([1, 1], to: source)
        #expect(try bench.render(2)[0][1] > 0)
        #expect(bench.state(of: sum)?.calls == calls + 1)
    }

    @Test func reset_clearsATail_beforeTheNextCycle() throws {
        let bench = try EngineBench(device: [.mono])
        let source = try bench.source([.mono], playing: [])
        let sum = try bench.processor(SumUnit(feedback: 1), [.mono])
        try chain(bench, source, [sum])
        bench.write([1], to: source)
        try bench.publish()
        #expect(try bench.render(1) == [[1]])
        let tail = try bench.render(20)[0]
        #expect(tail.allSatisfy { $0 >= 1 })
        bench.slots[sum]?.reset()
        #expect(try bench.render(3) == [[0, 0, 0]])
        #expect(bench.state(of: sum)?.resets == 1)
    }

    @Test func tail_whileTheGateIsClosedOrTheStreamIsCut_isGone() throws {
        for isGate in [true, false] {
            let bench = try EngineBench(device: [.mono])
            let source = try bench.source([.mono], playing: [])
            let sum = try bench.processor(SumUnit(feedback: 1), [.mono])
            try chain(bench, source, [sum])
            bench.write([1], to: source)
            try bench.publish()
            _ = try bench.render(20)
            if isGate {
                #expect(try bench.render(4, isGated: true) == [[0, 0, 0, 0]])
            } else {
                bench.engine.noteCut()
            }
            #expect(try bench.render(3) == [[0, 0, 0]])
        }
    }

    @Test func processorThatMakesNoNumbers_isSilentAndReset() throws {
        let bench = try EngineBench(device: [.mono])
        let sum = try bench.processor(SumUnit(), [.mono])
        try chain(bench, try constant(bench), [sum])
        try bench.publish()
        _ = try bench.render(2)
        bench.change(sum) { $0.isBroken = true }
        #expect(try bench.render(2) == [[0, 0]])
        #expect(bench.state(of: sum)?.resets == 1)
    }

    @Test func taps_aroundAProcessor_hearWhatGoesInAndOut() throws {
        let bench = try EngineBench(device: [.mono])
        let source = try constant(bench)
        let (sum, mixer) = (try bench.processor(SumUnit(feedback: 0.5), [.mono]), try bench.mixer([.mono]))
        try chain(bench, source, [sum, mixer])
        for node in [source, sum, mixer] { try bench.graph.setTapped(true, node) }
        try bench.graph.setOutputVolume(0.5, of: mixer)
        try bench.publish()
        _ = try bench.render(2)
        #expect(bench.heard(source).flatMap(\.samples) == [1, 1])
        #expect(bench.heard(sum).flatMap(\.samples) == [1, 1.5])
        #expect(bench.heard(mixer).flatMap(\.samples) == [0.5, 0.75])
    }

    @Test func mixingOfASource_holdsBehindAProcessor() throws {
        let bench = try EngineBench(device: [.mono])
        let source = try constant(bench)
        let (sum, mixer) = (try bench.processor(SumUnit(), [.mono]), try bench.mixer([.mono]))
        try chain(bench, source, [sum, mixer])
        try bench.graph.setMixing(Mixing(volume: 0.25), of: source)
        try bench.publish()
        #expect(try bench.render(2) == [[0.25, 0.25]])
    }
}
