import Foundation
import OpenAVFAudio
import OpenAudioSession
import Testing

/// Formats, buffers and streams for the converter's suites.
protocol ConverterTesting {}

extension ConverterTesting {
    func format(
        _ common: AVAudioCommonFormat = .pcmFormatFloat32, rate: Double = 48_000, channels: UInt32 = 1,
        interleaved: Bool = false
    ) throws -> AVAudioFormat {
        try #require(
            AVAudioFormat(commonFormat: common, sampleRate: rate, channels: channels, interleaved: interleaved))
    }

    func surround(_ tag: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_1_A) throws -> AVAudioFormat {
        AVAudioFormat(
            standardFormatWithSampleRate: 48_000, channelLayout: try #require(AVAudioChannelLayout(layoutTag: tag)))
    }

    /// A Float32 buffer of these frames for each channel.
    func buffer(_ channels: [[Float]], _ format: AVAudioFormat) throws -> AVAudioPCMBuffer {
        let count = channels[0].count
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(count)))
        buffer.frameLength = AVAudioFrameCount(count)
        let data = try #require(buffer.floatChannelData)
        for (channel, samples) in channels.enumerated() {
            for (frame, sample) in samples.enumerated() { data[channel][frame * buffer.stride] = sample }
        }
        return buffer
    }

    func floats(_ buffer: AVAudioPCMBuffer, channel: Int = 0) throws -> [Float] {
        let data = try #require(buffer.floatChannelData)
        return (0..<Int(buffer.frameLength)).map { data[channel][$0 * buffer.stride] }
    }

    /// Converts a stream that is given in pieces of `piece` frames, in output buffers of `room` frames.
    func stream(
        _ samples: [Float], through converter: AVAudioConverter, piece: Int, room: AVAudioFrameCount
    ) throws -> (samples: [Float], statuses: [AVAudioConverterOutputStatus]) {
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: room))
        var given = 0
        var result: [Float] = []
        var statuses: [AVAudioConverterOutputStatus] = []
        while statuses.last != .endOfStream {
            try #require(statuses.count < 50_000)
            var error: NSError?
            let status = converter.convert(to: output, error: &error) { _, status in
                guard given < samples.count else {
                    status.pointee = .endOfStream
                    return nil
                }
                let next = Array(samples[given..<min(given + piece, samples.count)])
                given += next.count
                status.pointee = .haveData
                return try? buffer([next], converter.inputFormat)
            }
            try #require(error == nil && status != .error)
            statuses.append(status)
            result += try floats(output)
        }
        return (result, statuses)
    }
}
