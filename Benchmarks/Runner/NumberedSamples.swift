import OpenAVFAudio

/// Sound whose every sample says which frame it is.
enum NumberedSamples {
    /// After so many frames it begins again.
    private static let period = (1 << 16) - 1
    /// A sample is this small part of frame + 1: exact in Float32.
    private static let unit = Float(0x1p-17)

    /// One period, in stereo at 48 kHz.
    static func buffer() throws -> AVAudioPCMBuffer {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2),
            let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(period))
        else { throw Failure("A stereo buffer of \(period) frames could not be made.") }
        buffer.frameLength = AVAudioFrameCount(period)
        for channel in 0..<2 {
            for frame in 0..<period { buffer.floatChannelData?[channel][frame] = sample(ofFrame: frame) }
        }
        return buffer
    }

    /// What the number of a frame is, which begins again after a period.
    static func number(ofFrame frame: Int) -> Int { frame % period }

    static func sample(ofFrame frame: Int) -> Float { Float(number(ofFrame: frame) + 1) * unit }

    /// The number of a frame; nil for any other sample.
    static func frame(_ sample: Float) -> Int? {
        let scaled = sample / unit
        guard scaled == scaled.rounded(), scaled >= 1, scaled <= Float(period) else { return nil }
        return Int(scaled) - 1
    }

    /// The number of the last sample, where each is the one after that before it; nil for any other sound.
    static func lastFrame(of samples: [Float]) -> Int? {
        var last: Int?
        for sample in samples {
            guard let frame = frame(sample) else { return nil }
            if let last, distance(from: last, to: frame) != 1 { return nil }
            last = frame
        }
        return last
    }

    /// Frames from `earlier` to `later`, at most half a period either way.
    static func distance(from earlier: Int, to later: Int) -> Int {
        ((later - earlier) % period + period + period / 2) % period - period / 2
    }
}
