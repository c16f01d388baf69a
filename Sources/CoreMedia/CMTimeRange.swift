/// A duration from a start on; the end is not part of it.
///
/// Source: SDK header CMTimeRange.h of CoreMedia.
public struct CMTimeRange: Hashable, Sendable {
    public var start: CMTime
    public var duration: CMTime

    /// An invalid range.
    public init() { self = .invalid }

    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)

    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero
    }
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
    public var isEmpty: Bool { isValid && duration == .zero }

    public var end: CMTime { isValid ? start + duration : .invalid }

    public func containsTime(_ time: CMTime) -> Bool { isValid && time.isValid && time >= start && time < end }

    public func containsTimeRange(_ range: CMTimeRange) -> Bool {
        isValid && range.isValid && range.start >= start && range.end <= end
    }

    /// Empty where the two have nothing in common; invalid where one of them is.
    public func intersection(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard isValid, otherRange.isValid else { return .invalid }
        let (first, last) = (max(start, otherRange.start), min(end, otherRange.end))
        return first < last ? CMTimeRange(start: first, end: last) : .zero
    }

    /// From the earlier start to the later end; invalid where one of them is.
    public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard isValid, otherRange.isValid else { return .invalid }
        return CMTimeRange(start: min(start, otherRange.start), end: max(end, otherRange.end))
    }
}

public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, duration: duration)
}

public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange { CMTimeRange(start: start, end: end) }

public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }

public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
    range.containsTimeRange(otherRange)
}

public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }

public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.intersection(otherRange)
}

public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.union(otherRange)
}

/// The nearest time of the range; invalid for an empty range.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
    guard time.isValid, range.isValid, !range.isEmpty else { return .invalid }
    return min(max(time, range.start), range.end)
}
