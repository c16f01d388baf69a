import CSoxr

/// Converts interleaved frames of Float32 or Float64 from one sample rate to another, as a stream.
///
/// One thread at a time.
///
/// libsoxr, by default in its "high quality" setting: linear phase, 20 bit precision, flat to 91 % of the lower Nyquist
/// frequency. Its output is aligned with the input (no delay to subtract) and, after the tail is drained, `round(n * out / in)`
/// frames long; SampleRateConverterTests hold it to both.
package final class SampleRateConverter<Sample: RateConvertible> {
    package struct Progress {
        package var consumedFrames: Int
        package var producedFrames: Int
    }

    private let handle: OpaquePointer
    private let channels: Int

    package init(
        from inputRate: Double, to outputRate: Double, channels: Int, quality: RateConversionQuality = .high
    ) throws(RateConversionFailure) {
        var failure: soxr_error_t?
        let type = Sample.isDouble ? SOXR_FLOAT64_I : SOXR_FLOAT32_I
        var samples = soxr_io_spec(type, type)
        var filter = soxr_quality_spec(quality.recipe, 0)
        let created = soxr_create(inputRate, outputRate, UInt32(channels), &failure, &samples, &filter, nil)
        guard let created, failure == nil else {
            throw RateConversionFailure(reason: failure.map { String(cString: $0) } ?? "out of memory")
        }
        handle = created
        self.channels = channels
    }

    deinit { soxr_delete(handle) }

    /// Takes what it can from `input` and fills what it can of `output`; sizes in whole frames.
    ///
    /// - Parameter input: nil when there is no more: then each call gives a part of the tail, and 0 frames at its end.
    package func convert(
        _ input: UnsafeBufferPointer<Sample>?, into output: UnsafeMutableBufferPointer<Sample>
    ) throws(RateConversionFailure) -> Progress {
        var consumed = 0
        var produced = 0
        let failure = soxr_process(
            handle, input?.baseAddress, (input?.count ?? 0) / channels, &consumed,
            output.baseAddress, output.count / channels, &produced)
        if let failure { throw RateConversionFailure(reason: String(cString: failure)) }
        return Progress(consumedFrames: consumed, producedFrames: produced)
    }

    /// Forgets the signal so far, tail included.
    package func reset() throws(RateConversionFailure) {
        if let failure = soxr_clear(handle) { throw RateConversionFailure(reason: String(cString: failure)) }
    }
}
