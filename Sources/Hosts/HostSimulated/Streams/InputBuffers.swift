import CRealtime

/// The memory that one input stream's renderer reads from.
///
/// Outside a cycle every sample is a NaN, so that what is read too late shows.
/// `@unchecked`: created, used and released on the one thread that advances; see `SimulatedHost`.
final class InputBuffers: @unchecked Sendable {
    let channelCount: Int
    /// The most frames of one cycle.
    let frameCapacity: Int
    private let samples: UnsafeMutablePointer<Float>
    private let pointers: UnsafeMutablePointer<UnsafePointer<Float>?>

    init(channelCount: Int, frameCapacity: Int) {
        self.channelCount = channelCount
        self.frameCapacity = frameCapacity
        samples = .allocate(capacity: max(1, frameCapacity * channelCount))
        samples.initialize(repeating: .nan, count: frameCapacity * channelCount)
        pointers = .allocate(capacity: max(1, channelCount))
        for channel in 0..<channelCount {
            (pointers + channel).initialize(to: UnsafePointer(samples + channel * frameCapacity))
        }
    }

    deinit {
        samples.deallocate()
        pointers.deallocate()
    }

    /// Hands one cycle's frames to the renderer.
    ///
    /// - Parameters:
    ///   - cycle: without the sound.
    ///   - sources: for each channel the signal and its channel there; nil is silence.
    ///   - machineFrames: for each frame of the cycle the machine's frame that it is taken at.
    func capture(
        _ renderer: oav_renderer, _ cycle: oav_cycle, from sources: [(signal: InputSignal?, channel: Int)],
        machineFrames: [Int]
    ) {
        for (channel, source) in sources.prefix(channelCount).enumerated() {
            let row = samples + channel * frameCapacity
            for (index, frame) in machineFrames.enumerated() { row[index] = source.signal?(frame, source.channel) ?? 0 }
        }
        var cycle = cycle
        cycle.inputs = UnsafePointer(pointers)
        cycle.input_channels = UInt32(channelCount)
        withUnsafePointer(to: renderer) { oav_renderer_call($0, &cycle) }
        samples.update(repeating: .nan, count: frameCapacity * channelCount)
    }
}
