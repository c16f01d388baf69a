import CRealtime
import EffectCore

/// Runs an effect as the engine does, in blocks.
final class EffectRig {
    let parameters: EffectParameters
    let processor: EffectProcessor
    let channels: Int
    let sampleRate: Double
    let maximumFrames: Int

    /// What outputs hold before a block: a value that no test renders, so that an unwritten sample is seen.
    static let unwritten: Float = 99

    init(
        _ parameters: EffectParameters, channels: Int = 2, sampleRate: Double = 48_000, maximumFrames: Int = 4096
    ) {
        self.parameters = parameters
        self.channels = channels
        self.sampleRate = sampleRate
        self.maximumFrames = maximumFrames
        processor = EffectProcessor(
            parameters, channels: channels, sampleRate: sampleRate, maximumFrames: maximumFrames)
    }

    convenience init(
        _ kind: EffectKind, bands: Int = 0, channels: Int = 2, sampleRate: Double = 48_000, maximumFrames: Int = 4096,
        _ values: [UInt64: Float] = [:]
    ) {
        let parameters = EffectParameters(kind, bands: bands)
        for (address, value) in values { parameters.set(value, at: address) }
        self.init(parameters, channels: channels, sampleRate: sampleRate, maximumFrames: maximumFrames)
    }

    /// Processes one block.
    ///
    /// - Parameter input: [channel][frame].
    /// - Returns: the same shape.
    func block(_ input: [[Float]]) -> [[Float]] {
        let frames = input[0].count
        let inputs = input.map { row in
            let samples = UnsafeMutablePointer<Float>.allocate(capacity: max(1, frames))
            samples.initialize(from: row, count: frames)
            return samples
        }
        let outputs = input.map { _ in
            let samples = UnsafeMutablePointer<Float>.allocate(capacity: max(1, frames))
            samples.initialize(repeating: Self.unwritten, count: frames)
            return samples
        }
        defer { for samples in inputs + outputs { samples.deallocate() } }
        inputs.withUnsafeBufferPointer { inputs in
            outputs.withUnsafeBufferPointer { outputs in
                var bus = oav_bus(
                    channels: inputs.baseAddress!, channel_count: UInt32(inputs.count), flags: 0)
                withUnsafePointer(to: &bus) {
                    var process = oav_process(
                        inputs: $0, input_count: 1, frames: UInt32(frames),
                        output: oav_bus(
                            channels: outputs.baseAddress!, channel_count: UInt32(outputs.count), flags: 0),
                        sample_rate: sampleRate, sample_time: 0, host_time_ns: 0)
                    oav_realtime_enter()
                    processor.processor.process(processor.processor.context, &process)
                    oav_realtime_exit()
                }
            }
        }
        return outputs.map { samples in (0..<frames).map { samples[$0] } }
    }

    /// Processes a sound in blocks of these lengths, in turn; by default in the longest.
    ///
    /// - Parameter before: called before each block with the number of its first frame.
    func process(_ input: [[Float]], blocks: [Int] = [], before: (Int) -> Void = { _ in }) -> [[Float]] {
        var output = input.map { _ in [Float]() }
        var (done, turn) = (0, 0)
        while done < input[0].count {
            let length = blocks.isEmpty ? maximumFrames : blocks[turn % blocks.count]
            let end = min(input[0].count, done + length)
            before(done)
            for (channel, row) in block(input.map { Array($0[done..<end]) }).enumerated() {
                output[channel] += row
            }
            (done, turn) = (end, turn + 1)
        }
        return output
    }

    /// Forgets all sound.
    func reset() {
        oav_realtime_enter()
        processor.processor.reset?(processor.processor.context)
        oav_realtime_exit()
    }
}
