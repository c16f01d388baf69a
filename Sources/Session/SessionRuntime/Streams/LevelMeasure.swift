internal import Foundation

/// What a channel came to over a while.
package struct LevelMeasure: Hashable, Sendable {
    /// The largest magnitude, linear.
    package var peak: Float = 0
    package var sumOfSquares: Double = 0
    package var frames = 0

    /// An empty measurement for `channels` channels.
    package static func none(channels: Int) -> [LevelMeasure] { Array(repeating: LevelMeasure(), count: channels) }

    mutating func add(_ sample: Float) {
        peak = max(peak, abs(sample))
        sumOfSquares += Double(sample) * Double(sample)
        frames += 1
    }

    /// dBFS, from -160 for silence to 0 for full scale.
    package var peakPower: Float { Self.decibels(Double(peak)) }

    /// dBFS of the root mean square, from -160 to 0.
    package var averagePower: Float { Self.decibels((sumOfSquares / Double(max(1, frames))).squareRoot()) }

    private static func decibels(_ amplitude: Double) -> Float {
        Float(min(max(20 * log10(amplitude), -160), 0))
    }
}

extension [LevelMeasure] {
    /// Interleaved samples, one channel for each of these.
    package mutating func add(interleaved samples: some Sequence<Float>) {
        for (index, sample) in samples.enumerated() { self[index % count].add(sample) }
    }
}

/// What an app reads of measures: those of its last update.
package struct LevelMeters: Sendable {
    package var isEnabled = false {
        didSet { if !isEnabled { measures = [] } }
    }
    package var measures: [LevelMeasure] = []

    /// Silence for a channel that is not there.
    package subscript(channel: Int) -> LevelMeasure {
        measures.indices.contains(channel) ? measures[channel] : LevelMeasure()
    }

    package init() {}
}
