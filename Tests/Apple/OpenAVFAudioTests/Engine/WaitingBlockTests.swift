import AudioModel
import EngineCore
import Foundation
import RenderCore
import TestSupport
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

/// What waits for a block of a tap or a sink that takes too long.
@Suite struct WaitingBlockTests {
    private let thread = DeliveryThread(name: "test-taps")
    private let gate = Gate()

    @Test func tap_whoseBlockWaits_losesWhatComesAfterTwoSeconds_andShowsTheGap() {
        let format = StreamFormat(sampleRate: 8000, channels: [.mono])
        let times = History<Int>()
        let tap = TapController(wantedFrames: 800, wantedFormat: nil, calls: thread) { [gate] heard, _, _ -> Int in
            if heard.sampleTime == 0 { gate.hold() }
            times.append(Int(heard.sampleTime))
            return heard.frames
        }
        func hear(from: Int64) {
            tap.hear(
                CycleBlock(frames: 800, sampleTime: from, hostTimeNanoseconds: 0), [Float](repeating: 0, count: 800),
                of: format, mostWaitingSeconds: 2)
        }
        hear(from: 0)
        gate.waitUntilReached()
        for block in 1...100 { hear(from: Int64(800 * block)) }
        gate.open()
        thread.drain()
        hear(from: 101 * 800)
        thread.drain()
        #expect(times.entries == (0...20).map { 800 * $0 } + [101 * 800])
        thread.close()
    }

    @Test func sink_whoseBlockWaits_outsideOfTheCycle_losesWhatComesAfterTwoSeconds_andShowsTheGap() {
        let format = StreamFormat(sampleRate: 8000, channels: [.mono])
        let times = History<Int>()
        let block = SinkBlock { [gate] heard, _, _ in
            if heard.sampleTime == 0 { gate.hold() }
            times.append(Int(heard.sampleTime))
        } makeBody: { _ in
            { _ in }
        }
        let sink = SinkNodeController(block)
        func receive(from: Int64) {
            sink.receive(
                CycleBlock(frames: 80, sampleTime: from, hostTimeNanoseconds: 0), [Float](repeating: 0, count: 80),
                format, mostWaitingSeconds: 2, on: thread)
        }
        receive(from: 0)
        gate.waitUntilReached()
        for block in 1...1000 { receive(from: Int64(80 * block)) }
        gate.open()
        thread.drain()
        receive(from: 1001 * 80)
        thread.drain()
        #expect(times.entries == (0...200).map { 80 * $0 } + [1001 * 80])
        thread.close()
    }
}
