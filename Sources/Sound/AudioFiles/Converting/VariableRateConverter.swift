import CSoxr

/// Plays interleaved Float32 frames faster or slower, by a factor that may change while they pass.
///
/// One thread at a time.
///
/// libsoxr's variable-rate mode. Its output is aligned with the input within 2 frames, as long as the speed stays.
package final class VariableRateConverter {
    private var handle: OpaquePointer
    private let channels: Int
    private let highestSpeed: Double
    private var speed = 1.0

    /// - Parameter highestSpeed: the most frames in for each frame out.
    package init(channels: Int, highestSpeed: Double) throws(RateConversionFailure) {
        handle = try Self.create(channels, highestSpeed)
        self.channels = channels
        self.highestSpeed = highestSpeed
    }

    deinit { soxr_delete(handle) }

    private static func create(_ channels: Int, _ highestSpeed: Double) throws(RateConversionFailure) -> OpaquePointer {
        try RateConversionQuality.high.makeConverter(
            from: highestSpeed, to: 1, channels: channels, type: SOXR_FLOAT32_I, flags: UInt(SOXR_VR))
    }

    /// Frames in for each frame out, from the next frame on.
    package func setSpeed(_ speed: Double) throws(RateConversionFailure) {
        self.speed = speed
        if let failure = soxr_set_io_ratio(handle, speed, 0) {
            throw RateConversionFailure(reason: String(cString: failure))
        }
    }

    /// Takes what it can from `input` and fills what it can of `output`; sizes in whole frames.
    ///
    /// It takes more than it has room to give: without input it gives more of that.
    package func convert(
        _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>
    ) throws(RateConversionFailure) -> (consumed: Int, produced: Int) {
        var consumed = 0
        var produced = 0
        // No address at all would be the end of the input, after which libsoxr crashes on more.
        guard let frames = input.baseAddress ?? UnsafePointer(output.baseAddress) else { return (0, 0) }
        let failure = soxr_process(
            handle, frames, input.count / channels, &consumed, output.baseAddress, output.count / channels,
            &produced)
        if let failure { throw RateConversionFailure(reason: String(cString: failure)) }
        return (consumed, produced)
    }

    /// Forgets the signal so far.
    package func reset() throws(RateConversionFailure) {
        // soxr_clear leaves a variable-rate converter without its filters.
        let created = try Self.create(channels, highestSpeed)
        soxr_delete(handle)
        handle = created
        try setSpeed(speed)
    }
}
