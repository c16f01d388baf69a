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
    ///   - sources: for each channel the signal and its channel there; nil is silence.
    ///   - machineFrames: for each frame of the stream the machine's frame that it is taken at.
    ///   - clock: that drives it, and the first frame there; nil for none that is known.
    func capture(
        _ renderer: oav_renderer, from sources: [(signal: InputSignal?, channel: Int)], machineFrames: [Int],
        sampleRate: Double, hostTimeNanoseconds: UInt64, clock: CycleClockPosition?
    ) {
        let frames = min(machineFrames.count, frameCapacity)
        for (channel, source) in sources.prefix(channelCount).enumerated() {
            let row = samples + channel * frameCapacity
            for index in 0..<frames { row[index] = source.signal?(machineFrames[index], source.channel) ?? 0 }
        }
        var cycle = oav_cycle()
        cycle.inputs = UnsafePointer(pointers)
        cycle.input_channels = UInt32(channelCount)
        cycle.frames = UInt32(frames)
        cycle.sample_rate = sampleRate
        cycle.host_time_ns = hostTimeNanoseconds
        (cycle.clock, cycle.clock_position) = (clock?.clock ?? 0, clock?.position ?? 0)
        withUnsafePointer(to: renderer) { oav_renderer_call($0, &cycle) }
        samples.update(repeating: .nan, count: frameCapacity * channelCount)
    }
}
