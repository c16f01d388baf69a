package import AudioModel
internal import AudioRuntime
internal import EngineCore

extension AVAudioPCMBuffer {
    /// Reads frames as interleaved Float32 of these channels; silence from a coding that is not read here.
    ///
    /// - Precondition: the frames are within the capacity, and the output has room for them.
    package func read(
        _ frames: Range<Int>, into output: UnsafeMutableBufferPointer<Float>, as channels: [ChannelLabel]
    ) {
        let own = format.places
        guard own.count == channels.count else {
            let scratch = [Float](unsafeUninitializedCapacity: frames.count * own.count) { scratch, count in
                read(
                    frames, into: UnsafeMutableBufferPointer(rebasing: scratch[..<(frames.count * own.count)]), as: own)
                count = frames.count * own.count
            }
            let mixed = scratch.mixed(by: MixMatrix.compile(from: own, to: channels), outputs: channels.count)
            _ = output.update(fromContentsOf: mixed)
            return
        }
        if let planes = floatChannelData {
            for channel in own.indices {
                let plane = planes[channel]
                for frame in 0..<frames.count {
                    output[frame * own.count + channel] = plane[(frames.lowerBound + frame) * stride]
                }
            }
            return
        }
        guard let coding = SampleCoding(format.streamDescription.pointee) else {
            return output.update(repeating: 0)
        }
        let decoded = [Double](unsafeUninitializedCapacity: frames.count * own.count) { decoded, count in
            count = frames.count * own.count
            decode(frames, with: coding, into: UnsafeMutableBufferPointer(rebasing: decoded[..<count]))
        }
        for (index, sample) in decoded.enumerated() { output[index] = Float(sample) }
    }
}

extension AVAudioPCMBuffer {
    /// Writes planar Float32, [channel][frame], from frame 0 on; a coding that is not written here stays as it is.
    ///
    /// - Precondition: there are as many planes as channels, and the frames are within the capacity.
    func write(_ planes: [UnsafeMutablePointer<Float>], frames: Int) {
        if let own = floatChannelData {
            for (channel, plane) in planes.enumerated() {
                for frame in 0..<frames { own[channel][frame * stride] = plane[frame] }
            }
            return
        }
        guard let coding = SampleCoding(format.streamDescription.pointee) else { return }
        var samples = [Double](repeating: 0, count: frames * planes.count)
        for (channel, plane) in planes.enumerated() {
            for frame in 0..<frames { samples[frame * planes.count + channel] = Double(plane[frame]) }
        }
        samples.withUnsafeBufferPointer { encode($0, at: 0, with: coding) }
    }
}
