import AudioFiles
import AudioModel

/// Frames of one format on their way to another: routing, rate, and sample coding, in Float64.
///
/// Channels are routed on the side of the rate converter that has fewer of them. One thread at a time.
final class ConversionPipeline {
    private let input: AVAudioFormat
    private let output: AVAudioFormat
    private let inputCoding: SampleCoding
    private let outputCoding: SampleCoding
    private let inputs: Int
    private let outputs: Int

    var routing: ConverterRouting
    var dithers = false

    private var dither = Dither()
    private let rate: SampleRateConverter<Double>?
    /// Input frames, decoded; then what the rate converter takes; then what it gives; then the output.
    private let decoded: UnsafeMutableBufferPointer<Double>
    private let staged: UnsafeMutableBufferPointer<Double>
    private let converted: UnsafeMutableBufferPointer<Double>
    private let routed: UnsafeMutableBufferPointer<Double>
    /// The frames in `staged` that the rate converter has not taken yet.
    private var waiting = 0..<0

    private static let blockFrames = 4096

    /// - Returns: nil for formats that are not converted here: see `SampleCoding`, and rates beyond
    ///   `AudioFileReader.supportedSampleRates` unless both are the same.
    init?(
        from input: AVAudioFormat, to output: AVAudioFormat, routing: ConverterRouting, quality: RateConversionQuality
    ) {
        guard
            let inputCoding = SampleCoding(input.streamDescription.pointee),
            let outputCoding = SampleCoding(output.streamDescription.pointee),
            input.sampleRate > 0, output.sampleRate > 0
        else { return nil }
        inputs = Int(input.channelCount)
        outputs = Int(output.channelCount)
        if input.sampleRate == output.sampleRate {
            rate = nil
        } else {
            let rates = AudioFileReader.supportedSampleRates
            guard
                rates.contains(input.sampleRate), rates.contains(output.sampleRate),
                let converter = try? SampleRateConverter<Double>(
                    from: input.sampleRate, to: output.sampleRate, channels: min(inputs, outputs), quality: quality)
            else { return nil }
            rate = converter
        }
        self.input = input
        self.output = output
        self.inputCoding = inputCoding
        self.outputCoding = outputCoding
        self.routing = routing
        decoded = .allocate(capacity: Self.blockFrames * inputs)
        staged = .allocate(capacity: Self.blockFrames * min(inputs, outputs))
        converted = .allocate(capacity: Self.blockFrames * min(inputs, outputs))
        routed = .allocate(capacity: Self.blockFrames * outputs)
    }

    deinit {
        for memory in [decoded, staged, converted, routed] { memory.deallocate() }
    }

    var convertsRate: Bool { rate != nil }
    /// Whether nothing can come out before more goes in.
    var needsInput: Bool { waiting.isEmpty }

    /// Converts frames `range` of `source`, or as many of them as one step takes, to frame `start` and the following.
    ///
    /// - Parameter source: nil at the end of the input: then what is left in the rate converter comes out.
    /// - Returns: the frames taken and given; neither, at the end of the input, when all has come out.
    func step(
        _ source: AVAudioPCMBuffer?, _ range: Range<Int>, into target: AVAudioPCMBuffer, at start: Int
    ) throws(RateConversionFailure) -> (taken: Int, given: Int) {
        let room = min(Self.blockFrames, Int(target.frameCapacity) - start)
        guard let rate else {
            guard let source else { return (0, 0) }
            let count = min(range.count, room)
            deliver(decode(source, range.prefix(count)), to: target, at: start)
            return (count, count)
        }
        var taken = 0
        if waiting.isEmpty, let source, !range.isEmpty {
            taken = min(range.count, Self.blockFrames)
            stage(decode(source, range.prefix(taken)))
            waiting = 0..<taken
        }
        let channels = min(inputs, outputs)
        let next = staged[(waiting.lowerBound * channels)..<(waiting.upperBound * channels)]
        let isOver = source == nil && waiting.isEmpty
        let progress = try rate.convert(
            isOver ? nil : UnsafeBufferPointer(rebasing: next),
            into: UnsafeMutableBufferPointer(rebasing: converted[..<(room * channels)]))
        waiting = (waiting.lowerBound + progress.consumedFrames)..<waiting.upperBound
        deliver(
            UnsafeBufferPointer(rebasing: converted[..<(progress.producedFrames * channels)]), to: target, at: start)
        return (taken, progress.producedFrames)
    }

    /// Forgets the signal so far.
    func reset() throws(RateConversionFailure) {
        waiting = 0..<0
        try rate?.reset()
    }

    private func decode(_ source: AVAudioPCMBuffer, _ range: Range<Int>) -> UnsafeBufferPointer<Double> {
        source.decode(range, with: inputCoding, into: decoded)
        return UnsafeBufferPointer(rebasing: decoded[..<(range.count * inputs)])
    }

    /// Puts input frames where the rate converter takes them from.
    private func stage(_ samples: UnsafeBufferPointer<Double>) {
        if outputs < inputs {
            routing.apply(samples, inputs: inputs, into: staged, outputs: outputs)
        } else {
            _ = staged.update(fromContentsOf: samples)
        }
    }

    /// Writes frames that are through the rate converter, or have none to go through.
    private func deliver(_ samples: UnsafeBufferPointer<Double>, to target: AVAudioPCMBuffer, at start: Int) {
        let isRouted = rate != nil && outputs < inputs
        let frames = samples.count / (isRouted ? outputs : inputs)
        let result = UnsafeMutableBufferPointer(rebasing: routed[..<(frames * outputs)])
        if isRouted || routing.isIdentity(inputs: inputs) {
            _ = result.update(fromContentsOf: samples)
        } else {
            routing.apply(samples, inputs: inputs, into: result, outputs: outputs)
        }
        if dithers, let bits = outputCoding.integerBits, isCoarser(bits) { dither.add(to: result, bits: bits) }
        target.encode(UnsafeBufferPointer(result), at: start, with: outputCoding)
    }

    /// Whether values can come to lie between the output's steps; where they cannot, noise would only do harm.
    private func isCoarser(_ bits: Int) -> Bool {
        if case .matrix = routing { return true }
        return rate != nil || (inputCoding.integerBits.map { $0 > bits } ?? true)
    }
}

extension Range<Int> {
    fileprivate func prefix(_ count: Int) -> Range<Int> { lowerBound..<(lowerBound + count) }
}
