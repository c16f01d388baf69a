extension Int64 {
    /// The nearest whole number, clamped to the range of `Int64`; NaN becomes 0.
    package init(nearest number: Double) {
        guard !number.isNaN else {
            self = 0
            return
        }
        self = Int64(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
    }

    /// The sum, clamped to the range of `Int64`.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, clamped to the range of `Int64`.
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
