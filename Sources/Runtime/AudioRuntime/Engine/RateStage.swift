import AudioFiles
import EngineCore

/// Brings what a source makes to the renderer's rate.
///
/// `@unchecked Sendable`: one thread at a time uses it, as the one that feeds it keeps a lock meanwhile.
final class RateStage: FrameConverter, @unchecked Sendable {
    /// Frames out for each frame in.
    let ratio: Double
    private let converter: SampleRateConverter<Float>

    /// - Returns: nil for rates that are not converted.
    init?(from rate: Double, to outputRate: Double, channels: Int) {
        guard Self.isPossible(from: rate, to: outputRate),
            let converter = try? SampleRateConverter<Float>(from: rate, to: outputRate, channels: channels)
        else { return nil }
        self.converter = converter
        ratio = outputRate / rate
    }

    /// Whether the rates are the same or can be converted.
    static func isPossible(from rate: Double, to outputRate: Double) -> Bool {
        let rates = AudioFileReader.supportedSampleRates
        return rate == outputRate || (rates.contains(rate) && rates.contains(outputRate))
    }

    /// Nil also where nothing is to be done.
    static func ifNeeded(from rate: Double, to outputRate: Double, channels: Int) -> RateStage? {
        rate == outputRate ? nil : RateStage(from: rate, to: outputRate, channels: channels)
    }

    func takeRatio() -> Double { ratio }

    func convert(
        _ input: UnsafeBufferPointer<Float>, isEnd: Bool, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        let progress = try? converter.convert(isEnd && input.isEmpty ? nil : input, into: output)
        return progress.map { ($0.consumedFrames, $0.producedFrames) } ?? (0, 0)
    }

    // A converter that cannot be reset gives silence from now on, as `convert` has it.
    func reset() { try? converter.reset() }
}
