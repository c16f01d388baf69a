extension AVAudioPCMBuffer {
    /// Reads frames as interleaved Float64.
    ///
    /// - Precondition: `range` is within the capacity, and `output` has room for its samples.
    package func decode(
        _ range: Range<Int>, with coding: SampleCoding, into output: UnsafeMutableBufferPointer<Double>
    ) {
        let channels = Int(format.channelCount)
        precondition(range.lowerBound >= 0 && range.upperBound <= Int(frameCapacity))
        precondition(output.count >= range.count * channels)
        guard let base = output.baseAddress, !range.isEmpty else { return }
        for channel in 0..<channels {
            coding.decode(
                channelData(channel) + range.lowerBound * stride * coding.byteCount, spacing: stride,
                count: range.count, into: base + channel, step: channels)
        }
    }

    /// Writes frames of interleaved Float64 from frame `start` on.
    ///
    /// - Precondition: they are within the capacity.
    package func encode(
        _ samples: UnsafeBufferPointer<Double>, at start: Int, with coding: SampleCoding
    ) {
        let channels = Int(format.channelCount)
        let count = samples.count / channels
        precondition(start >= 0 && start + count <= Int(frameCapacity))
        guard let base = samples.baseAddress, count > 0 else { return }
        for channel in 0..<channels {
            coding.encode(
                base + channel, step: channels, count: count,
                into: channelData(channel) + start * stride * coding.byteCount, spacing: stride)
        }
    }
}
