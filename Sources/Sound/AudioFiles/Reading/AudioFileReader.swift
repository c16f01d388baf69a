/// Reads a sound file as a stream of interleaved Float32 frames, nominal ±1, at the sample rate that is asked for.
///
/// What it takes is in constant memory, whatever the file's length: one block of input, and libsoxr's filter state.
/// Opening reads headers only; in Ogg files also the pages near both ends, some 300 kB.
///
/// One thread at a time, any thread; reading waits for the disk, so never the render thread. The type is not Sendable:
/// send the whole reader to the thread that reads, or keep it in a `Mutex`.
///
/// - A file's own frames are exact for PCM, FLAC and Apple Lossless: also after `seek`. Ogg Vorbis, Ogg Opus and MP3 land on
///   the right frame, but their decoders need some frames to settle, so that the first milliseconds after a seek can
///   differ slightly from uninterrupted play.
/// - A file that counts itself wrongly, or not at all, is read by FFmpeg: an MP3 without a Xing header, for example.
/// - An incomplete file plays as far as it goes; then `read` throws `truncated` where a complete one gives 0.
package final class AudioFileReader {
    /// The sample rates, in hertz, that files may have and that output may be asked for.
    package static let supportedSampleRates: ClosedRange<Double> = 100...1_000_000
    package static let supportedChannelCounts: ClosedRange<Int> = 1...64

    package let info: AudioFileInfo
    package let type: AudioFileType
    /// In hertz; the rate of `read`, `position` and `seek(toFrame:)`.
    package let outputSampleRate: Double
    /// The next frame that `read` gives, at the output rate.
    package private(set) var position: Int64 = 0

    private let sound: any SoundDecoder
    private var converter: SampleRateConverter<Float>?
    private var input: InputBlock
    /// Frames at the output rate that come out of the converter before the position that was asked for.
    private var framesToDiscard: Int64 = 0
    /// Met at the end of the input, given out after what came before it.
    private var ending: Ending?

    private enum Ending {
        case complete
        case failed(AudioFileError)
    }

    /// Opens a file at its beginning.
    ///
    /// - Parameters:
    ///   - outputSampleRate: in hertz, within `supportedSampleRates`; nil for the file's own rate.
    /// - Throws: `AudioFileError` when there is no such file, or nothing in it that can be played.
    package convenience init(path: String, outputSampleRate: Double?) throws(AudioFileError) {
        try self.init(decoder: SoundOpening.open(path: path), outputSampleRate: outputSampleRate)
    }

    /// Opens the bytes of a sound file, which are copied.
    ///
    /// - Parameter name: what messages call it.
    /// - Throws: as `init(path:outputSampleRate:)`.
    package convenience init(
        contents: [UInt8], name: String, outputSampleRate: Double?
    ) throws(AudioFileError) {
        try self.init(
            decoder: SoundOpening.open(contents: contents, name: name), outputSampleRate: outputSampleRate)
    }

    /// - Parameter sound: just opened, and used by nothing else from now on.
    package init(decoder sound: any SoundDecoder, outputSampleRate: Double?) throws(AudioFileError) {
        self.sound = sound
        type = sound.type
        info = sound.info(frameCount: sound.frameCount ?? 0)
        self.outputSampleRate = outputSampleRate ?? info.sampleRate
        input = InputBlock(channels: sound.channelCount)
        let supported = Self.supportedSampleRates
        precondition(
            supported.contains(self.outputSampleRate),
            "output sample rate \(self.outputSampleRate) Hz; \(supported) are supported")
        guard self.outputSampleRate != info.sampleRate else { return }
        do throws(RateConversionFailure) {
            converter = try SampleRateConverter(
                from: info.sampleRate, to: self.outputSampleRate, channels: sound.channelCount)
        } catch {
            throw conversionFailure(error)
        }
    }

    /// Of a sound that comes while it is played; nil for files, which are at hand whole.
    package var stream: (any SoundStream)? { sound.stream }

    /// Whether `read` gave 0 because the sound has not come yet, and not at its end.
    package var isWaiting: Bool { ending == nil && sound.isWaiting }

    /// The file's length at the output rate; nil when the file does not say.
    package var outputFrameCount: Int64? {
        sound.frameCount.map { Int64((Double($0) * outputSampleRate / info.sampleRate).rounded()) }
    }

    /// Whether `outputFrameCount` is the number of frames, and not the container's guess.
    var isLengthExact: Bool { sound.isFrameCountExact && sound.frameCount != nil }

    /// Reads the next frames, as many as fit and are left.
    ///
    /// - Parameter output: room for at least one frame of `info.channels.count` samples.
    /// - Returns: the frames read, less than fit only before an end; 0 at the end. Of a sound from a server fewer than fit,
    ///   or 0, also while `isWaiting`.
    /// - Throws: `truncated` at the end of an incomplete file, `readFailed` where it cannot be read on. Again at each
    ///   further call, until a `seek`.
    package func read(into output: UnsafeMutableBufferPointer<Float>) throws(AudioFileError) -> Int {
        let channels = sound.channelCount
        let capacity = output.count / channels
        precondition(capacity > 0, "read(into:) needs room for one frame of \(channels) samples, not \(output.count)")
        var done = 0
        while done < capacity {
            let rest = UnsafeMutableBufferPointer(rebasing: output[(done * channels)..<(capacity * channels)])
            let got =
                try converter.map { (converter) throws(AudioFileError) in try convert(converter, into: rest) }
                ?? readDirectly(into: rest)
            if got == 0 { break }
            if framesToDiscard > 0 {
                framesToDiscard -= Int64(got)
                continue
            }
            done += got
        }
        position += Int64(done)
        if done == 0, case .failed(let error)? = ending { throw error }
        return done
    }

    /// Moves to a time, in seconds from the beginning; clamped to the file's length.
    ///
    /// NaN counts as 0.
    ///
    /// - Throws: as `seek(toFrame:)`.
    package func seek(toSeconds seconds: Double) throws(AudioFileError) {
        let frame = (seconds.isNaN ? 0 : seconds * outputSampleRate).rounded()
        // 2^62 frames are more than any file has, and fit.
        try seek(toFrame: Int64(min(max(frame, 0), 0x1p62)))
    }

    /// Moves to a frame at the output rate; clamped to the file's length, also where only decoding finds it.
    ///
    /// With rate conversion the frames after a seek are those of uninterrupted play, to the converter's precision: it is
    /// started somewhat earlier, at an input frame that falls together with an output frame.
    ///
    /// - Throws: `truncated` or `readFailed` when the file is not good up to there; the position is then unchanged.
    package func seek(toFrame frame: Int64) throws(AudioFileError) {
        let target = min(max(0, frame), outputFrameCount ?? SoundFile.longest)
        var start = StartPoint(inputFrame: target, framesToDiscard: 0)
        if converter != nil {
            start = StartPoint(
                beforeOutputFrame: target, inputRate: info.sampleRate, outputRate: outputSampleRate)
        }
        try sound.seek(to: min(start.inputFrame, sound.frameCount ?? SoundFile.longest))
        if let converter {
            do throws(RateConversionFailure) {
                try converter.reset()
            } catch {
                throw conversionFailure(error)
            }
        }
        input.removeAll()
        ending = nil
        // It may end before, or come from a server that does not go back.
        let isElsewhere = sound.position != start.inputFrame
        framesToDiscard = isElsewhere ? 0 : start.framesToDiscard
        position = isElsewhere ? Int64((Double(sound.position) * outputSampleRate / info.sampleRate).rounded()) : target
    }

    private func readDirectly(into output: UnsafeMutableBufferPointer<Float>) -> Int {
        guard ending == nil else { return 0 }
        return readSound(into: output)
    }

    private func convert(
        _ converter: SampleRateConverter<Float>, into output: UnsafeMutableBufferPointer<Float>
    ) throws(AudioFileError) -> Int {
        var output = output
        if framesToDiscard > 0 {
            let count = min(output.count, Int(min(framesToDiscard, 65_536)) * sound.channelCount)
            output = UnsafeMutableBufferPointer(rebasing: output[..<count])
        }
        while true {
            if input.isEmpty && ending == nil { input.refill { readSound(into: $0) } }
            // Nothing has come yet; for the converter, no input is the end.
            if input.isEmpty && ending == nil { return 0 }
            do throws(RateConversionFailure) {
                let progress = try converter.convert(input.isEmpty ? nil : input.frames, into: output)
                input.remove(progress.consumedFrames)
                if progress.producedFrames > 0 { return progress.producedFrames }
                if input.isEmpty && ending != nil && progress.consumedFrames == 0 { return 0 }
            } catch {
                throw conversionFailure(error)
            }
        }
    }

    /// Notes the ending instead of throwing: the frames before it are still in the converter.
    private func readSound(into output: UnsafeMutableBufferPointer<Float>) -> Int {
        do throws(AudioFileError) {
            let got = try sound.read(into: output)
            if got == 0, !sound.isWaiting { ending = .complete }
            return got
        } catch {
            ending = .failed(error)
            return 0
        }
    }

    private func conversionFailure(_ failure: RateConversionFailure) -> AudioFileError {
        AudioFileError(
            .readFailed,
            """
            \(info.path.quoted) cannot be converted from \(info.sampleRate) Hz to \(outputSampleRate) Hz: \
            \(failure.reason). Convert it to another sample rate first.
            """)
    }
}

/// Frames that were read and not yet converted, in one allocation.
private struct InputBlock: ~Copyable {
    private static let capacityFrames = 4096

    private let storage: UnsafeMutableBufferPointer<Float>
    private let channels: Int
    private var first = 0
    private var end = 0

    init(channels: Int) {
        self.channels = channels
        storage = .allocate(capacity: Self.capacityFrames * channels)
        storage.initialize(repeating: 0)
    }

    deinit { storage.deallocate() }

    var isEmpty: Bool { first == end }

    /// What is left.
    ///
    /// Good until the next change.
    var frames: UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(rebasing: storage[(first * channels)..<(end * channels)])
    }

    mutating func refill(_ read: (UnsafeMutableBufferPointer<Float>) -> Int) {
        first = 0
        end = read(storage)
    }

    mutating func remove(_ count: Int) { first += count }

    mutating func removeAll() {
        first = 0
        end = 0
    }
}
