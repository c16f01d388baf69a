import AudioModel
import GuardCore
import Testing

struct RequestRateTests {
    private static func time(_ seconds: Double) -> HostTime { HostTime.zero.advanced(bySeconds: seconds) }

    @Test func burst_isAdmitted_thenOneForEachStepOfTime() {
        var rate = RequestRate(burst: 3, perSecond: 2)
        #expect((0..<4).map { _ in rate.secondsToWait("a", at: .zero) } == [nil, nil, nil, 0.5])
        #expect(rate.secondsToWait("a", at: Self.time(0.25)) == 0.25)
        #expect(rate.secondsToWait("a", at: Self.time(0.5)) == nil)
        #expect(rate.secondsToWait("a", at: Self.time(0.5)) == 0.5)
        // No more than the burst is saved up, and a clock that stands still gives nothing.
        #expect((0..<4).map { _ in rate.secondsToWait("a", at: Self.time(100)) } == [nil, nil, nil, 0.5])
        #expect(rate.secondsToWait("a", at: .zero) != nil)
    }

    @Test func callers_doNotTakeFromEachOther() {
        var rate = RequestRate(burst: 1, perSecond: 1)
        #expect(rate.secondsToWait("a", at: .zero) == nil)
        #expect(rate.secondsToWait("b", at: .zero) == nil)
        #expect(rate.secondsToWait("a", at: .zero) == 1)
    }

    /// Whoever asks most is remembered, however many others there are.
    @Test func manyCallers_doNotMakeAnotherForgotten() {
        var rate = RequestRate(burst: 10, perSecond: 1)
        while rate.secondsToWait("greedy", at: .zero) == nil {}
        for number in 0..<10_000 { #expect(rate.secondsToWait("\(number)", at: .zero) == nil) }
        #expect(rate.secondsToWait("greedy", at: .zero) != nil)
    }
}
