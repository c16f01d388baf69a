import AudioModel
import EngineCore

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
        precondition(output.count >= frames * outputs)
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
