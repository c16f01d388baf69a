import TestSupport
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

/// Calls that wait for a block that takes too long.
@Suite struct BlockCallsTests {
    private let thread = DeliveryThread(name: "test-taps")
    private let gate = Gate()

    @Test func settle_tellsIdleFromDeliveredFromTimedOut() {
        #expect(thread.drain(atMostSeconds: 0) == .idle)
        thread.enqueue { [gate] in gate.hold() }
        #expect(thread.drain(atMostSeconds: 0) == .timedOut)
        gate.open()
        #expect([.delivered, .idle].contains(thread.drain(atMostSeconds: 60)))
        let own = History<DeliveryThread.DrainResult>()
        thread.enqueue { [thread] in own.append(thread.drain(atMostSeconds: 60)) }
        thread.drain()
        #expect(own.entries == [.idle])
        thread.close()
    }

    @Test func calls_beyondWhatMayWait_areDropped() {
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
        gate.open()
        thread.drain()
        #expect(history.entries == [0, 1, 2, 3, 4, 5])
        // One that alone is longer than what may wait is none too many.
        enqueue(9, frames: 1000)
        thread.drain()
        #expect(history.entries.last == 9)
        thread.close()
    }
}
