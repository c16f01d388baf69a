internal import AudioFiles
import CAudioTypes
import CoreMedia
import Foundation
internal import OpenAVFAudio
internal import QueueRuntime

/// Decodes the sound of a file, or a part of it, in a format of linear PCM.
///
/// One thread at a time.
final class AssetDecoder {
    static let bufferFrames: AVAudioFrameCount = 8192

    let format: AVAudioFormat
    /// Frames to decode, at the file's rate; negative where the file does not say.
    let totalFrames: Int64
    private(set) var decodedFrames: Int64 = 0
    private let file: AVAudioFile
    private let converter: AVAudioConverter
    /// Of the first frame, in the asset.
    private let start: CMTime
    private var givenFrames: Int64 = 0
    private let filter: MixFilter?

    /// - Parameters:
    ///   - settings: of linear PCM, with the keys of `AVAudioSettings`; what is missing is as in the file.
    ///   - range: of the asset; `.invalid` is all of it.
    ///   - mix: what is done to the sound; nil: nothing.
    /// - Throws: `NSError` that says what cannot be read, or what the settings lack.
    init(_ asset: AVAsset, settings: [String: Any], range: CMTimeRange, mix: AVAudioMix? = nil) throws {
        guard asset.location.isFileURL else {
            throw NSError.media(
                "The sound at \(asset.location.absoluteString.printable) comes from a server: download it, and read the file."
            )
        }
        // The asset's own error says more of a file that is none.
        let info = try asset.info()
        file = try AVAudioFile(forReading: asset.location)
        let own = file.processingFormat
        var settings = settings
        if settings[AVSampleRateKey] == nil { settings[AVSampleRateKey] = own.sampleRate }
        if settings[AVNumberOfChannelsKey] == nil, settings[AVChannelLayoutKey] == nil {
            settings[AVNumberOfChannelsKey] = Int(own.channelCount)
        }
        let wanted = AudioSettings(settings)
        guard wanted.formatID == kAudioFormatLinearPCM, let description = wanted.streamDescription else {
            throw NSError.media(
                "The settings do not describe linear PCM: give AVFormatIDKey kAudioFormatLinearPCM, and 8, 16, 24 or 32 as "
                    + "AVLinearPCMBitDepthKey, or 32 or 64 with AVLinearPCMIsFloatKey.")
        }
        let layout =
            wanted.channelLayout ?? (description.mChannelsPerFrame == own.channelCount ? own.channelLayout : nil)
        format = AVAudioFormat(description, layout: layout)
        guard let converter = AVAudioConverter(from: own, to: format) else {
            throw NSError.media(
                "The sound has \(own.channelCount) channels at \(own.sampleRate) Hz, and is not converted to "
                    + "\(format): give at most as many channels, with AVChannelLayoutKey above 2.")
        }
        self.converter = converter
        filter = mix.map { mix in
            let filter = MixFilter()
            filter.setMix(mix)
            return filter
        }
        let length = info.frameCount > 0 ? info.frameCount : .max
        func frame(_ time: CMTime, or other: Int64) -> Int64 {
            guard time.isNumeric else { return other }
            // As a Double it may be beyond every Int64.
            return min(Int64(min(max((time.seconds * own.sampleRate).rounded(), 0), 0x1p53)), length)
        }
        let first = range.isValid ? frame(range.start, or: 0) : 0
        let end = range.isValid ? frame(range.end, or: length) : length
        totalFrames = end == .max ? -1 : max(end - first, 0)
        start = CMTime(value: first, timescale: CMTimeScale(own.sampleRate.rounded()))
        if first > 0 { file.framePosition = first }
    }

    /// The share that is decoded, 0...1.
    var progress: Float { totalFrames > 0 ? min(Float(decodedFrames) / Float(totalFrames), 1) : 0 }

    /// The next frames; nil at the end.
    func next() throws -> (buffer: AVAudioPCMBuffer, time: CMTime)? {
        guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: Self.bufferFrames) else {
            throw NSError.media("There is no memory for \(Self.bufferFrames) frames of \(format).")
        }
        var failure: (any Error)?
        var conversion: NSError?
        let status = converter.convert(to: buffer, error: &conversion) { _, status in
            do {
                let input = try read()
                status.pointee = input == nil ? .endOfStream : .haveData
                return input
            } catch {
                failure = error
                status.pointee = .endOfStream
                return nil
            }
        }
        if let failure { throw failure }
        if status == .error { throw conversion ?? NSError.media("The sound cannot be converted.") }
        guard buffer.frameLength > 0 else { return nil }
        let time = start + CMTime(value: givenFrames, timescale: CMTimeScale(format.sampleRate.rounded()))
        givenFrames += Int64(buffer.frameLength)
        return (buffer, time)
    }

    /// Frames of the file; nil at the end of the part.
    private func read() throws -> AVAudioPCMBuffer? {
        let rest =
            totalFrames < 0 ? Int64(Self.bufferFrames) : min(totalFrames - decodedFrames, Int64(Self.bufferFrames))
        guard rest > 0,
            let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(rest))
        else { return nil }
        do {
            try file.read(into: buffer, frameCount: AVAudioFrameCount(rest))
        } catch let error as NSError where error.code == Int(kAudioFileEndOfFileError) {
            return nil
        }
        decodedFrames += Int64(buffer.frameLength)
        if let filter { buffer.pass(through: filter, endingAt: file.framePosition, of: file.length) }
        return buffer.frameLength > 0 ? buffer : nil
    }
}

extension AVAudioPCMBuffer {
    /// - Parameters:
    ///   - end: the frame after its last one.
    ///   - length: of the sound.
    fileprivate func pass(through filter: MixFilter, endingAt end: Int64, of length: Int64) {
        guard let planes = floatChannelData, frameLength > 0 else { return }
        let (frames, channels) = (Int(frameLength), Int(format.channelCount))
        var samples = [Float](repeating: 0, count: frames * channels)
        samples.withUnsafeMutableBufferPointer { samples in
            read(0..<frames, into: samples, as: format.places)
            filter.filter(
                samples,
                at: FramePlace(
                    first: end - Int64(frames), frames: frames, channels: channels, sampleRate: format.sampleRate,
                    isEnd: end >= length))
            for channel in 0..<channels {
                for frame in 0..<frames { planes[channel][frame * stride] = samples[frame * channels + channel] }
            }
        }
    }
}
