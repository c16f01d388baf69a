/// A duration from a start on; the end is not part of it.
///
/// Source: SDK header CMTimeRange.h of CoreMedia.
public struct CMTimeRange: Hashable, Sendable {
    /// The first moment of the range.
    public var start: CMTime
    /// The length; 0 for an empty range, negative in an invalid one.
    public var duration: CMTime

    /// An invalid range.
    public init() { self = .invalid }

    /// Stores both and does not check them; see `isValid`.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// The range from `start` up to, and without, `end`; invalid if `end` is earlier.
    public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

    /// The empty range at 0 seconds.
    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    /// A range without start and duration.
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)

    /// Whether both times are valid, and the duration is not negative and has epoch 0.
    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero
    }
    /// Whether the range is valid and its start or its duration is not known.
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
    /// Whether the range is valid and its duration is 0.
    public var isEmpty: Bool { isValid && duration == .zero }

    /// The first moment after the range; invalid for an invalid range.
    public var end: CMTime { isValid ? start + duration : .invalid }

    /// Whether the time is in the range; the start is, the end is not.
    public func containsTime(_ time: CMTime) -> Bool { isValid && time.isValid && time >= start && time < end }

    /// Whether all of the other range is in this one; false if one of them is invalid.
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

/// The range of a start and a duration; see `CMTimeRange.init(start:duration:)`.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, duration: duration)
}

/// The range from `start` up to, and without, `end`.
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange { CMTimeRange(start: start, end: end) }

/// The first moment after the range; invalid for an invalid range.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

/// Whether the time is in the range; the start is, the end is not.
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }

/// Whether all of `otherRange` is in `range`.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
    range.containsTimeRange(otherRange)
}

/// Whether start and duration of both are equal.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }

/// What two ranges have in common; see `CMTimeRange.intersection(_:)`.
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.intersection(otherRange)
}

/// From the earlier start to the later end; see `CMTimeRange.union(_:)`.
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.union(otherRange)
}

/// The nearest time of the range; invalid for an empty range.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
    guard time.isValid, range.isValid, !range.isEmpty else { return .invalid }
    return min(max(time, range.start), range.end)
}
