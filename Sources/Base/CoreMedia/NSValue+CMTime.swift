public import Foundation

/// Times in an `NSValue`, as `addBoundaryTimeObserver` takes them.
///
/// Foundation on Linux refuses structs and takes arrays: a time is kept as the three words that it is made of.
extension NSValue {
    /// A value that holds a time; read it with `timeValue`.
    public convenience init(time: CMTime) { self.init(words: time, type: Self.timeType) }

    /// A value that holds a range; read it with `timeRangeValue`.
    public convenience init(timeRange: CMTimeRange) { self.init(words: timeRange, type: Self.rangeType) }

    /// Invalid where the value holds something else.
    public var timeValue: CMTime { words(of: Self.timeType, or: .invalid) }

    /// Invalid where the value holds something else.
    public var timeRangeValue: CMTimeRange { words(of: Self.rangeType, or: .invalid) }

    private static let timeType = "[3q]"
    private static let rangeType = "[6q]"

    private convenience init<Value>(words value: Value, type: String) {
        self.init(bytes: withUnsafeBytes(of: value) { [UInt8]($0) }, objCType: type)
    }

    private func words<Value>(of type: String, or other: Value) -> Value {
        var value = other
        if String(cString: objCType) == type { withUnsafeMutableBytes(of: &value) { $0.baseAddress.map(getValue) } }
        return value
    }
}
