import AudioModel
import EngineCore
import Foundation
import Synchronization
import TestSupport
import Testing

/// The control side, the producer and the renderer of a source on three real threads; also run under ThreadSanitizer.
@Suite struct SourceThreadTests {
    private final class Outcome: Sendable {
        let isDone = Atomic<Bool>(false)
        var isOver: Bool { isDone.load(ordering: .acquiring) }
        /// How often the control side looked.
        let looks = Atomic<Int>(0)
        let loudest = Mutex<Float>(0)
        let drains = Atomic<Int>(0)
    }

    @Test func allSides_atOnce_endWithTheLastSeeksLastFrame() async {
        let bench = SourceBench([.left, .right], readAheadFrames: 256)
        let outcome = Outcome()
        let seeks: Int64 = 300
        bench.source.play()
        await together([
            {
                while !outcome.isOver {
                    let loudest = bench.render(32).joined().map(abs).max() ?? 0
                    outcome.loudest.withLock { $0 = max($0, loudest) }
                }
            },
            {
                for seek in 1...seeks {
                    // The control side may be left without a processor for longer. Not before each seek, or none would
                    // come on the heels of another.
                    if seek % 4 == 1 {
                        let looks = outcome.looks.load(ordering: .relaxed)
                        while outcome.looks.load(ordering: .relaxed) == looks, !outcome.isOver { sched_yield() }
                    }
                    bench.source.flush(toFrame: 1000 * seek)
                    var left = 500
                    while left > 0, !outcome.isOver {
                        left -= bench.write([Float](repeating: seek % 2 == 0 ? 1 : -1, count: 2 * left))
                        // Odd seeks come while the one before is still being taken.
                        if seek % 2 == 1, seek < seeks { break }
                        sched_yield()
                    }
                }
                bench.source.markEnd()
            },
            {
                var count: Float = 0
                while !outcome.isOver {
                    count += 1
                    bench.source.setVolume(count.truncatingRemainder(dividingBy: 2))
                    bench.mixer.setOutputs(Int(count) % 3 == 0 ? [.mono] : [.left, .right])
                    if Int(count) % 7 == 0 { bench.source.pause() }
                    bench.source.play()
                    bench.engine.reclaim()
                    outcome.looks.add(1, ordering: .relaxed)
                    if bench.source.takeDrain() {
                        outcome.drains.add(1, ordering: .relaxed)
                        outcome.isDone.store(true, ordering: .releasing)
                    }
                }
            },
        ])
        #expect(outcome.drains.load(ordering: .relaxed) == 1)
        #expect(bench.source.positionFrames == 1000 * seeks + 500)
        // The matrix never adds up to more than 1, nor does the volume; one rounding each.
        #expect(outcome.loudest.withLock { $0 } <= 1 + 2 * .ulpOfOne)
    }
}
