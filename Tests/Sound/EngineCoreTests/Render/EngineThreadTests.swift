import AudioModel
import EngineCore
import Foundation
import RenderBench
import Synchronization
import TestSupport
import Testing

/// Edits on one thread, feeding on another, cycles on a third; also run under ThreadSanitizer.
@Suite struct EngineThreadTests {
    private final class Outcome: Sendable {
        let isDone = Atomic<Bool>(false)
        let cycles = Atomic<Int>(0)
        let largestStep = Mutex<Float>(0)
        let loudest = Mutex<Float>(0)
    }

    /// Three sines of 100 Hz with no limit to their length.
    private func sine(_ engine: EngineRenderer) -> (source: SourceFeed, producer: BlockProducer) {
        let source = engine.makeSource(channels: 1, readAheadSeconds: 0.2)
        let producer = BlockProducer(source: source, chunkFrames: 512) { room, frames, from in
            for index in 0..<frames {
                room[index] = sinf(2 * .pi * 100 * Float((from + Int64(index)) % 480) / 48_000)
            }
        }
        return (source, producer)
    }

    @Test func edits_whileRendering_neverClick() async {
        let engine = EngineRenderer(sampleRate: 48_000, maximumFrames: 256)
        let sines = (0..<3).map { _ in sine(engine) }
        let feeder = ReadAheadScheduler()
        for sine in sines { feeder.add(sine.producer) }
        feeder.pump()
        let tap = engine.makeTap(channels: 1, capacitySeconds: 0.1)
        let outcome = Outcome()
        await together([
            {
                var last: [Float] = [0, 0]
                while !outcome.isDone.load(ordering: .acquiring) {
                    // As in virtual time: no underrun hides behind a slow thread.
                    feeder.pump(minimumFrames: 64)
                    let outputs = RenderBench.cycle(engine.renderer, outputs: 2, frames: 64)
                    outcome.cycles.add(1, ordering: .relaxed)
                    for (index, output) in outputs.enumerated() {
                        for sample in output {
                            let (step, size) = (abs(sample - last[index]), abs(sample))
                            outcome.largestStep.withLock { $0 = max($0, step) }
                            outcome.loudest.withLock { $0 = max($0, size) }
                            last[index] = sample
                        }
                    }
                }
            },
            {
                var random = Seeded(seed: 1)
                for edit in 0..<3000 {
                    // Else all edits may be over before the other thread is given a processor.
                    if edit % 8 == 0 {
                        let cycles = outcome.cycles.load(ordering: .relaxed)
                        while outcome.cycles.load(ordering: .relaxed) == cycles { sched_yield() }
                    }
                    let played = sines.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
                    let taps = edit % 3 == 0 ? [tap] : []
                    let gains = (0..<(2 + taps.count) * played.count).map { _ in
                        Float(Int.random(in: 0...4, using: &random)) / 4
                    }
                    engine.publish(
                        sources: played.map(\.source), taps: taps, outputChannels: 2, matrix: gains)
                    switch edit % 5 {
                    case 0: sines[edit % 3].source.pause()
                    case 1: sines[(edit + 2) % 3].source.play()
                    default: for sine in sines { sine.source.play() }
                    }
                    tap.drain { _, samples in precondition(samples.allSatisfy { abs($0) < 4 }) }
                    engine.reclaim()
                    sched_yield()
                }
                outcome.isDone.store(true, ordering: .releasing)
            },
        ])
        // A source's gain and fade move by a 240th each, and a sine of 100 Hz by 2π · 100 / 48 000; three sources, and
        // their roundings.
        let allowed = 3 * (2 / Float(engine.rampFrames) + 2 * .pi * 100 / 48_000) + 1e-5
        #expect(outcome.largestStep.withLock { $0 } <= allowed)
        #expect(outcome.loudest.withLock { $0 } > 0.5, "a silent output proves nothing")
        #expect(engine.livePlans < 24)
        #expect(sines.allSatisfy { $0.source.underrunFrames == 0 })
    }
}
