import AudioModel
import Testing

@testable import HostPipeWire

struct PipeWireManagerStartTests {
    private typealias Progress = PipeWireManagerStart.Progress

    private let first = StreamID(number: 1)
    private let second = StreamID(number: 2)

    private func time(_ milliseconds: UInt64) -> HostTime { HostTime(nanoseconds: milliseconds * 1_000_000) }

    /// One that has gone and come back at 1 s.
    private func restart() -> PipeWireManagerStart {
        var start = PipeWireManagerStart()
        for isThere in [true, false] { start.noted(isThere: isThere, at: time(0)) }
        start.noted(isThere: true, at: time(1000))
        return start
    }

    @Test func manager_thatWasThereAllTheTime_isNotWatched() {
        var start = PipeWireManagerStart()
        for _ in 0..<2 {
            start.noted(isThere: true, at: time(0))
            #expect(!start.isUnderWay && start.nextLook == nil)
        }
    }

    @Test func stream_thatIsNotCalledAnyMore_stands() {
        var start = restart()
        #expect(start.isUnderWay && start.nextLook == time(1000))
        let before = [first: Progress(cycles: 7, isLinked: true), second: Progress(cycles: 7, isLinked: true)]
        #expect(start.look(before, at: time(1000)) == [])
        #expect(start.nextLook == time(1300))
        let after = [first: Progress(cycles: 8, isLinked: true), second: Progress(cycles: 7, isLinked: true)]
        #expect(start.look(after, at: time(1300)) == [second])
        // As long as it stands.
        #expect(start.look([second: Progress(cycles: 7, isLinked: true)], at: time(1600)) == [second])
    }

    /// It is called, and one of its channels is not heard.
    @Test func stream_withALinkThatPassesNothingOn_standsFromTheSecondLookOn() {
        var start = restart()
        _ = start.look([first: Progress(cycles: 1, isLinked: true)], at: time(1000))
        #expect(start.look([first: Progress(cycles: 2, isLinked: false)], at: time(1300)) == [])
        #expect(start.look([first: Progress(cycles: 3, isLinked: false)], at: time(1600)) == [first])
        #expect(start.look([first: Progress(cycles: 4, isLinked: true)], at: time(1900)) == [])
    }

    @Test func look_endsAfterTenSeconds_orWithTheManager() {
        var start = restart()
        #expect(start.look([first: Progress(cycles: 1, isLinked: true)], at: time(10_999)) == [])
        #expect(start.isUnderWay)
        // What still stands then is told once more.
        #expect(start.look([first: Progress(cycles: 1, isLinked: true)], at: time(11_000)) == [first])
        #expect(!start.isUnderWay && start.nextLook == nil)
        #expect(start.look([first: Progress(cycles: 1, isLinked: true)], at: time(11_300)) == [])

        start = restart()
        start.noted(isThere: false, at: time(1100))
        #expect(!start.isUnderWay && start.nextLook == nil)
        start.noted(isThere: true, at: time(1200))
        // Nothing is known of the time before.
        #expect(start.look([first: Progress(cycles: 1, isLinked: true)], at: time(1200)) == [])
    }
}
