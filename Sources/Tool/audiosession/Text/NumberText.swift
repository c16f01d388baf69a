/// Times as text.
enum NumberText {
    /// Seconds as "0:07", "12:34" or "1:02:03", rounded down.
    static func clock(_ seconds: Double) -> String {
        let whole = wholeSeconds(seconds)
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        let tail = twoDigits(whole % 60)
        return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
    }

    /// Seconds since the start as "[0:02.013]", to the millisecond.
    static func stamp(_ seconds: Double) -> String {
        let milliseconds = Int((max(0, seconds.isFinite ? seconds : 0) * 1000).rounded())
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        return "[\(clock(Double(milliseconds / 1000))).\(fraction)]"
    }

    private static func wholeSeconds(_ seconds: Double) -> Int {
        seconds.isFinite ? Int(min(max(0, seconds), 1e9)) : 0
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}

extension Double {
    /// This number with exactly `digits` (0 to 9) digits after the point, rounded half away from zero.
    ///
    /// Values beyond ±9e9 are printed as ±9e9: no time, position or level comes near that.
    func fixed(_ digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { product, _ in product * 10 }
        let clamped = isNaN ? 0 : Swift.min(Swift.max(self, -9e9), 9e9)
        let scaled = Int64((clamped * Double(scale)).rounded())
        let whole = scaled.magnitude / UInt64(scale)
        let sign = scaled < 0 ? "-" : ""
        guard digits > 0 else { return sign + String(whole) }
        let fraction = String(scaled.magnitude % UInt64(scale))
        return sign + String(whole) + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
