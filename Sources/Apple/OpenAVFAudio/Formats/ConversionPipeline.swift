import AudioFiles
import AudioModel
import EngineCore

/// Frames of one format on their way to another: routing, rate, and sample coding, in Float64.
///
/// Channels are routed on the side of the rate converter that has fewer of them. One thread at a time.
final class ConversionPipeline {
    private let inputCoding: SampleCoding
    private let outputCoding: SampleCoding
    private let inputs: Int
    private let outputs: Int

    var routing: ConverterRouting
    var dithers = false

    private var dither = Dither()
    private let rate: (any RateConverter<Double>)?
    /// Input frames, decoded; then what the rate converter takes; then what it gives; then the output.
    private let decoded: UnsafeMutableBufferPointer<Double>
    private let staged: UnsafeMutableBufferPointer<Double>
    private let converted: UnsafeMutableBufferPointer<Double>
    private let routed: UnsafeMutableBufferPointer<Double>
    /// The frames in `staged` that the rate converter has not taken yet.
    private var waiting = 0..<0
    /// The last step had room for no more: the rate converter may have more to give.
    private var isFull = false

    private static let blockFrames = 4096

    /// - Parameter isMastering: with libsoxr's long filter, also where a short one serves.
    /// - Returns: nil for formats that are not converted here: see `SampleCoding`, and rates beyond
    ///   `AudioFileReader.supportedSampleRates` unless both are the same.
    init?(
        from input: AVAudioFormat, to output: AVAudioFormat, routing: ConverterRouting, quality: RateConversionQuality,
        isMastering: Bool = false
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
                let converter = Self.makeConverter(
                    from: input.sampleRate, to: output.sampleRate, channels: min(inputs, outputs), quality,
                    isMastering: isMastering)
            else { return nil }
            rate = converter
        }
        self.inputCoding = inputCoding
        self.outputCoding = outputCoding
        self.routing = routing
        decoded = .allocate(capacity: Self.blockFrames * inputs)
        staged = .allocate(capacity: Self.blockFrames * min(inputs, outputs))
        converted = .allocate(capacity: Self.blockFrames * min(inputs, outputs))
        routed = .allocate(capacity: Self.blockFrames * outputs)
    }

    /// A short filter holds few frames back, which apps that reset the converter for each buffer would never get.
    private static func makeConverter(
        from inputRate: Double, to outputRate: Double, channels: Int, _ quality: RateConversionQuality,
        isMastering: Bool
    ) -> (any RateConverter<Double>)? {
        let filter: PolyphaseConverter.Filter? =
            switch quality {
            case .lowest, .highest: nil
            case .low: .low
            case .medium: .medium
            case .high: .high
            }
        if !isMastering, let filter,
            let converter = PolyphaseConverter(from: inputRate, to: outputRate, channels: channels, filter: filter)
        {
            return converter
        }
        return try? SampleRateConverter<Double>(from: inputRate, to: outputRate, channels: channels, quality: quality)
    }

    deinit {
        for memory in [decoded, staged, converted, routed] { memory.deallocate() }
    }

    var convertsRate: Bool { rate != nil }
    /// Whether nothing can come out before more goes in.
    var needsInput: Bool { waiting.isEmpty && !isFull }

    /// Converts frames `range` of `source`, or as many of them as one step takes, to frame `start` and the following.
    ///
    /// - Parameter source: nil while no input is needed, and at the end of the input: then what is left in the rate
    ///   converter comes out.
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
        if needsInput, let source, !range.isEmpty {
            taken = min(range.count, Self.blockFrames)
            stage(decode(source, range.prefix(taken)))
            waiting = 0..<taken
        }
        let channels = min(inputs, outputs)
        let next = staged[(waiting.lowerBound * channels)..<(waiting.upperBound * channels)]
        let isOver = source == nil && needsInput
        let progress = try rate.convert(
            isOver ? nil : UnsafeBufferPointer(rebasing: next),
            into: UnsafeMutableBufferPointer(rebasing: converted[..<(room * channels)]))
        waiting = (waiting.lowerBound + progress.consumedFrames)..<waiting.upperBound
        isFull = !isOver && progress.producedFrames == room
        deliver(
            UnsafeBufferPointer(rebasing: converted[..<(progress.producedFrames * channels)]), to: target, at: start)
        return (taken, progress.producedFrames)
    }

    /// Forgets the signal so far.
    func reset() throws(RateConversionFailure) {
        (waiting, isFull) = (0..<0, false)
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

/// Which input channels each output channel is made of.
enum ConverterRouting: Equatable {
    /// The input channel of each output channel; negative is silence.
    case map([Int])
    /// Linear gains, row-major [output][input].
    case matrix([Double], inputs: Int)

    /// The mixing of `AVAudioConverter.downmix`: see `MixMatrix.compile` and `MixMatrix.normalised`.
    static func downmix(from inputs: [ChannelLabel], to outputs: [ChannelLabel]) -> ConverterRouting {
        // Files have no room above full scale.
        let gains = MixMatrix.normalised(MixMatrix.compile(from: inputs, to: outputs), columns: inputs.count)
        return .matrix(gains.map(Double.init), inputs: inputs.count)
    }

    /// Channels keep their place; where no place is the same on both sides, their index.
    ///
    /// Mono goes to left and right alike; side and rear channels stand in for each other where only one side names them
    /// so. Nothing is mixed: what has no counterpart is left out, or silent.
    static func defaultMap(from inputs: [ChannelLabel], to outputs: [ChannelLabel]) -> [Int] {
        if inputs.count == 1, outputs.contains(.left), outputs.contains(.right) {
            return outputs.map { $0 == .left || $0 == .right ? 0 : -1 }
        }
        let byPlace = outputs.map { place in
            if let index = inputs.firstIndex(of: place) { return index }
            guard let other = opposite(place), !outputs.contains(other) else { return -1 }
            return inputs.firstIndex(of: other) ?? -1
        }
        if byPlace.contains(where: { $0 >= 0 }) { return byPlace }
        return outputs.indices.map { $0 < inputs.count ? $0 : -1 }
    }

    private static func opposite(_ place: ChannelLabel) -> ChannelLabel? {
        switch place {
        case .sideLeft: .rearLeft
        case .sideRight: .rearRight
        case .rearLeft: .sideLeft
        case .rearRight: .sideRight
        case .mono, .left, .right, .center, .lowFrequency, .rearCenter, .discrete: nil
        }
    }

    /// Whether it changes nothing.
    func isIdentity(inputs: Int) -> Bool { self == .map(Array(0..<inputs)) }

    /// Routes whole frames of interleaved samples.
    ///
    /// - Precondition: `output` has room for as many frames as `input` has.
    func apply(
        _ input: UnsafeBufferPointer<Double>, inputs: Int, into output: UnsafeMutableBufferPointer<Double>,
        outputs: Int
    ) {
        let frames = input.count / inputs
        programmerError(unless: output.count >= frames * outputs, "the output has room for what is converted")
        switch self {
        case .map(let map):
            for (channel, source) in map.enumerated() {
                for frame in 0..<frames {
                    output[frame * outputs + channel] = source < 0 ? 0 : input[frame * inputs + source]
                }
            }
        case .matrix(let gains, _):
            for channel in 0..<outputs {
                for frame in 0..<frames {
                    var sum = 0.0
                    for source in 0..<inputs {
                        sum += gains[channel * inputs + source] * input[frame * inputs + source]
                    }
                    output[frame * outputs + channel] = sum
                }
            }
        }
    }
}

/// Noise of the size of a step, which turns the error of rounding into noise that does not follow the signal.
///
/// Triangular, between −1 and 1 step.
struct Dither {
    // xorshift64: a fixed start makes conversions repeatable, and no more is asked of this noise.
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Adds noise for integers of so many bits to samples of nominal ±1.
    mutating func add(to samples: UnsafeMutableBufferPointer<Double>, bits: Int) {
        let step = 1 / Double(UInt64(1) << UInt64(bits - 1))
        for index in samples.indices { samples[index] += (next() - next()) * step }
    }

    /// Evenly from 0 up to 1.
    private mutating func next() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) * 0x1p-53
    }
}
