import AudioModel
import Testing

struct HostTimeTests {
    @Test func advanced_bySeconds_movesToTheNearestNanosecond() {
        #expect(HostTime.zero.advanced(bySeconds: 1.5).nanoseconds == 1_500_000_000)
        #expect(HostTime.zero.advanced(bySeconds: 0.1).nanoseconds == 100_000_000)
        #expect(HostTime(nanoseconds: 2_000_000_000).advanced(bySeconds: -0.5).nanoseconds == 1_500_000_000)
    }

    @Test func advanced_pastTheBeginning_stopsAtZero() {
        #expect(HostTime(nanoseconds: 5).advanced(bySeconds: -1) == .zero)
        #expect(HostTime(nanoseconds: 5).advanced(bySeconds: -.infinity) == .zero)
    }

    @Test func advanced_pastTheEnd_stopsAtTheEnd() {
        let end = HostTime(nanoseconds: .max)
        #expect(HostTime(nanoseconds: .max - 10).advanced(bySeconds: 1) == end)
        #expect(HostTime.zero.advanced(bySeconds: 1e30) == end)
        #expect(HostTime.zero.advanced(bySeconds: .infinity) == end)
    }

    @Test func advanced_byNotANumber_staysWhereItIs() {
        #expect(HostTime(nanoseconds: 7).advanced(bySeconds: .nan) == HostTime(nanoseconds: 7))
    }

    @Test func advanced_afterYearsOfUptime_keepsEachNanosecond() {
        // 2^60 ns is 36 years, where a Double's step is 256 ns.
        let late = HostTime(nanoseconds: 1 << 60 | 1)
        #expect(late.advanced(bySeconds: 1).nanoseconds == (1 << 60 | 1) + 1_000_000_000)
        #expect(late.advanced(bySeconds: 0) == late)
    }

    @Test func secondsSince_inBothDirections_haveOppositeSigns() {
        let (early, late) = (HostTime(nanoseconds: 1_000_000_000), HostTime(nanoseconds: 3_500_000_000))
        #expect(late.seconds(since: early) == 2.5)
        #expect(early.seconds(since: late) == -2.5)
        #expect(early < late)
        #expect(HostTime.zero.seconds(since: HostTime(nanoseconds: .max)) < -1.8e10)
    }
}
