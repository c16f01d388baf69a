import AudioFiles
public import Foundation

/// Converts linear PCM: sample rate, sample format, interleaving and channels.
///
/// Rates are converted with linear phase and without delay: a stream of *n* frames becomes a stream of
/// `round(n · outputRate / inputRate)` frames, whatever the pieces. A frame comes out when the input is 32 frames of the lower
/// rate ahead of it: of 1024 frames from 48 kHz to 16 kHz, the first call gives 310 and the end of the stream the other 31.
/// An app that calls `reset()` for each buffer loses these 31 each time. If rate and channels do not change, samples that fit into the output's
/// format are unchanged; others are rounded to the nearest step and clipped. Compressed formats are not supported.
///
/// One thread at a time.
///
/// Source: SDK header AVAudioConverter.h.
open class AVAudioConverter: NSObject {
    /// The format of the buffers that the converter takes.
    public let inputFormat: AVAudioFormat
    /// The format of the buffers that the converter fills.
    public let outputFormat: AVAudioFormat

    private var pipeline: ConversionPipeline
    private var explicitMap: [Int]?
    private var quality = AVAudioQuality.high
    /// What the input block gave and is not yet converted.
    private var pending: (buffer: AVAudioPCMBuffer, next: Int)?
    private var isInputOver = false

    /// A converter of samples, channels and rates between two formats, for one stream on one thread.
    ///
    /// - Returns: nil if one of the formats is not linear PCM of signed integers or native floats or has no sample
    ///   rate, or if the rates differ and one of them is not within 100 Hz…1 MHz.
    public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
        let map = ConverterRouting.defaultMap(from: fromFormat.places, to: toFormat.places)
        guard
            let pipeline = ConversionPipeline(from: fromFormat, to: toFormat, routing: .map(map), quality: .high)
        else { return nil }
        inputFormat = fromFormat
        outputFormat = toFormat
        self.pipeline = pipeline
        super.init()
    }

    /// For each output channel, the input channel that it is copied from; negative is silence.
    ///
    /// By default channels keep their position in the room, mono goes to left and right, and channels without a
    /// counterpart are left out or silent. A map overrides the layouts and `downmix`. A map whose length is not the
    /// output's channel count, or with a channel that the input does not have, is ignored; the old map stays.
    open var channelMap: [NSNumber] {
        get {
            let map = explicitMap ?? ConverterRouting.defaultMap(from: inputFormat.places, to: outputFormat.places)
            return map.map { NSNumber(value: $0) }
        }
        set {
            let map = newValue.map { max(-1, $0.intValue) }
            guard map.count == outputFormat.channelCount, map.allSatisfy({ $0 < inputFormat.channelCount }) else {
                return
            }
            explicitMap = map
            updateRouting()
        }
    }

    /// Whether channels without a counterpart are mixed into others instead of left out; false by default.
    ///
    /// Centre and surrounds go to left and right at −3 dB, and left and right go to mono at 0.5 each (ITU-R BS.775).
    /// All gains are lowered together if the sum could exceed full scale. A channel map overrides this.
    open var downmix = false {
        didSet { updateRouting() }
    }

    /// Whether noise with the size of a step is added if the output's integers are coarser than the input; false by
    /// default.
    open var dither = false {
        didSet { pipeline.dithers = dither }
    }

    /// The raw value of an `AVAudioQuality`; by default `high`, with 20 bit precision, and flat to 88 % of the lower Nyquist
    /// frequency.
    ///
    /// `max` has 28 bits, and holds back more than 1000 frames of the input, as `AVSampleRateConverterAlgorithm_Mastering` does.
    /// Setting another quality restarts the conversion, like `reset()`. Other values are ignored.
    open var sampleRateConverterQuality: Int {
        get { quality.rawValue }
        set {
            guard let wanted = AVAudioQuality(rawValue: newValue), wanted != quality else { return }
            quality = wanted
            rebuild()
        }
    }

    /// `AVSampleRateConverterAlgorithm_Mastering` is flat to 91 % of the lower Nyquist frequency, and holds back more than 1000
    /// frames of the input; all others are `AVSampleRateConverterAlgorithm_Normal`.
    ///
    /// A change between the two restarts the conversion, like `reset()`.
    open var sampleRateConverterAlgorithm: String? = AVSampleRateConverterAlgorithm_Normal {
        didSet { if isMastering(oldValue) != isMastering(sampleRateConverterAlgorithm) { rebuild() } }
    }

    private func isMastering(_ algorithm: String?) -> Bool { algorithm == AVSampleRateConverterAlgorithm_Mastering }

    /// Stored without effect: every conversion behaves like `.normal`.
    open var primeMethod = AVAudioConverterPrimeMethod.normal

    /// Always 0 frames: before and after the input is silence, and there is no delay.
    open var primeInfo: AVAudioConverterPrimeInfo {
        get { AVAudioConverterPrimeInfo() }
        set {}
    }

    /// Discards the previous signal, so that a new stream can be converted.
    open func reset() {
        pending = nil
        isInputOver = false
        do throws(RateConversionFailure) {
            try pipeline.reset()
        } catch {
            rebuild()
        }
    }

    /// Converts the valid frames of one buffer, without a change of sample rate and without the state of a stream.
    ///
    /// - Throws: `NSError` of the domain `com.apple.coreaudio.avfaudio`: if a buffer does not have this converter's
    ///   format, if the output buffer is too small, and if the sample rates differ.
    open func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws {
        outputBuffer.frameLength = 0
        try check(inputBuffer, is: inputFormat, named: "inputFormat")
        try check(outputBuffer, is: outputFormat, named: "outputFormat")
        guard !pipeline.convertsRate else {
            throw NSError.audio(
                kAudioConverterErr_OperationNotSupported,
                """
                This method does not convert \(inputFormat.sampleRate) Hz to \(outputFormat.sampleRate) Hz; use \
                convert(to:error:withInputFrom:), which does.
                """)
        }
        guard inputBuffer.frameLength <= outputBuffer.frameCapacity else {
            throw NSError.audio(
                kAudioConverterErr_InvalidOutputSize,
                """
                \(inputBuffer.frameLength) frames do not fit into an output buffer of \
                \(outputBuffer.frameCapacity); make one of at least the input's frameLength.
                """)
        }
        let count = Int(inputBuffer.frameLength)
        var done = 0
        do throws(RateConversionFailure) {
            while done < count {
                done += try pipeline.step(inputBuffer, done..<count, into: outputBuffer, at: done).given
            }
        } catch {
            throw failure(error)
        }
        outputBuffer.frameLength = AVAudioFrameCount(done)
    }

    /// Fills the output buffer from a stream of input buffers, which the block returns one by one.
    ///
    /// - Parameters:
    ///   - outputBuffer: an `AVAudioPCMBuffer` of ``outputFormat``; its `frameLength` is set.
    ///   - outError: the reason for the status `.error`: an output buffer without capacity, or a buffer that does not
    ///     have this converter's format.
    ///   - inputBlock: called on the calling thread, as often as more frames are needed.
    /// - Returns: `.haveData` with a full buffer or with the last frames of the stream; `.inputRanDry` if the block had
    ///   no more data; `.endOfStream` without frames, from the end of the input until `reset()`.
    @discardableResult
    open func convert(
        to outputBuffer: AVAudioBuffer, error outError: NSErrorPointer,
        withInputFrom inputBlock: AVAudioConverterInputBlock
    ) -> AVAudioConverterOutputStatus {
        do {
            guard let target = outputBuffer as? AVAudioPCMBuffer else {
                throw NSError.audio(kAudio_ParamError, "The output buffer is not an AVAudioPCMBuffer; give one.")
            }
            target.frameLength = 0
            try check(target, is: outputFormat, named: "outputFormat")
            guard target.frameCapacity > 0 else {
                throw NSError.audio(
                    kAudioConverterErr_InvalidOutputSize, "The output buffer has no room: its frameCapacity is 0.")
            }
            return try fill(target, from: inputBlock)
        } catch {
            outError?.pointee = error as NSError
            return .error
        }
    }

    private func fill(
        _ target: AVAudioPCMBuffer, from inputBlock: AVAudioConverterInputBlock
    ) throws -> AVAudioConverterOutputStatus {
        let capacity = Int(target.frameCapacity)
        var done = 0
        defer { target.frameLength = AVAudioFrameCount(done) }
        while done < capacity {
            if pending == nil, !isInputOver, pipeline.needsInput {
                let wanted = Double(capacity - done) * inputFormat.sampleRate / outputFormat.sampleRate
                guard try ask(inputBlock, for: wanted) else { return .inputRanDry }
            }
            let source = pending
            let isDraining = source == nil && pipeline.needsInput
            let progress: (taken: Int, given: Int)
            do throws(RateConversionFailure) {
                progress = try pipeline.step(
                    source?.buffer, (source?.next ?? 0)..<(source.map { Int($0.buffer.frameLength) } ?? 0),
                    into: target, at: done)
            } catch {
                throw failure(error)
            }
            done += progress.given
            if let source {
                let next = source.next + progress.taken
                pending = next < Int(source.buffer.frameLength) ? (source.buffer, next) : nil
            } else if isDraining, progress.given == 0 {
                return done > 0 ? .haveData : .endOfStream
            }
        }
        return .haveData
    }

    /// - Returns: false when there is nothing now.
    private func ask(_ inputBlock: AVAudioConverterInputBlock, for frames: Double) throws -> Bool {
        var status = AVAudioConverterInputStatus.noDataNow
        let wanted = AVAudioPacketCount(min(max(1, frames.rounded(.up)), Double(AVAudioPacketCount.max)))
        let given = inputBlock(wanted, &status)
        switch status {
        case .noDataNow: return false
        case .endOfStream:
            isInputOver = true
            return true
        case .haveData:
            // An empty buffer would be asked for again at once, perhaps without end.
            guard let given else { return false }
            guard let buffer = given as? AVAudioPCMBuffer else {
                throw NSError.audio(kAudio_ParamError, "The input block returned no AVAudioPCMBuffer; return one.")
            }
            try check(buffer, is: inputFormat, named: "inputFormat")
            guard buffer.frameLength > 0 else { return false }
            pending = (buffer, 0)
            return true
        }
    }

    private func check(_ buffer: AVAudioPCMBuffer, is format: AVAudioFormat, named name: String) throws {
        guard buffer.format.isEqual(format) else {
            throw NSError.audio(
                kAudio_ParamError, "The converter's \(name) is \(format); it does not take buffers of \(buffer.format)."
            )
        }
    }

    private func failure(_ failure: RateConversionFailure) -> NSError {
        NSError.audio(
            kAudioConverterErr_UnspecifiedError,
            """
            \(inputFormat.sampleRate) Hz cannot be converted to \(outputFormat.sampleRate) Hz: \(failure.reason). \
            Make a new converter.
            """)
    }

    private func updateRouting() {
        let inputs = inputFormat.places
        let outputs = outputFormat.places
        pipeline.routing =
            explicitMap.map(ConverterRouting.map)
            ?? (downmix
                ? ConverterRouting.downmix(from: inputs, to: outputs)
                : .map(ConverterRouting.defaultMap(from: inputs, to: outputs)))
    }

    /// A pipeline of the same formats as the old one, which could be made once.
    private func rebuild() {
        let quality: RateConversionQuality =
            switch quality {
            case .min: .lowest
            case .low: .low
            case .medium: .medium
            case .high: .high
            case .max: .highest
            }
        guard
            let fresh = ConversionPipeline(
                from: inputFormat, to: outputFormat, routing: pipeline.routing, quality: quality,
                isMastering: isMastering(sampleRateConverterAlgorithm))
        else { return }
        fresh.dithers = dither
        pipeline = fresh
        pending = nil
        isInputOver = false
    }
}

/// The status of an `AVAudioConverterInputBlock`.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterInputStatus: Int, Sendable {
    /// The returned buffer is the next input.
    case haveData = 0
    /// No data now, but there may be more later.
    case noDataNow = 1
    /// The input has ended.
    case endOfStream = 2
}

/// Returns the next input: it gets the number of requested frames, sets the status, and returns a buffer.
///
/// The buffer must not change until the block is called again. It may have more or fewer frames than requested.
public typealias AVAudioConverterInputBlock = (
    AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?

/// The result of a conversion.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterOutputStatus: Int, Sendable {
    /// The output buffer is full, or holds the last frames of the stream.
    case haveData = 0
    /// The input block had no more data. The output buffer holds the converted frames, possibly none.
    case inputRanDry = 1
    /// The stream has ended, and the output buffer is empty.
    case endOfStream = 2
    /// Nothing was converted; see the error.
    case error = 3
}

/// The frames before and after the input that a rate conversion uses.
///
/// Source: SDK header AVAudioConverter.h.
public struct AVAudioConverterPrimeInfo: Sendable {
    /// Frames before the input; always 0 here.
    public var leadingFrames: AVAudioFrameCount
    /// Frames after the input; always 0 here.
    public var trailingFrames: AVAudioFrameCount

    /// No frames before and after.
    public init() { self.init(leadingFrames: 0, trailingFrames: 0) }

    /// Stores both numbers; a converter ignores them.
    public init(leadingFrames: AVAudioFrameCount, trailingFrames: AVAudioFrameCount) {
        self.leadingFrames = leadingFrames
        self.trailingFrames = trailingFrames
    }
}

/// How a rate conversion treats the time before and after the input.
///
/// Source: SDK header AVAudioConverter.h.
public enum AVAudioConverterPrimeMethod: Int, Sendable {
    /// Without effect: treated as `normal`.
    case pre = 0
    /// Silence before and after; no delay.
    case normal = 1
    /// Without effect: treated as `normal`.
    case none = 2
}

/// The quality of an encoder or a rate converter; higher quality costs size or time.
///
/// Source: SDK header AVAudioSettings.h.
public enum AVAudioQuality: Int, Sendable {
    /// The smallest files.
    case min = 0
    /// Smaller files than `medium`.
    case low = 0x20
    /// The middle of the encoder's range.
    case medium = 0x40
    /// Larger files than `medium`, with less loss.
    case high = 0x60
    /// The largest files, with the least loss.
    case max = 0x7F
}

/// The error of a function that does not throw: `&error` of a `var error: NSError?`, or nil.
///
/// Foundation on Linux does not have this type.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
