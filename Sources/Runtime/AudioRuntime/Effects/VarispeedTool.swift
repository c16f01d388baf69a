import AudioFiles
package import EngineCore

/// libsoxr's variable-rate mode: speed and pitch together.
package final class VarispeedTool: TimeEffectTool {
    package static let rates: ClosedRange<Float> = 0.25...4

    private let converter: VariableRateConverter

    /// - Returns: nil for channels that are not converted.
    init?(_ format: StreamFormat) {
        guard
            let converter = try? VariableRateConverter(
                channels: format.channels.count, highestSpeed: Double(Self.rates.upperBound))
        else { return nil }
        self.converter = converter
    }

    package func canGoOver(to settings: TimeEffectSettings) -> Bool { true }

    package func apply(_ settings: TimeEffectSettings) -> Double {
        // A converter that fails gives nothing from now on; silence comes in its place at the end.
        try? converter.setSpeed(Double(settings.rate))
        return 1
    }

    package func convert(
        _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        (try? converter.convert(input, into: output)) ?? (0, 0)
    }

    package func clear() { try? converter.reset() }
}
