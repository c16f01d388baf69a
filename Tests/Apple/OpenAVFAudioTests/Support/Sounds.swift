import Foundation
import TestAudio
import TestSupport

@testable import OpenAVFAudio

extension AVAudioFormat {
    static let mono = standard(1)
    static let stereo = standard(2)

    static func standard(_ channels: UInt32, rate: Double = 48_000) -> AVAudioFormat {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: rate, channels: channels) else {
            preconditionFailure("\(channels) channels at \(rate) Hz are a format")
        }
        return format
    }
}

extension AVAudioPCMBuffer {
    /// Each channel's frames.
    convenience init(_ channels: [[Float]], rate: Double = 48_000) {
        let format = AVAudioFormat.standard(UInt32(channels.count), rate: rate)
        let frames = channels[0].count
        // Standard formats have buffers.
        self.init(pcmFormat: format, frameCapacity: UInt32(frames))!
        frameLength = UInt32(frames)
        for (index, channel) in channels.enumerated() {
            for (frame, sample) in channel.enumerated() { floatChannelData![index][frame] = sample }
        }
    }

    /// Each channel's valid frames.
    var channels: [[Float]] {
        (0..<Int(format.channelCount)).map { channel in
            (0..<Int(frameLength)).map { floatChannelData![channel][$0 * stride] }
        }
    }
}

/// Different in every frame, and exact in Float32: these whole numbers of 2^-16.
func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }

/// What one call of a tap said.
struct HeardBuffer: Sendable {
    var frames: Int
    var sampleTime: Int64
    var hostSeconds: Double
    /// Rate and channels.
    var format: [Double]
    var channels: [[Float]]
    var isMainThread: Bool

    init(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime) {
        frames = Int(buffer.frameLength)
        sampleTime = time.sampleTime
        hostSeconds = AVAudioTime.seconds(forHostTime: time.hostTime)
        format = [buffer.format.sampleRate, Double(buffer.format.channelCount)]
        channels = buffer.floatChannelData == nil ? [] : buffer.channels
        isMainThread = Thread.isMainThread
    }
}

extension History<HeardBuffer> {
    /// Each channel's frames of all buffers, which must have the same channels.
    var samples: [[Float]] {
        let entries = entries
        return (entries.first?.channels ?? []).indices.map { channel in entries.flatMap { $0.channels[channel] } }
    }
}
