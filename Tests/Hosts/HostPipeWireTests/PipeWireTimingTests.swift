import AudioModel
import Testing

@testable import HostPipeWire

@Suite struct PipeWireTimingTests {
    // MARK: Bursts

    @Test func burst_isSettledByTheFirstRoundTripWithoutAChange() {
        var coalescer = PipeWireChangeCoalescer()
        #expect(coalescer.changed() == .sync)
        #expect(coalescer.changed() == .none)
        #expect(coalescer.isSyncing)
        #expect(coalescer.synced(isEnumerating: false) == .sync)
        #expect(coalescer.synced(isEnumerating: false) == .settled)
        #expect(!coalescer.isSyncing)
        #expect(coalescer.synced(isEnumerating: false) == .none)
        #expect(coalescer.changed() == .sync)
    }

    @Test func burst_waitsForTheRoutesOfADevice() {
        var coalescer = PipeWireChangeCoalescer()
        _ = coalescer.changed()
        #expect(coalescer.synced(isEnumerating: true) == .sync)
        #expect(coalescer.synced(isEnumerating: false) == .settled)
    }

    @Test func burst_ofAServerThatNeverRests_isSettledAllTheSame_eachTime() {
        var coalescer = PipeWireChangeCoalescer()
        for _ in 0..<3 {
            #expect(coalescer.changed() == .sync)
            var roundTrips = 1
            repeat {
                _ = coalescer.changed()
                roundTrips += 1
            } while coalescer.synced(isEnumerating: true) == .sync && roundTrips < 100
            #expect(roundTrips == PipeWireChangeCoalescer.longestBurst + 2)
        }
    }

    // MARK: Deadlines

    private func time(_ nanoseconds: UInt64) -> HostTime { HostTime(nanoseconds: nanoseconds) }

    @Test func deadlines_comeInOrder_once() {
        var deadlines = PipeWireDeadlines()
        #expect(deadlines.next == nil)
        deadlines.set(.alarm(time(30)), at: time(30))
        deadlines.set(.rest, at: time(10))
        deadlines.set(.stream(StreamID(number: 1)), at: time(20))
        #expect(deadlines.next == time(10))
        #expect(deadlines.removeDue(at: time(9)) == [])
        #expect(deadlines.removeDue(at: time(20)) == [.rest, .stream(StreamID(number: 1))])
        #expect(deadlines.removeDue(at: time(20)) == [])
        #expect(deadlines.next == time(30))
    }

    @Test func deadline_setAgain_replacesTheFirst_andOthersStay() {
        var deadlines = PipeWireDeadlines()
        deadlines.set(.rest, at: time(10))
        deadlines.set(.rest, at: time(20))
        deadlines.set(.stream(StreamID(number: 1)), at: time(15))
        deadlines.set(.stream(StreamID(number: 2)), at: time(15))
        deadlines.set(.stream(StreamID(number: 1)), at: nil)
        #expect(deadlines.removeDue(at: time(15)) == [.stream(StreamID(number: 2))])
        #expect(deadlines.removeDue(at: time(20)) == [.rest])
    }
}
