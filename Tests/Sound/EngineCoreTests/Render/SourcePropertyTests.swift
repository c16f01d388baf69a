import EngineCore
import Foundation
import TestSupport
import Testing

/// Requests to a source in any order: it renders what the reference does, and does not click.
@Suite struct SourcePropertyTests {
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func requests_inAnyOrder_renderWhatTheReferenceDoes(seed: UInt64) {
        var random = Seeded(seed: seed)
        let bench = SourceBench(readAheadFrames: 48)
        var reference = ReferenceSource()
        var hasEnd = false
        for step in 0..<400 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0, 1, 2:
                bench.source.play()
                reference.play()
            case 3:
                bench.source.pause()
                reference.pause()
            case 4:
                bench.source.pauseAtOnce()
                reference.pauseAtOnce()
            case 5:
                let volume = Float(Int.random(in: 0...4, using: &random)) / 4
                bench.source.setVolume(volume)
                reference.setVolume(Double(volume))
            case 6:
                let target = Int.random(in: 0...3, using: &random) * 100
                bench.source.flush(toFrame: Int64(target))
                reference.seek(to: target)
                hasEnd = false
                #expect(bench.source.positionFrames == Int64(target))
            case 7:
                bench.markEnd()
                reference.markEnd()
                hasEnd = true
            case 8:
                let frames = Int.random(in: 0...12, using: &random)
                bench.source.drainFrames = frames
                reference.setDrain(frames)
            case 9, 10, 11, 12:
                let samples = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    Float.random(in: -1...1, using: &random)
                }
                reference.write(samples, taken: hasEnd ? 0 : bench.write(samples))
            default:
                let count = Int.random(in: 0...17, using: &random)
                let isGated = Int.random(in: 0..<8, using: &random) == 0
                let rendered = bench.renderMono(count, isGated: isGated)
                let expected = reference.cycle(count, isGated: isGated)
                // Four roundings of Float32 below 1: volume, fade, and their products.
                let isEqual = zip(rendered, expected).allSatisfy { abs(Double($0) - $1) < 4 * Double(Float.ulpOfOne) }
                #expect(isEqual, "seed \(seed), step \(step): \(rendered) instead of \(expected)")
                #expect(bench.source.positionFrames == Int64(reference.position), "seed \(seed), step \(step)")
                #expect(bench.history() == reference.takeEvents(), "seed \(seed), step \(step)")
                guard isEqual else { return }
            }
        }
        #expect(bench.source.underrunFrames == reference.underrunFrames)
    }

    /// One thing at a time, no closer than a ramp: the largest step is amplitude / ramp plus the signal's own.
    ///
    /// The signal is a sine of 2 Hz at 1 kHz, amplitude 1, whose own steps stay below 2π · 2 / 1000.
    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func step_atPauseResumeVolumeSeekAndUnderrun_staysBelowTheRamp(seed: UInt64) {
        var random = Seeded(seed: seed)
        let bench = SourceBench(maximumFrames: 256, readAheadFrames: 256)
        let ownStep = 2 * Float.pi * 2 / 1000
        var phase = 0
        func fill(_ count: Int) {
            let samples = (0..<count).map { sineSample(phase + $0) }
            phase += bench.write(samples)
        }
        // Not at the first frame, so that the beginning fades in too.
        bench.source.flush(toFrame: 1)
        fill(64)
        bench.source.play()
        var output: [Float] = [0]
        for _ in 0..<60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bench.source.play()
            case 1: bench.source.pause()
            case 2: bench.source.setVolume(Float.random(in: 0...1, using: &random))
            case 3:
                bench.source.flush(toFrame: 1 + Int64.random(in: 0..<1000, using: &random))
                phase = Int.random(in: 0..<500, using: &random)
                fill(64)
            case 4: fill(Int.random(in: 0...60, using: &random))
            default: fill(64)
            }
            output += bench.renderMono(Int.random(in: 12...40, using: &random))
        }
        let largest = zip(output, output.dropFirst()).map { abs($0 - $1) }.max() ?? 0
        // Three roundings on top.
        #expect(largest <= 1 / 5 + ownStep + 3 * .ulpOfOne, "seed \(seed)")
        #expect(output.contains { abs($0) > 0.5 }, "a silent output proves nothing")
    }

    private func sineSample(_ index: Int) -> Float {
        // A quarter of a period ahead: the beginning is loud.
        cosf(2 * .pi * 2 * Float(index % 500) / 1000)
    }
}
