import CAudioTypes
import CoreMedia
import TestAudio
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation

/// What tests take from outputs of readers.
enum SampleReading {
    /// 32 bit, [frame][channel].
    static var float: [String: Any] {
        [
            AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMIsFloatKey: true, AVLinearPCMBitDepthKey: 32,
            AVLinearPCMIsNonInterleaved: false,
        ]
    }

    /// The bytes of one buffer.
    static func bytes(_ buffer: CMSampleBuffer) throws -> [UInt8] {
        [UInt8](try #require(CMSampleBufferGetDataBuffer(buffer)).dataBytes())
    }

    /// All that comes from an output of `float`: the first of two channels, and when each buffer is.
    static func frames(
        _ output: AVAssetReaderOutput, most: Int = .max
    ) throws -> (samples: [Float], ranges: [CMTimeRange]) {
        var (samples, ranges): ([Float], [CMTimeRange]) = ([], [])
        while ranges.count < most, let buffer = output.copyNextSampleBuffer() {
            let all = try bytes(buffer).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            samples += stride(from: 0, to: all.count, by: 2).map { all[$0] }
            ranges.append(
                CMTimeRange(
                    start: CMSampleBufferGetPresentationTimeStamp(buffer), duration: CMSampleBufferGetDuration(buffer)))
        }
        return (samples, ranges)
    }
}
