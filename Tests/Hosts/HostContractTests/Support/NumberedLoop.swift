import AudioFiles
import OpenAVFAudio
import TestAudio

/// A sound whose every sample says which channel and which frame it is: exact in Float32, and loud.
enum NumberedLoop {
    static let frames = 480
    private static let unit: Float = 1 / 8192
    /// Above -60 dBFS.
    private static let least = 100

    static func value(channel: Int, frame: Int) -> Float { Float(least + channel * frames + frame) * unit }

    /// One turn of it.
    static func buffer(_ format: AVAudioFormat? = .stereo) -> AVAudioPCMBuffer? {
        guard let format, let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames))
        else { return nil }
        buffer.frameLength = buffer.frameCapacity
        for channel in 0..<Int(format.channelCount) {
            for frame in 0..<frames {
                buffer.floatChannelData?[channel][frame] = value(channel: channel, frame: frame)
            }
        }
        return buffer
    }

    /// One turn of it in a file, which goes with the directory.
    static func file(channels: Int, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path("loop.wav")
        let writer = try AudioFileWriter(path: path, format: .wav16, sampleRate: 48_000, channelCount: channels)
        try writer.write(
            (0..<frames).flatMap { frame in (0..<channels).map { value(channel: $0, frame: frame) } })
        try writer.close()
        return path
    }

    /// What a device's channel has played: a channel of the loop, frame after frame; -1 for silence; nil for anything else.
    static func channel(of samples: [Float]) -> Int? {
        guard let first = samples.first else { return nil }
        if samples.allSatisfy({ $0 == 0 }) { return -1 }
        let number = Int((first / unit).rounded()) - least
        guard number >= 0 else { return nil }
        let (channel, start) = number.quotientAndRemainder(dividingBy: frames)
        let isLoop = samples.indices.allSatisfy { samples[$0] == value(channel: channel, frame: (start + $0) % frames) }
        return isLoop ? channel : nil
    }
}
