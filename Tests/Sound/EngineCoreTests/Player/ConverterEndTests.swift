import TestSupport
import Testing

@testable import EngineCore

/// Random scripts of a player whose converter gives its end in pieces, while items come.
@Suite struct ConverterEndTests {
    /// One script; the bench's player is at half the renderer's rate.
    private struct Script {
        var random: Seeded
        let converter: StrictConverter
        let bench: PlayerBench
        var scheduled: UInt64 = 0
        var expected: [Float] = []
        var heard: [Float] = []
        var completed: [UInt64] = []
        /// Items that came while the end came out.
        var interruptedEnds = 0

        init(seed: UInt64) {
            random = Seeded(seed: seed)
            converter = StrictConverter(DoublingConverter(), pieceFrames: Int.random(in: 1...3, using: &random))
            bench = PlayerBench(converter: converter)
            bench.player.play()
        }

        mutating func schedule(_ interruption: ScheduleInterruption = .none) {
            scheduled += 1
            let frames = Int64.random(in: 1...16, using: &random)
            if converter.isDraining { interruptedEnds += 1 }
            bench.schedule(scheduled, frames, interruption)
            expected += PlayerBench.samples(scheduled, 0..<frames).flatMap { [$0, $0] }
        }

        /// Items with some feeding in between; the rest of it comes before the next cycle.
        mutating func scheduleSome() {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                schedule()
                for _ in 0..<Int.random(in: 0...4, using: &random) { _ = bench.player.pump(minimumFrames: 0) }
            }
        }

        mutating func render() {
            heard += bench.render(.random(in: 1...24, using: &random))
            completed += bench.completed()
        }

        mutating func renderAll() {
            while completed.count < scheduled { render() }
            for _ in 0..<8 { render() }
        }
    }

    @Test(arguments: UInt64(1)...40)
    func items_whileTheEndComesOut_areHeardWhole_inOrder(seed: UInt64) {
        var script = Script(seed: seed)
        for _ in 0..<300 {
            if Int.random(in: 0..<4, using: &script.random) == 0 { script.scheduleSome() } else { script.render() }
        }
        script.renderAll()
        #expect(script.heard.filter { $0 != 0 } == script.expected)
        #expect(script.completed == Array(1...script.scheduled))
        #expect(script.bench.player.source.underrunFrames == 0)
        // Else nothing was tested.
        #expect(script.interruptedEnds > 0)
    }

    @Test(arguments: UInt64(1)...40)
    func items_whileTheEndComesOut_withStopsAndInterruptions_areAllCompleted(seed: UInt64) {
        var script = Script(seed: seed)
        for _ in 0..<300 {
            switch Int.random(in: 0..<12, using: &script.random) {
            case 0..<4: script.scheduleSome()
            case 4: script.schedule(.atOnce)
            case 5:
                script.bench.player.stop()
                script.bench.player.play()
            default: script.render()
            }
        }
        script.renderAll()
        // An item that interrupts completes those before it, which may have been rendered together.
        #expect(script.completed == Array(1...script.scheduled))
        #expect(script.interruptedEnds > 0)
    }
}
