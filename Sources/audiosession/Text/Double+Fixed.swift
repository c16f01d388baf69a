extension Double {
    /// This number with exactly `digits` (0 to 9) digits after the point, rounded half away from zero.
    ///
    /// Beyond ±9e9 it is printed as if it were that: no time, position or level comes near it.
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
