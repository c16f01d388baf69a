import CoreMedia
import Foundation
import Testing

struct CMTimeTests {
    private func time(_ value: CMTimeValue, _ timescale: CMTimeScale) -> CMTime {
        CMTime(value: value, timescale: timescale)
    }

    @Test func seconds_areRoundedToTheTimescale() {
        let exact = CMTime(seconds: 1.5, preferredTimescale: 600)
        #expect((exact.value, exact.timescale, exact.hasBeenRounded) == (900, 600, false))
        let rounded = CMTimeMakeWithSeconds(1.0 / 3, preferredTimescale: 10)
        #expect((rounded.value, rounded.timescale, rounded.hasBeenRounded) == (3, 10, true))
        #expect(CMTimeMakeWithSeconds(-0.25, preferredTimescale: 2).value == -1)
        #expect(CMTimeGetSeconds(time(3, 4)) == 0.75)
        #expect(CMTimeMake(value: 3, timescale: 4) == time(3, 4))
        #expect(CMTimeMakeWithEpoch(value: 3, timescale: 4, epoch: 2).epoch == 2)
        #expect(!CMTime(seconds: 1, preferredTimescale: 0).isValid)
        #expect(!CMTime(seconds: .nan, preferredTimescale: 600).isValid)
    }

    @Test func seconds_thatAreTooMany_takeASmallerTimescale_andAreInfiniteAtLast() {
        let long = CMTime(seconds: 0x1p60, preferredTimescale: 1_000_000)
        #expect(long.seconds == 0x1p60)
        #expect(long.timescale < 1_000_000)
        #expect(CMTime(seconds: 1e300, preferredTimescale: 600).isPositiveInfinity)
        #expect(CMTime(seconds: -.infinity, preferredTimescale: 600).isNegativeInfinity)
    }

    @Test func kinds_areThoseOfTheirFlags() {
        let kinds: [CMTime] = [.zero, .invalid, .indefinite, .positiveInfinity, .negativeInfinity]
        #expect(kinds.map(\.isValid) == [true, false, true, true, true])
        #expect(kinds.map(\.isNumeric) == [true, false, false, false, false])
        #expect(kinds.map(\.isIndefinite) == [false, false, true, false, false])
        #expect(kinds.map(CMTIME_IS_VALID) == [true, false, true, true, true])
        #expect(kinds.map(CMTIME_IS_INVALID) == [false, true, false, false, false])
        #expect(kinds.map(CMTIME_IS_NUMERIC) == [true, false, false, false, false])
        #expect(kinds.map(CMTIME_IS_INDEFINITE) == [false, false, true, false, false])
        #expect(kinds.map(CMTIME_IS_POSITIVEINFINITY) == [false, false, false, true, false])
        #expect(kinds.map(CMTIME_IS_NEGATIVEINFINITY) == [false, false, false, false, true])
        #expect(kinds.map(CMTIME_HAS_BEEN_ROUNDED) == [false, false, false, false, false])
        #expect(CMTime.zero.flags == .valid)
        #expect(CMTime.positiveInfinity.flags.rawValue == 5)
        #expect(CMTime.indefinite.flags.rawValue == 17)
        #expect(CMTimeFlags.impliedValueFlagsMask.rawValue == 28)
        #expect(CMTime.zero.timescale == 1)
        #expect(CMTime().flags.isEmpty)
        #expect(CMTime.invalid.seconds.isNaN)
        #expect(CMTime.negativeInfinity.seconds == -.infinity)
        #expect(kCMTimeMaxTimescale == 0x7FFF_FFFF)
        #expect(CMTime(seconds: 1.5, preferredTimescale: CMTimeScale(NSEC_PER_SEC)).value == 1_500_000_000)
        #expect([NSEC_PER_MSEC, NSEC_PER_USEC, USEC_PER_SEC] == [1_000_000, 1000, 1_000_000])
    }

    @Test func sums_haveTheCommonTimescale() {
        let sum = time(1, 4) + time(1, 6)
        #expect((sum.value, sum.timescale) == (5, 12))
        let difference = CMTimeSubtract(time(1, 600), time(2, 600))
        #expect((difference.value, difference.timescale) == (-1, 600))
        #expect(CMTimeAdd(.positiveInfinity, time(1, 1)) == .positiveInfinity)
        #expect(CMTimeAdd(.indefinite, time(1, 1)).isIndefinite)
        #expect(!CMTimeAdd(.positiveInfinity, .negativeInfinity).isValid)
        #expect(!CMTimeAdd(.invalid, .zero).isValid)
        let largest = CMTime(value: .max, timescale: 4) + CMTime(value: .max - 1, timescale: 4)
        #expect(largest.seconds == 0x1p62)
        #expect(largest.hasBeenRounded)
        #expect((CMTime(value: .max, timescale: 1) + time(1, 1)).isPositiveInfinity)
        // Two primes whose product is no timescale.
        let fine = time(1, 2_147_483_647) + time(1, 2_147_483_629)
        #expect((fine.value, fine.timescale, fine.hasBeenRounded) == (2, kCMTimeMaxTimescale, true))
    }

    /// An app may take a timescale from a file: none ends the program.
    @Test(arguments: [0, -1, -600, .min] as [Int32])
    func timescale_below1_makesNoNumber(timescale: Int32) {
        for value in [0, 1, -7, .max, .min] as [Int64] {
            let time = CMTimeMake(value: value, timescale: timescale)
            #expect(time.isValid && !time.isNumeric && time.seconds.isNaN)
            let others = [CMTime.zero, CMTime(value: 1, timescale: 600), .indefinite, .positiveInfinity, time]
            for other in others {
                #expect(!(time + other).isValid && !(other + time).isValid && !(time - other).isValid)
                #expect(CMTimeCompare(time, other) == (other == time ? 0 : 1) && time.hashValue == time.hashValue)
            }
            #expect(!CMTimeRange(start: time, end: .zero).isValid && !CMTimeRange(start: .zero, end: time).isValid)
            for other in [
                time.convertScale(600, method: .default), CMTimeMultiply(time, multiplier: 3),
                CMTimeMultiplyByFloat64(time, multiplier: -0.5), CMTimeMultiplyByRatio(time, multiplier: 2, divisor: 3),
                CMTimeAbsoluteValue(time),
            ] { #expect(!other.isNumeric) }
        }
    }

    @Test func epochs_addOnlyToDurations() {
        let later = CMTimeMakeWithEpoch(value: 5, timescale: 1, epoch: 1)
        let epochs: [CMTimeEpoch] = [later + time(1, 1), later - later].map(\.epoch)
        #expect(epochs == [1, 0])
        #expect(!(later + CMTimeMakeWithEpoch(value: 1, timescale: 1, epoch: 2)).isValid)
        #expect(later > time(100, 1))
    }

    @Test func products_areExactWhereTheyFit() {
        #expect(CMTimeMultiply(time(1, 3), multiplier: 6) == time(2, 1))
        #expect(CMTimeMultiply(time(1, 3), multiplier: 6).timescale == 3)
        let half = CMTimeMultiplyByFloat64(time(3, 1), multiplier: 0.5)
        #expect((half.seconds, half.hasBeenRounded) == (1.5, false))
        #expect(CMTimeMultiplyByRatio(time(10, 1), multiplier: 1, divisor: 3) == time(10, 3))
        #expect(CMTimeMultiplyByRatio(time(-10, 1), multiplier: 3, divisor: -2) == time(15, 1))
        #expect(!CMTimeMultiplyByRatio(time(10, 1), multiplier: 1, divisor: 0).isValid)
        #expect(CMTimeMultiply(.positiveInfinity, multiplier: -1) == .negativeInfinity)
        #expect(CMTimeAbsoluteValue(time(-3, 2)) == time(3, 2))
        #expect(CMTimeAbsoluteValue(.negativeInfinity) == .positiveInfinity)
    }

    @Test func order_isTotal() {
        let ordered: [CMTime] = [
            .negativeInfinity, time(-1, 2), .zero, time(1, 3), time(2, 3), .indefinite,
            .positiveInfinity, .invalid,
        ]
        for (i, a) in ordered.enumerated() {
            for (j, b) in ordered.enumerated() {
                #expect(CMTimeCompare(a, b) == Int32((i - j).signum()), "\(a) \(b)")
                #expect((a < b, a == b, a > b) == (i < j, i == j, i > j))
                #expect((a <= b, a >= b, a != b) == (i <= j, i >= j, i != j))
            }
        }
        #expect(time(1, 2) == time(300, 600))
        #expect(Set([time(1, 2), time(300, 600), time(0, 600), .zero]).count == 2)
        #expect(CMTimeMinimum(time(1, 2), .zero) == .zero)
        #expect(CMTimeMaximum(time(1, 2), .zero) == time(1, 2))
    }

    @Test(
        arguments: [
            (CMTimeRoundingMethod.default, [-2, -1, 1, 2]), (.roundHalfAwayFromZero, [-2, -1, 1, 2]),
            (.roundTowardZero, [-1, 0, 0, 1]), (.roundAwayFromZero, [-2, -1, 1, 2]),
            (.roundTowardPositiveInfinity, [-1, 0, 1, 2]), (.roundTowardNegativeInfinity, [-2, -1, 0, 1]),
            // To a smaller timescale toward zero, but never from below it to it.
            (.quickTime, [-1, -1, 0, 1]),
        ] as [(CMTimeRoundingMethod, [Int64])])
    func convertScale_roundsAsAsked(method: CMTimeRoundingMethod, expected: [Int64]) {
        // -1.5, -0.5, 0.5 and 1.5 s.
        let converted = [-3, -1, 1, 3].map { CMTimeConvertScale(time($0, 2), timescale: 1, method: method) }
        #expect(converted.map(\.value) == expected)
        #expect(converted.allSatisfy { $0.hasBeenRounded && $0.timescale == 1 })
    }

    @Test func convertScale_keepsWhatIsNoNumber() {
        #expect(time(1, 2).convertScale(48_000, method: .default).value == 24_000)
        #expect(!time(1, 2).convertScale(0, method: .default).isValid)
        #expect(CMTime.positiveInfinity.convertScale(600, method: .default) == .positiveInfinity)
        #expect(CMTime(value: .max, timescale: 1).convertScale(600, method: .default).isPositiveInfinity)
    }

    @Test func range_containsItsStartAndNotItsEnd() {
        let range = CMTimeRange(start: time(1, 1), end: time(3, 1))
        #expect(range == CMTimeRangeMake(start: time(1, 1), duration: time(2, 1)))
        #expect(range == CMTimeRangeFromTimeToTime(start: time(1, 1), end: time(3, 1)))
        #expect(CMTimeRangeGetEnd(range) == time(3, 1))
        #expect([0, 1, 2, 3].map { CMTimeRangeContainsTime(range, time: time($0, 1)) } == [false, true, true, false])
        #expect([0, 1, 2, 3].map { range.containsTime(time($0, 1)) } == [false, true, true, false])
        let inner = CMTimeRange(start: time(2, 1), duration: time(1, 1))
        #expect(CMTimeRangeContainsTimeRange(range, otherRange: inner))
        #expect(!inner.containsTimeRange(range))
        #expect(CMTimeRangeEqual(range, range))
        #expect(!CMTimeRangeEqual(range, inner))
        #expect(CMTimeClampToRange(time(9, 1), range: range) == time(3, 1))
        #expect(CMTimeClampToRange(time(0, 1), range: range) == time(1, 1))
        #expect(!CMTimeClampToRange(.zero, range: .zero).isValid)
    }

    @Test func ranges_meetAndJoin() {
        let first = CMTimeRange(start: .zero, duration: time(2, 1))
        let second = CMTimeRange(start: time(1, 1), duration: time(3, 1))
        #expect(
            CMTimeRangeGetIntersection(first, otherRange: second) == CMTimeRange(start: time(1, 1), end: time(2, 1)))
        #expect(CMTimeRangeGetUnion(first, otherRange: second) == CMTimeRange(start: .zero, end: time(4, 1)))
        #expect(first.intersection(CMTimeRange(start: time(5, 1), duration: time(1, 1))).isEmpty)
        #expect(!first.union(.invalid).isValid)
        #expect(CMTimeRange.zero.isEmpty)
        #expect(!CMTimeRange().isValid)
        #expect(CMTimeRange(start: .zero, duration: .indefinite).isIndefinite)
        #expect(!CMTimeRange(start: .zero, duration: time(-1, 1)).isValid)
    }

    @Test func values_comeBackOutOfAnNSValue() {
        let time = CMTimeMakeWithEpoch(value: -5, timescale: 600, epoch: 3)
        #expect(NSValue(time: time).timeValue == time)
        let range = CMTimeRange(start: .zero, duration: time)
        #expect(NSValue(timeRange: range).timeRangeValue == range)
        #expect(!NSValue(timeRange: range).timeValue.isValid)
        #expect(!NSNumber(value: 3).timeRangeValue.isValid)
    }
}
