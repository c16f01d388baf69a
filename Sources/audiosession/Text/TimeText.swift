/// Times as people read them.
enum TimeText {
    /// Seconds as "0:07", "12:34" or "1:02:03", rounded down, as a clock shows them.
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
