import CPeer
import CRealtime
import EffectCore

/// An effect, a second of noise for it, and memory for what comes out.
final class EffectLane {
    private let frames: Int
    private let input: [[Float]]
    private let output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private let processor: EffectProcessor

    /// - Parameter frames: of a cycle.
    init(_ parameters: EffectParameters, frames: Int) {
        self.frames = frames
        processor = EffectProcessor(parameters, channels: 2, sampleRate: 48_000, maximumFrames: frames)
        var random = SystemRandomNumberGenerator()
        input = (0..<2).map { _ in (0..<48_000).map { _ in Float.random(in: -0.5...0.5, using: &random) } }
        output = .allocate(capacity: 2)
        for channel in 0..<2 {
            let samples = UnsafeMutablePointer<Float>.allocate(capacity: 48_000)
            samples.initialize(repeating: 0, count: 48_000)
            (output + channel).initialize(to: samples)
        }
    }

    deinit {
        for channel in 0..<2 { output[channel].deallocate() }
        output.deallocate()
    }

    /// What the last round gave: [channel][frame].
    var rendered: [[Float]] { (0..<2).map { channel in (0..<48_000).map { output[channel][$0] } } }

    /// Nanoseconds a frame of a second, cycle by cycle.
    func render() -> Double {
        let own = processor.processor
        return eachCycle { inputs, outputs, count in
            inputs.withMemoryRebound(to: UnsafeMutablePointer<Float>.self, capacity: 2) { channels in
                var bus = oav_bus(channels: channels, channel_count: 2, flags: 0)
                withUnsafePointer(to: &bus) {
                    var process = oav_process(
                        inputs: $0, input_count: 1, frames: UInt32(count),
                        output: oav_bus(channels: outputs, channel_count: 2, flags: 0), sample_rate: 48_000,
                        sample_time: 0, host_time_ns: 0)
                    own.process(own.context, &process)
                }
            }
        }
    }

    /// The same for a loop in C.
    func render(
        _ peer: (UnsafePointer<UnsafePointer<Float>>, UnsafePointer<UnsafeMutablePointer<Float>>, UInt32) -> Void
    ) -> Double {
        eachCycle { peer($0, $1, UInt32($2)) }
    }

    private func eachCycle(
        _ body: (UnsafePointer<UnsafePointer<Float>>, UnsafePointer<UnsafeMutablePointer<Float>>, Int) -> Void
    ) -> Double {
        input[0].withUnsafeBufferPointer { left in
            input[1].withUnsafeBufferPointer { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return 0 }
                let start = Clock.nanoseconds
                for first in stride(from: 0, to: 48_000 - frames + 1, by: frames) {
                    let inputs = [left + first, right + first]
                    let outputs = [output[0] + first, output[1] + first]
                    inputs.withUnsafeBufferPointer { inputs in
                        outputs.withUnsafeBufferPointer { outputs in
                            guard let inputs = inputs.baseAddress, let outputs = outputs.baseAddress else { return }
                            body(inputs, outputs, frames)
                        }
                    }
                }
                return Double(Clock.nanoseconds - start) / Double(48_000 / frames * frames)
            }
        }
    }
}
