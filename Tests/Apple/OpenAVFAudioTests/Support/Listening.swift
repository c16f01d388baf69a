import Foundation

/// What a listener makes of a mono sound.
enum Listening {
    /// The middle, away from beginning and end.
    static func middle(_ samples: [Float], of length: Int) -> ArraySlice<Float> {
        samples[(length / 10)..<(length * 8 / 10)]
    }

    /// In hertz, from the first to the last upward crossing of zero; 0 where there are fewer than two.
    static func frequency(_ samples: some Collection<Float>, rate: Double = 48_000) -> Double {
        let samples = Array(samples)
        var crossings: [Double] = []
        for index in samples.indices.dropFirst() where samples[index - 1] < 0 && samples[index] >= 0 {
            let (before, after) = (Double(samples[index - 1]), Double(samples[index]))
            crossings.append(Double(index - 1) - before / (after - before))
        }
        guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
        return Double(crossings.count - 1) / (last - first) * rate
    }

    /// Frames up to the last one above -60 dBFS.
    static func loudFrames(_ samples: [Float]) -> Int { (samples.lastIndex { abs($0) > 0.001 } ?? -1) + 1 }

    /// The quietest of consecutive blocks' highest samples: 0 where there is a hole.
    static func quietestPeak(_ samples: some Collection<Float>, block: Int = 480) -> Float {
        let samples = Array(samples)
        return stride(from: 0, through: samples.count - block, by: block).map { start in
            samples[start..<start + block].map(abs).max() ?? 0
        }.min() ?? 0
    }
}
