package import CRealtime

/// Calls a renderer as a host does, with memory of its own.
package enum RenderBench {
    /// What outputs hold before a cycle: a value that no test renders, so that an unwritten sample is seen.
    package static let unwritten: Float = 99

    /// Renders one cycle.
    ///
    /// - Parameter missing: outputs whose pointer is NULL.
    /// - Returns: [output][frame]; an output that is missing stays `unwritten`.
    package static func cycle(
        _ renderer: oav_renderer, outputs: Int, frames: Int, isGated: Bool = false, missing: Set<Int> = [],
        sampleRate: Double = 1000, hostTimeNanoseconds: UInt64 = 0
    ) -> [[Float]] {
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: max(1, outputs * frames))
        samples.initialize(repeating: unwritten, count: outputs * frames)
        defer { samples.deallocate() }
        let pointers: [UnsafeMutablePointer<Float>?] = (0..<outputs).map {
            missing.contains($0) ? nil : samples + $0 * frames
        }
        pointers.withUnsafeBufferPointer {
            var cycle = oav_cycle()
            cycle.outputs = $0.baseAddress
            cycle.output_channels = UInt32(outputs)
            cycle.frames = UInt32(frames)
            cycle.flags = isGated ? UInt32(OAV_CYCLE_GATED) : 0
            cycle.sample_rate = sampleRate
            cycle.host_time_ns = hostTimeNanoseconds
            withUnsafePointer(to: renderer) { oav_renderer_call($0, &cycle) }
        }
        return (0..<outputs).map { output in (0..<frames).map { samples[output * frames + $0] } }
    }
}
