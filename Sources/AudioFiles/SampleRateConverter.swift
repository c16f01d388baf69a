import CSoxr

/// Converts interleaved Float32 frames from one sample rate to another, as a stream. One thread at a time.
///
/// libsoxr in its "high quality" setting: linear phase, 20 bit precision, flat to 91 % of the lower Nyquist frequency.
/// Its output is aligned with the input (no delay to subtract) and, after the tail is drained, `round(n * out / in)`
/// frames long; SampleRateConverterTests hold it to both.
final class SampleRateConverter {
    struct Progress {
        var consumedFrames: Int
        var producedFrames: Int
    }

    private let handle: OpaquePointer
    private let channels: Int

    struct Failure: Error {
        /// libsoxr's own words.
        var reason: String
    }

    init(from inputRate: Double, to outputRate: Double, channels: Int) throws(Failure) {
        var failure: soxr_error_t?
        let created = soxr_create(inputRate, outputRate, UInt32(channels), &failure, nil, nil, nil)
        guard let created, failure == nil else {
            throw Failure(reason: failure.map { String(cString: $0) } ?? "out of memory")
        }
        handle = created
        self.channels = channels
    }

    deinit { soxr_delete(handle) }

    /// Takes what it can from `input` and fills what it can of `output`; sizes in whole frames.
    ///
    /// - Parameter input: nil when there is no more: then each call gives a part of the tail, and 0 frames at its end.
    func convert(
        _ input: UnsafeBufferPointer<Float>?, into output: UnsafeMutableBufferPointer<Float>
    ) throws(Failure) -> Progress {
        var consumed = 0
        var produced = 0
        let failure = soxr_process(
            handle, input?.baseAddress, (input?.count ?? 0) / channels, &consumed,
            output.baseAddress, output.count / channels, &produced)
        if let failure { throw Failure(reason: String(cString: failure)) }
        return Progress(consumedFrames: consumed, producedFrames: produced)
    }

    /// Forgets the signal so far, tail included.
    func reset() throws(Failure) {
        if let failure = soxr_clear(handle) { throw Failure(reason: String(cString: failure)) }
    }
}
