import CRealtime
import Threading

/// The memory that one stream's renderer writes to, and the checks on what it does there.
///
/// Outside a cycle, and behind its end, every sample holds a pattern that no renderer writes, so that a renderer which
/// leaves frames out, runs past the end or writes after its call has returned is found out.
/// `@unchecked`: `SimulatedHost` lets one thread at a time advance, and touches the buffers from that thread during a
/// cycle, and otherwise under its state's lock between cycles.
package final class RenderBuffers: @unchecked Sendable {
    /// A quiet NaN that arithmetic does not produce.
    private static let pattern = Float(bitPattern: 0x7FE5_A5A5)
    /// Frames behind the last one that a cycle may write.
    private static let guardFrames = 64

    let channelCount: Int
    /// The most frames of one cycle.
    let frameCapacity: Int
    private let stride: Int
    private let samples: UnsafeMutablePointer<Float>
    private let untouched: UnsafeMutablePointer<Float>
    private let pointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    /// The last sample of each channel, which a slower stream's next cycle may begin with.
    private var held: [Float]

    init(channelCount: Int, frameCapacity: Int) {
        self.channelCount = channelCount
        self.frameCapacity = frameCapacity
        stride = frameCapacity + Self.guardFrames
        samples = .allocate(capacity: max(1, stride * channelCount))
        untouched = .allocate(capacity: max(1, stride * channelCount))
        pointers = .allocate(capacity: max(1, channelCount))
        samples.initialize(repeating: Self.pattern, count: stride * channelCount)
        untouched.initialize(repeating: Self.pattern, count: stride * channelCount)
        for channel in 0..<channelCount { (pointers + channel).initialize(to: samples + channel * stride) }
        held = Array(repeating: 0, count: channelCount)
    }

    deinit {
        samples.deallocate()
        untouched.deallocate()
        pointers.deallocate()
    }

    /// What was written to since `clear`, in words; nil when nothing was.
    package var strayWrite: String? {
        isUntouched(from: 0, count: stride * channelCount)
            ? nil : "its renderer's memory was written to outside a cycle; the pointers are valid during the call only"
    }

    /// Calls the renderer for one cycle and returns what it did wrong, in words.
    ///
    /// - Parameter cycle: without the sound.
    func render(_ renderer: oav_renderer, _ cycle: oav_cycle) -> [String] {
        var cycle = cycle
        cycle.outputs = UnsafePointer(pointers)
        cycle.output_channels = UInt32(channelCount)
        withUnsafePointer(to: renderer) { oav_renderer_call($0, &cycle) }

        let (frames, isGated) = (Int(cycle.frames), cycle.flags & UInt32(OAV_CYCLE_GATED) != 0)
        var faults: [String] = []
        for channel in 0..<channelCount {
            let output = samples + channel * stride
            if !isUntouched(from: channel * stride + frames, count: stride - frames) {
                faults.append("its renderer wrote past the \(frames) frames of a cycle in channel \(channel)")
            }
            if let frame = firstFault(in: output, frames: frames, isGated: isGated) {
                faults.append(
                    isGated
                        ? "its renderer wrote \(output[frame]) to frame \(frame) of channel \(channel) in a gated cycle"
                        : "its renderer left frame \(frame) of channel \(channel) unwritten or not finite")
                output.update(repeating: 0, count: frames)
            }
        }
        return faults
    }

    /// The rendered frames of one channel, valid until `clear`.
    package func rendered(channel: Int, frames: Int) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(start: samples + channel * stride, count: frames)
    }

    /// The rendered frames of one channel at the machine's rate: each frame of the machine takes the stream's frame
    /// that is current at that time, and `held` bridges cycles.
    package func resampled(channel: Int, frames: Int, cycle: Range<Int>, clock: StreamClock) -> [Float] {
        let rendered = samples + channel * stride
        let first = clock.framesRendered(before: cycle.lowerBound)
        return cycle.map { frame in
            let index = clock.streamFrame(at: frame) - first
            return index >= 0 && index < frames ? rendered[index] : held[channel]
        }
    }

    /// The next cycle does not continue the one before, whose samples must not sound in it.
    func forgetHeld() {
        for channel in held.indices { held[channel] = 0 }
    }

    /// Ends the cycle.
    func clear(frames: Int) {
        for channel in 0..<channelCount where frames > 0 { held[channel] = samples[channel * stride + frames - 1] }
        samples.update(from: untouched, count: stride * channelCount)
    }

    private func isUntouched(from offset: Int, count: Int) -> Bool {
        memcmp(samples + offset, untouched + offset, count * MemoryLayout<Float>.size) == 0
    }

    /// The first frame that is not finite, or in a gated cycle not zero.
    private func firstFault(in output: UnsafeMutablePointer<Float>, frames: Int, isGated: Bool) -> Int? {
        var sums = SIMD8<Float>.zero
        var bits = SIMD8<UInt32>.zero
        var index = 0
        // Zero times anything finite is zero; one test for the whole cycle is what a debug build can afford. A sum of single
        // floats cannot be vectorised.
        while index + 8 <= frames {
            let values = UnsafeRawPointer(output + index).loadUnaligned(as: SIMD8<Float>.self)
            // All but the signs.
            bits |= unsafeBitCast(values, to: SIMD8<UInt32>.self) & SIMD8(repeating: 0x7FFF_FFFF)
            sums += values * 0
            index += 8
        }
        var sum = isGated && bits != .zero ? 1 : sums.sum()
        while index < frames {
            sum += isGated ? abs(output[index]) : output[index] * 0
            index += 1
        }
        if sum == 0 { return nil }
        return (0..<frames).first { isGated ? output[$0] != 0 : !output[$0].isFinite }
    }
}
