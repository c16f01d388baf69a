extension Int64 {
    /// The nearest whole number, at the ends of the range where it is beyond them; NaN is 0.
    package init(nearest number: Double) {
        guard !number.isNaN else {
            self = 0
            return
        }
        self = Int64(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
    }

    /// The sum, at the end of the range where it is beyond it.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, at the end of the range where it is beyond it.
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
