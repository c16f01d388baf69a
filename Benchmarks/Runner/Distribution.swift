import Foundation

/// Figures of one kind, and where most of them lie.
struct Distribution {
    private var sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    /// From pairs of instants, in milliseconds.
    init(millisecondsOf spans: [(from: UInt64, to: UInt64)]) {
        self.init(spans.map { (Double($0.to) - Double($0.from)) / 1e6 })
    }

    var count: Int { sorted.count }
    var median: Double { quantile(0.5) }
    var max: Double { sorted.last ?? .nan }

    /// The nearest rank: a value that was measured, never one between two.
    func quantile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        return sorted[Int((share * Double(sorted.count)).rounded(.up)).clamped(to: 1...sorted.count) - 1]
    }

    /// N, median, 95th percentile, greatest.
    var cells: [String] {
        ["\(count)", median.text(2), quantile(0.95).text(2), max.text(2)]
    }
}

extension Double {
    func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
