import AudioModel
import CAudioTypes
import EngineCore
import Foundation
import RenderCore
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio

/// What waits for a block of a tap or a sink that takes too long.
@Suite struct BlockCallsTests {
    /// Holds what its thread runs until it is let go.
    private final class Gate: Sendable {
        private let isReached = DispatchSemaphore(value: 0)
        private let isOpen = DispatchSemaphore(value: 0)

        func hold() {
            isReached.signal()
            isOpen.wait()
            isOpen.signal()
        }

        func waitUntilReached() { isReached.wait() }
        func open() { isOpen.signal() }
    }

    private let thread = DeliveryThread(name: "test-taps")
    private let gate = Gate()

    @Test func settle_tellsIdleFromDeliveredFromTimedOut() {
        #expect(thread.settle(atMostSeconds: 0) == .idle)
        thread.enqueue { [gate] in gate.hold() }
        #expect(thread.settle(atMostSeconds: 0) == .timedOut)
        gate.open()
        #expect([.delivered, .idle].contains(thread.settle(atMostSeconds: 60)))
        let own = History<DeliveryThread.Settling>()
        thread.enqueue { [thread] in own.append(thread.settle(atMostSeconds: 60)) }
        thread.settle()
        #expect(own.entries == [.idle])
        thread.close()
    }

    @Test func calls_beyondWhatMayWait_areDroppedAndCounted() {
        let calls = BlockCalls()
        let history = History<Int>()
        func enqueue(_ number: Int, frames: Int = 10) {
            calls.enqueue(frames, rate: 1000, mostSeconds: 0.05, on: thread) { [gate] in
                if number == 0 { gate.hold() }
                history.append(number)
            }
        }
        enqueue(0)
        gate.waitUntilReached()
        for number in 1...8 { enqueue(number) }
        #expect(calls.droppedFrames == 30)
        gate.open()
        thread.settle()
        #expect(history.entries == [0, 1, 2, 3, 4, 5])
        // One that alone is longer than what may wait is none too many.
        enqueue(9, frames: 1000)
        thread.settle()
        #expect(history.entries.last == 9)
        #expect(calls.droppedFrames == 30)
        thread.close()
    }

    @Test func tap_whoseBlockWaits_losesWhatComesAfterTwoSeconds_andShowsTheGap() {
        let format = StreamFormat(sampleRate: 8000, channels: [.mono])
        let times = History<Int>()
        let tap = TapController(wantedFrames: 800, wantedFormat: nil, calls: thread) { [gate] _, time in
            if time.sampleTime == 0 { gate.hold() }
            times.append(Int(time.sampleTime))
        }
        func hear(from: Int64) {
            tap.hear(
                TapBlock(frames: 800, sampleTime: from, hostTimeNanoseconds: 0), [Float](repeating: 0, count: 800),
                of: format, mostWaitingSeconds: 2)
        }
        hear(from: 0)
        gate.waitUntilReached()
        for block in 1...100 { hear(from: Int64(800 * block)) }
        #expect(tap.droppedFrames == 80 * 800)
        gate.open()
        thread.settle()
        hear(from: 101 * 800)
        thread.settle()
        #expect(times.entries == (0...20).map { 800 * $0 } + [101 * 800])
        thread.close()
    }

    @Test func sink_whoseBlockWaits_losesWhatComesAfterTwoSeconds_andShowsTheGap() throws {
        let format = StreamFormat(sampleRate: 8000, channels: [.mono])
        var graph = EngineGraph()
        let input = try graph.attach(.source, name: "input", format: format)
        let node = try graph.attach(.sink, name: "sink", format: format)
        try graph.connect(NodeBus(input), to: NodeBus(node))
        let plan = try #require(graph.sinkPlans(input: input).first)
        let times = History<Int>()
        let sink = SinkNodeController { [gate] time, _, _ in
            if time.pointee.mSampleTime == 0 { gate.hold() }
            times.append(Int(time.pointee.mSampleTime))
            return noErr
        }
        func receive(from: Int64) {
            [Float](repeating: 0, count: 80).withUnsafeBufferPointer {
                sink.receive(
                    TapBlock(frames: 80, sampleTime: from, hostTimeNanoseconds: 0), $0, inputs: 1, rate: 8000, plan,
                    mostWaitingSeconds: 2, on: thread)
            }
        }
        receive(from: 0)
        gate.waitUntilReached()
        for block in 1...1000 { receive(from: Int64(80 * block)) }
        #expect(sink.droppedFrames == 800 * 80)
        gate.open()
        thread.settle()
        receive(from: 1001 * 80)
        thread.settle()
        #expect(times.entries == (0...200).map { 80 * $0 } + [1001 * 80])
        thread.close()
    }
}
