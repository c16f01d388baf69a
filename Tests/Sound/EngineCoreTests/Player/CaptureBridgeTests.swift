import AudioModel
import EngineCore
import Foundation
import RenderBench
import Synchronization
import TestSupport
import Testing

/// What is captured on one clock and played on another, at 1 kHz: the lead is 30 frames.
@Suite struct CaptureBridgeTests {
    private let engine = EngineRenderer(sampleRate: 1000, maximumFrames: 64)
    private let source: SourceFeed
    private let bridge: CaptureBridge

    init() {
        source = engine.makeSource(channels: 1, readAheadSeconds: 2)
        engine.publish(sources: [source], outputChannels: 1, matrix: [1])
        bridge = CaptureBridge(source: source, sampleRate: 1000, converter: nil)
    }

    private func write(_ samples: [Float], to bridge: CaptureBridge? = nil) {
        samples.withUnsafeBufferPointer { (bridge ?? self.bridge).write(interleaved: $0) }
    }

    private func render(_ frames: Int) -> [Float] { RenderBench.cycle(engine.renderer, outputs: 1, frames: frames)[0] }

    private var waitingFrames: Int { source.capacityFrames - source.writableFrames }

    @Test func frames_comeAfterTheLeadAndABlock_eachOnce() {
        // Nothing has been captured yet: silence, and no starvation.
        #expect(render(10) == [Float](repeating: 0, count: 10))
        var heard: [Float] = []
        for block in 0..<20 {
            write(ramp(1 + 10 * block, 10, step: 1))
            heard += render(10)
        }
        #expect(heard == [Float](repeating: 0, count: 40) + ramp(1, 160, step: 1))
    }

    @Test func fasterInput_isCutBackToTheLead() {
        var heard: [Float] = []
        var written = 0
        var longest = 0
        for _ in 0..<200 {
            write(ramp(written + 1, 11, step: 1))
            written += 11
            longest = max(longest, waitingFrames)
            heard += render(10)
        }
        // 200 frames too many, in pieces that bring twice the lead and a block back to once.
        let sound = heard.drop { $0 == 0 }
        let dropped = written - sound.count - waitingFrames
        #expect(dropped > 100)
        #expect(longest <= 2 * (30 + 11) + 11)
        let steps = zip(sound.dropFirst(), sound).map(-)
        // A cut is one step ahead, and nothing is heard twice.
        #expect(steps.allSatisfy { $0 > 0 })
        #expect(steps.count { $0 != 1 } == dropped / 42)
    }

    @Test func slowerInput_leavesAGap_andWaitsLongerFromThenOn() {
        write(ramp(1, 10, step: 1))
        _ = render(50)
        #expect(waitingFrames == 0)
        write(ramp(11, 10, step: 1))
        #expect(waitingFrames == 60 + 10 + 10)
        for _ in 0..<20 {
            while waitingFrames > 0 { _ = render(min(waitingFrames, 64)) }
            write(ramp(1, 10, step: 1))
            #expect(waitingFrames > 80, "each time behind a lead")
        }
        // No lead is longer than 0.3 s.
        #expect(waitingFrames == 300 + 10 + 10)
    }

    @Test func anotherRate_isConverted() {
        let bridge = CaptureBridge(source: source, sampleRate: 1000, converter: DoublingConverter())
        write(ramp(1, 14, step: 1), to: bridge)
        // A block is what it is at the renderer's rate: 20 frames, after the eight that the converter holds.
        #expect(waitingFrames == 30 + 20 + 20)
        #expect(render(50) == [Float](repeating: 0, count: 50))
        #expect(render(20) == ramp(1, 10, step: 1).flatMap { [$0, $0] })
    }

    @Test func writers_areKeptApart_alsoInTheConverter() async {
        let converter = LonelyConverter()
        let bridge = CaptureBridge(source: source, sampleRate: 1000, converter: converter)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<200 { [0.5].withUnsafeBufferPointer { bridge.write(interleaved: $0) } }
                }
            }
        }
        #expect(converter.calls.load(ordering: .relaxed) >= 400)
        #expect(converter.meetings.load(ordering: .relaxed) == 0)
    }
}

/// Counts how often it is called while it is at work; passes frames on.
private final class LonelyConverter: FrameConverter {
    let calls = Atomic<Int>(0)
    let meetings = Atomic<Int>(0)
    private let isAtWork = Atomic<Bool>(false)

    func takeRatio() -> Double { 1 }

    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        calls.add(1, ordering: .relaxed)
        if isAtWork.exchange(true, ordering: .relaxed) { meetings.add(1, ordering: .relaxed) }
        // Invites the other one in.
        for _ in 0..<10 { sched_yield() }
        isAtWork.store(false, ordering: .relaxed)
        _ = output.update(fromContentsOf: input)
        return (input.count, input.count)
    }

    func reset() {}
}
