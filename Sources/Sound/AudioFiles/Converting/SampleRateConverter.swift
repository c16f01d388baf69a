import CSoxr

/// Converts interleaved frames from one sample rate to another, as a stream.
package protocol RateConverter<Sample>: AnyObject {
    associatedtype Sample

    /// Takes what it can from `input` and fills what it can of `output`; sizes in whole frames.
    ///
    /// Input that comes after nil begins a new stream. Nothing of the old one is lost: as long as a part of its tail is left,
    /// a call gives that and takes no input.
    ///
    /// - Parameter input: nil when there is no more: then each call gives a part of the tail, and 0 frames at its end. Empty:
    ///   there is none for now.
    func convert(
        _ input: UnsafeBufferPointer<Sample>?, into output: UnsafeMutableBufferPointer<Sample>
    ) throws(RateConversionFailure) -> RateConversionProgress

    /// Forgets the signal so far, tail included.
    func reset() throws(RateConversionFailure)
}

package struct RateConversionProgress {
    package var consumedFrames: Int
    package var producedFrames: Int
}

/// Converts interleaved frames of `Float` or `Double` from one sample rate to another, as a stream.
///
/// One thread at a time.
///
/// libsoxr, by default in its "high quality" setting: linear phase, 20 bit precision, flat to 91 % of the lower Nyquist
/// frequency. Its output is aligned with the input (no delay to subtract) and, after the tail is drained, `round(n * out / in)`
/// frames long; SampleRateConverterTests hold it to both.
package final class SampleRateConverter<Sample: BinaryFloatingPoint & Sendable>: RateConverter {
    private let handle: OpaquePointer
    private let channels: Int
    private var state = State.fresh

    private enum State {
        /// Nothing has come since the beginning or the last end; to `streaming` with the first frame.
        case fresh
        /// To `draining` at the end of the input, to `fresh` at a reset.
        case streaming
        /// libsoxr knows of the end, and crashes on input before it is cleared; to `fresh` when the tail is out, or at a reset.
        case draining
    }

    package init(
        from inputRate: Double, to outputRate: Double, channels: Int, quality: RateConversionQuality = .high
    ) throws(RateConversionFailure) {
        let type = Sample.self == Double.self ? SOXR_FLOAT64_I : SOXR_FLOAT32_I
        handle = try quality.makeConverter(from: inputRate, to: outputRate, channels: channels, type: type)
        self.channels = channels
    }

    deinit { soxr_delete(handle) }

    package func convert(
        _ input: UnsafeBufferPointer<Sample>?, into output: UnsafeMutableBufferPointer<Sample>
    ) throws(RateConversionFailure) -> RateConversionProgress {
        if input == nil, state == .streaming { state = .draining }
        if state == .draining {
            // Without room, no frame is not the end of the tail.
            guard output.count >= channels else { return RateConversionProgress(consumedFrames: 0, producedFrames: 0) }
            let progress = try process(nil, frames: 0, into: output)
            if progress.producedFrames > 0 { return progress }
            try reset()
        }
        // No address at all would be the end of the input.
        guard let input, let frames = input.baseAddress ?? UnsafePointer(output.baseAddress) else {
            return RateConversionProgress(consumedFrames: 0, producedFrames: 0)
        }
        let progress = try process(frames, frames: input.count / channels, into: output)
        if progress.consumedFrames > 0 { state = .streaming }
        return progress
    }

    private func process(
        _ input: UnsafePointer<Sample>?, frames: Int, into output: UnsafeMutableBufferPointer<Sample>
    ) throws(RateConversionFailure) -> RateConversionProgress {
        var consumed = 0
        var produced = 0
        let failure = soxr_process(
            handle, input, frames, &consumed, output.baseAddress, output.count / channels, &produced)
        if let failure { throw RateConversionFailure(reason: String(cString: failure)) }
        return RateConversionProgress(consumedFrames: consumed, producedFrames: produced)
    }

    package func reset() throws(RateConversionFailure) {
        guard state != .fresh else { return }
        if let failure = soxr_clear(handle) { throw RateConversionFailure(reason: String(cString: failure)) }
        state = .fresh
    }
}

/// How much of a signal a rate conversion keeps, at the cost of time.
package enum RateConversionQuality: Sendable, CaseIterable {
    /// Cubic interpolation between frames: what is above the lower Nyquist frequency comes back as other tones.
    case lowest
    /// 16 bit precision, with more and with less of the highest frequencies lost.
    case low, medium
    /// 20 bit precision.
    case high
    /// 28 bit precision.
    case highest

    private var recipe: UInt {
        switch self {
        case .lowest: UInt(SOXR_QQ)
        case .low: UInt(SOXR_LQ)
        case .medium: UInt(SOXR_MQ)
        case .high: UInt(SOXR_20_BITQ)
        case .highest: UInt(SOXR_28_BITQ)
        }
    }

    /// - Parameters:
    ///   - type: of the samples on both sides, interleaved.
    ///   - flags: libsoxr's, for the filter.
    func makeConverter(
        from inputRate: Double, to outputRate: Double, channels: Int, type: soxr_datatype_t, flags: UInt = 0
    ) throws(RateConversionFailure) -> OpaquePointer {
        var failure: soxr_error_t?
        var samples = soxr_io_spec(type, type)
        var filter = soxr_quality_spec(recipe, flags)
        let created = soxr_create(inputRate, outputRate, UInt32(channels), &failure, &samples, &filter, nil)
        guard let created, failure == nil else {
            throw RateConversionFailure(reason: failure.map { String(cString: $0) } ?? "out of memory")
        }
        return created
    }
}

/// Why a sample rate cannot be converted.
package struct RateConversionFailure: Error {
    /// libsoxr's own words.
    package var reason: String
}
