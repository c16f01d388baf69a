/// The numerator of a `CMTime`.
public typealias CMTimeValue = Int64
/// The denominator of a `CMTime`: how many units a second has.
public typealias CMTimeScale = Int32
/// Separates times of equal value in different passes of a medium; 0 unless a program uses it.
public typealias CMTimeEpoch = Int64

/// The largest timescale.
public let kCMTimeMaxTimescale: CMTimeScale = 0x7FFF_FFFF

// The timescales that code of an app makes a `CMTime` with. They come from Dispatch on iOS, whose Linux version has none.

/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000

/// What is known about a `CMTime`.
///
/// Source: SDK header CMTime.h of CoreMedia.
public struct CMTimeFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The time is valid; without this flag all other flags and values are meaningless.
    public static let valid = CMTimeFlags(rawValue: 1)
    /// The value is not exact: it was rounded to fit its timescale.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
    /// The time is later than every number.
    public static let positiveInfinity = CMTimeFlags(rawValue: 4)
    /// The time is earlier than every number.
    public static let negativeInfinity = CMTimeFlags(rawValue: 8)
    /// The time exists but is not known, as the duration of a live stream.
    public static let indefinite = CMTimeFlags(rawValue: 16)
    /// The flags with which value and timescale mean nothing.
    public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// What happens to the rest where a time does not fit its new timescale.
///
/// Source: SDK header CMTime.h of CoreMedia.
public enum CMTimeRoundingMethod: UInt32, Sendable {
    /// To the nearest value; a half goes away from zero (2.5 to 3, -2.5 to -3).
    case roundHalfAwayFromZero = 1
    /// Drops the fraction.
    case roundTowardZero = 2
    /// To the next value away from zero, for any fraction.
    case roundAwayFromZero = 3
    /// Toward zero to a smaller timescale, away from zero to a larger one, and never from below 0 to 0.
    case quickTime = 4
    /// Up to the next value.
    case roundTowardPositiveInfinity = 5
    /// Down to the next value.
    case roundTowardNegativeInfinity = 6

    /// The same as `roundHalfAwayFromZero`.
    public static var `default`: CMTimeRoundingMethod { .roundHalfAwayFromZero }
}

/// A time as a fraction of whole numbers: `value / timescale` seconds.
///
/// Invalid, indefinite and infinite times exist too. Two times of one moment and different timescales are equal.
///
/// Source: SDK header CMTime.h of CoreMedia.
public struct CMTime: Sendable {
    /// The numerator, in units of `1 / timescale` seconds.
    public var value: CMTimeValue
    /// The units in one second: 600 and 44 100 are usual; above 0 in a time that is a number.
    public var timescale: CMTimeScale
    /// Whether the time is valid, rounded, infinite or indefinite.
    public var flags: CMTimeFlags
    /// 0 unless a program separates the passes of a loop; times of two epochs have no difference, unless one of these is 0.
    public var epoch: CMTimeEpoch

    /// An invalid time.
    public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

    /// Stores these four parts unchanged and does not check them.
    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// The valid time of `value / timescale` seconds.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self.init(value: value, timescale: timescale, flags: .valid, epoch: 0)
    }

    /// The nearest time of the timescale, or of a half, a quarter and so on of it where the seconds need that.
    ///
    /// A time that is not exact has the flag `hasBeenRounded`. Invalid for NaN and for a timescale below 1.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        guard preferredTimescale > 0, !seconds.isNaN else {
            self = .invalid
            return
        }
        var timescale = preferredTimescale
        while timescale > 1, abs(seconds) * Double(timescale) >= Double(Int64.max) { timescale /= 2 }
        let scaled = seconds * Double(timescale)
        guard abs(scaled) < Double(Int64.max) else {
            self = seconds < 0 ? .negativeInfinity : .positiveInfinity
            return
        }
        self.init(value: Int64(scaled.rounded(.toNearestOrAwayFromZero)), timescale: timescale)
        if self.seconds != seconds { flags.insert(.hasBeenRounded) }
    }

    /// 0 seconds, with timescale 1.
    public static let zero = CMTime(value: 0, timescale: 1)
    /// A time without meaning: the result of impossible arithmetic, greater than every other time in a comparison.
    public static let invalid = CMTime()
    /// For example the duration of a live stream, which is not known.
    public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    /// Later than every number; its `seconds` are `Double.infinity`.
    public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    /// Earlier than every number; its `seconds` are `-Double.infinity`.
    public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)

    /// False only for an invalid time; infinite and indefinite times are valid.
    public var isValid: Bool { flags.contains(.valid) }
    /// Whether the time is later than every number.
    public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
    /// Whether the time is earlier than every number.
    public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
    /// Whether the time exists but is not known.
    public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
    /// Valid, and neither infinite nor indefinite; false for a timescale below 1, with which there is no number of seconds.
    public var isNumeric: Bool { isValid && timescale > 0 && flags.isDisjoint(with: .impliedValueFlagsMask) }
    /// Whether this time, or one from which it was calculated, was rounded to fit a timescale.
    public var hasBeenRounded: Bool { isValid && flags.contains(.hasBeenRounded) }

    /// NaN for an invalid or indefinite time, and for a timescale below 1.
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        return isPositiveInfinity ? .infinity : isNegativeInfinity ? -.infinity : .nan
    }

    /// The same time with another timescale.
    ///
    /// Invalid for a timescale below 1; infinite where the value would be too large.
    public func convertScale(_ newTimescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
        guard newTimescale > 0 else { return .invalid }
        guard isNumeric, newTimescale != timescale else { return self }
        let fraction = Fraction(Int128(value), Int128(timescale))
        guard let converted = fraction.time(timescale: newTimescale, method, from: timescale) else {
            return value < 0 ? .negativeInfinity : .positiveInfinity
        }
        return converted.marked(like: self, epoch: epoch)
    }
}

// MARK: Arithmetic

/// `value / scale` seconds with room for every product of two values of a `CMTime`; `scale` is above 0.
struct Fraction {
    var value: Int128
    var scale: Int128

    init(_ value: Int128, _ scale: Int128) {
        self.value = value
        self.scale = scale
    }

    /// Without a timescale that fits, the largest one; halved until the value fits; infinite at last.
    func time() -> CMTime {
        var timescale = CMTimeScale(clamping: scale)
        while true {
            if let time = time(timescale: timescale, .default, from: timescale) { return time }
            guard timescale > 1 else { return value < 0 ? .negativeInfinity : .positiveInfinity }
            timescale /= 2
        }
    }

    /// Nil where the value does not fit.
    func time(timescale: CMTimeScale, _ method: CMTimeRoundingMethod, from oldTimescale: CMTimeScale) -> CMTime? {
        let (product, overflow) = value.multipliedReportingOverflow(by: Int128(timescale))
        guard !overflow else { return nil }
        var (quotient, remainder) = product.quotientAndRemainder(dividingBy: scale)
        if remainder != 0 {
            let away: Int128 = product < 0 ? -1 : 1
            switch method {
            case .roundHalfAwayFromZero: if remainder.magnitude * 2 >= scale.magnitude { quotient += away }
            case .roundTowardZero: break
            case .roundAwayFromZero: quotient += away
            case .quickTime: if timescale > oldTimescale || (away < 0 && quotient == 0) { quotient += away }
            case .roundTowardPositiveInfinity: if away > 0 { quotient += 1 }
            case .roundTowardNegativeInfinity: if away < 0 { quotient -= 1 }
            }
        }
        guard let whole = Int64(exactly: quotient) else { return nil }
        return CMTime(
            value: whole, timescale: timescale, flags: remainder == 0 ? .valid : [.valid, .hasBeenRounded], epoch: 0)
    }

    static func greatestCommonDivisor(_ a: Int128, _ b: Int128) -> Int128 {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}

extension CMTime {
    /// Rounded before is rounded still.
    fileprivate func marked(like other: CMTime, epoch: CMTimeEpoch) -> CMTime {
        var time = self
        time.epoch = epoch
        if other.hasBeenRounded, isNumeric { time.flags.insert(.hasBeenRounded) }
        return time
    }

    private var negated: CMTime {
        if isPositiveInfinity { return .negativeInfinity }
        if isNegativeInfinity { return .positiveInfinity }
        guard isNumeric, value != 0 else { return self }
        return Fraction(-Int128(value), Int128(timescale)).time().marked(like: self, epoch: epoch)
    }

    private static func sum(_ a: CMTime, _ b: CMTime, epoch: CMTimeEpoch?) -> CMTime {
        guard !a.isNothing, !b.isNothing else { return .invalid }
        if a.isNumeric, b.isNumeric {
            guard let epoch else { return .invalid }
            let (scaleA, scaleB) = (Int128(a.timescale), Int128(b.timescale))
            let common = scaleA / Fraction.greatestCommonDivisor(scaleA, scaleB) * scaleB
            let value = Int128(a.value) * (common / scaleA) + Int128(b.value) * (common / scaleB)
            return Fraction(value, common).time().marked(like: a, epoch: epoch).marked(like: b, epoch: epoch)
        }
        let infinities = [a, b].filter { $0.isPositiveInfinity || $0.isNegativeInfinity }
        guard let first = infinities.first else { return .indefinite }
        return infinities.allSatisfy { $0.flags == first.flags } ? first : .invalid
    }

    /// The timescale is the smallest that both have in common; at most the largest one, with rounding.
    ///
    /// Invalid for times of two different epochs that are not 0, and for two different infinities.
    public static func + (addend1: CMTime, addend2: CMTime) -> CMTime {
        let epochs = (addend1.epoch, addend2.epoch)
        let epoch = epochs.0 == epochs.1 || epochs.1 == 0 ? epochs.0 : epochs.0 == 0 ? epochs.1 : nil
        return sum(addend1, addend2, epoch: epoch)
    }

    /// As `+`; the difference of two times of one epoch has epoch 0.
    public static func - (minuend: CMTime, subtrahend: CMTime) -> CMTime {
        let epochs = (minuend.epoch, subtrahend.epoch)
        let epoch = epochs.0 == epochs.1 ? 0 : epochs.1 == 0 ? epochs.0 : epochs.0 == 0 ? epochs.1 : nil
        return sum(minuend, subtrahend.negated, epoch: epoch)
    }

    fileprivate func scaled(by multiplier: Int128, over divisor: Int128) -> CMTime {
        guard isValid, divisor != 0 else { return .invalid }
        guard isNumeric else { return multiplier.signum() * divisor.signum() < 0 ? negated : self }
        let sign: Int128 = divisor < 0 ? -1 : 1
        var (value, scale) = (Int128(value) * multiplier * sign, Int128(timescale))
        let common = max(1, Fraction.greatestCommonDivisor(value.magnitude.asInt128, divisor.magnitude.asInt128))
        (value, scale) = (value / common, scale * (divisor.magnitude.asInt128 / common))
        return Fraction(value, scale).time().marked(like: self, epoch: epoch)
    }

    /// Exact where a timescale of up to 2^31 can be found by doubling.
    fileprivate func scaled(by multiplier: Double) -> CMTime {
        guard isValid, !multiplier.isNaN else { return .invalid }
        guard isNumeric else { return multiplier < 0 ? negated : self }
        let product = seconds * multiplier
        var timescale = timescale
        while timescale <= kCMTimeMaxTimescale / 2,
            CMTime(seconds: product, preferredTimescale: timescale).hasBeenRounded,
            abs(product) * Double(timescale) < 0x1p52
        {
            timescale *= 2
        }
        return CMTime(seconds: product, preferredTimescale: timescale).marked(like: self, epoch: epoch)
    }

    fileprivate var magnitude: CMTime { CMTimeCompare(self, .zero) < 0 ? negated : self }
}

extension UInt128 {
    fileprivate var asInt128: Int128 { Int128(clamping: self) }
}

// MARK: Order

extension CMTime: Comparable, Hashable {
    private var rank: Int {
        if isNegativeInfinity { return 0 }
        if isNumeric { return 1 }
        return isIndefinite ? 2 : isPositiveInfinity ? 3 : 4
    }

    /// Invalid, or without a timescale.
    fileprivate var isNothing: Bool { rank == 4 }

    fileprivate func compare(_ other: CMTime) -> Int32 {
        guard rank == other.rank else { return rank < other.rank ? -1 : 1 }
        guard rank == 1 else { return 0 }
        guard epoch == other.epoch else { return epoch < other.epoch ? -1 : 1 }
        let (a, b) = (Int128(value) * Int128(other.timescale), Int128(other.value) * Int128(timescale))
        return a < b ? -1 : a == b ? 0 : 1
    }

    public static func < (time1: CMTime, time2: CMTime) -> Bool { time1.compare(time2) < 0 }
    public static func <= (time1: CMTime, time2: CMTime) -> Bool { time1.compare(time2) <= 0 }
    public static func > (time1: CMTime, time2: CMTime) -> Bool { time1.compare(time2) > 0 }
    public static func >= (time1: CMTime, time2: CMTime) -> Bool { time1.compare(time2) >= 0 }
    public static func == (time1: CMTime, time2: CMTime) -> Bool { time1.compare(time2) == 0 }
    /// True unless both name the same moment; `CMTimeMake(1, 2)` equals `CMTimeMake(2, 4)`.
    public static func != (time1: CMTime, time2: CMTime) -> Bool { time1.compare(time2) != 0 }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard rank == 1 else { return }
        hasher.combine(epoch)
        let divisor = max(1, Fraction.greatestCommonDivisor(Int128(value).magnitude.asInt128, Int128(timescale)))
        hasher.combine(Int128(value) / divisor)
        hasher.combine(Int128(timescale) / divisor)
    }
}

// MARK: Functions

/// The valid time of `value / timescale` seconds.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

/// The valid time of `value / timescale` seconds in an epoch.
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
    CMTime(value: value, timescale: timescale, flags: .valid, epoch: epoch)
}

/// The nearest time of a timescale; see `CMTime.init(seconds:preferredTimescale:)`.
public func CMTimeMakeWithSeconds(_ seconds: Float64, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// The time in seconds; NaN for an invalid or indefinite time.
public func CMTimeGetSeconds(_ time: CMTime) -> Float64 { time.seconds }

/// The same time with another timescale; see `CMTime.convertScale(_:method:)`.
public func CMTimeConvertScale(_ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
    time.convertScale(newTimescale, method: method)
}

/// The sum, with the rules of `CMTime.+`.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }

/// The first time minus the second, with the rules of `CMTime.-`.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }

/// The time multiplied by a whole number; infinite if the product does not fit.
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
    time.scaled(by: Int128(multiplier), over: 1)
}

/// The timescale is doubled until the product is exact or the timescale is the largest.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Float64) -> CMTime { time.scaled(by: multiplier) }

/// Exact where the result fits; invalid for a divisor of 0.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
    time.scaled(by: Int128(multiplier), over: Int128(divisor))
}

/// -1, 0 or 1: -infinity < numbers < indefinite < +infinity < invalid.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { time1.compare(time2) }

/// The earlier of two times in the order of `CMTimeCompare(_:_:)`; the first if they are equal.
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime { time2 < time1 ? time2 : time1 }

/// The later of two times in the order of `CMTimeCompare(_:_:)`; the first if they are equal.
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime { time2 > time1 ? time2 : time1 }

/// The time without its sign; an invalid time is returned unchanged.
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime { time.isValid ? time.magnitude : time }

/// Apple's macro as a function: `CMTime.isValid`.
public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }
/// Apple's macro as a function: not `CMTime.isValid`.
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }
/// Apple's macro as a function: `CMTime.isPositiveInfinity`.
public func CMTIME_IS_POSITIVEINFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }
/// Apple's macro as a function: `CMTime.isNegativeInfinity`.
public func CMTIME_IS_NEGATIVEINFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }
/// Apple's macro as a function: `CMTime.isIndefinite`.
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }
/// Apple's macro as a function: `CMTime.isNumeric`.
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }
/// Apple's macro as a function: `CMTime.hasBeenRounded`.
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }
