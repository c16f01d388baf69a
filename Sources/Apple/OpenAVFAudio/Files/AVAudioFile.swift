import AudioFiles
import AudioModel
public import Foundation
internal import OpenAudioSession

/// A sound file, open for reading or for writing.
///
/// Samples are read and written in the `processingFormat`, independent of the format in the file. Integers and floats
/// that fit into it are unchanged, and sample rates are never converted. The formats of libsndfile 1.1 and later can be
/// read, and with FFmpeg's libraries those that docs/formats.md names.
///
/// One thread at a time; reading and writing wait for the disk.
///
/// Source: SDK header AVAudioFile.h.
open class AVAudioFile: NSObject {
    /// Where the file is; always a file URL.
    public let url: URL
    /// How the file stores its samples.
    public let fileFormat: AVAudioFormat
    /// The format of the buffers to read into and to write from.
    public let processingFormat: AVAudioFormat

    private var access: Access
    private let coding: SampleCoding
    private var position: Int64 = 0
    private var writtenFrames: Int64 = 0
    /// Of a file that is read; corrected where its sound ends before.
    private var readableFrames: Int64
    /// Frames on their way, interleaved.
    private let block: UnsafeMutableBufferPointer<Double>

    private enum Access {
        case reading(FrameReader)
        case writing(AudioFileWriter)
        case closed
    }

    private static let blockFrames = 4096

    /// Opens a file for reading in the standard format at the file's own rate.
    ///
    /// - Throws: `NSError` of the domain `com.apple.coreaudio.avfaudio` that describes the problem with the file.
    public convenience init(forReading fileURL: URL) throws {
        try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Opens a file for reading in one of the named formats at the file's own rate.
    ///
    /// - Throws: the same as `init(forReading:)`; also for `.otherFormat`, which is not a named format.
    public init(forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool) throws {
        let path = try AudioFileTarget.path(fileURL)
        let reader: FrameReader
        do throws(AudioFileError) {
            reader = try FrameReader(path: path)
        } catch {
            throw NSError.audio(error)
        }
        url = fileURL
        (processingFormat, coding) = try Self.processing(
            format, rate: reader.info.sampleRate, places: reader.info.channels, layout: nil, interleaved: interleaved)
        fileFormat = reader.type.format(sampleRate: reader.info.sampleRate, places: reader.info.channels)
        readableFrames = reader.info.frameCount
        access = .reading(reader)
        block = .allocate(capacity: Self.blockFrames * reader.info.channels.count)
        super.init()
    }

    /// Creates or truncates a file for writing from buffers of the standard format.
    ///
    /// The path's extension or `AVAudioFileTypeKey` determines the type of the file; `AVFormatIDKey` and related keys
    /// determine the format in it. `AVSampleRateKey` and `AVNumberOfChannelsKey` are required.
    ///
    /// - Throws: `NSError` of the domain `com.apple.coreaudio.avfaudio` that describes what cannot be written.
    public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws {
        try self.init(
            forWriting: fileURL, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Like `init(forWriting:settings:)`, for writing from buffers of one of the named formats.
    ///
    /// - Throws: the same as `init(forWriting:settings:)`; also for `.otherFormat`, which is not a named format.
    public init(
        forWriting fileURL: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat, interleaved: Bool
    ) throws {
        let target = try AudioFileTarget(url: fileURL, settings: AudioSettings(settings))
        (processingFormat, coding) = try Self.processing(
            format, rate: Double(target.sampleRate), places: target.places, layout: target.layout,
            interleaved: interleaved)
        fileFormat = target.fileFormat
        url = fileURL
        readableFrames = 0
        do throws(AudioFileWriteError) {
            access = .writing(
                try AudioFileWriter(
                    path: target.path, type: target.type, sampleRate: target.sampleRate, channels: target.places,
                    quality: target.quality))
        } catch {
            throw NSError.audio(error)
        }
        block = .allocate(capacity: Self.blockFrames * target.places.count)
        super.init()
    }

    deinit { block.deallocate() }

    /// The number of frames in the file, or written so far.
    ///
    /// Where a file's sound ends before the length that it announced, this is the true one once `read` has met the end.
    open var length: AVAudioFramePosition { readableFrames + writtenFrames }

    /// The next frame to be read or written; values below 0 or above `length` are clamped.
    ///
    /// Setting it has no effect on a file that is open for writing.
    open var framePosition: AVAudioFramePosition {
        get { position }
        set { if case .reading = access { position = min(max(0, newValue), length) } }
    }

    /// False after `close`; then reading and writing throw.
    open var isOpen: Bool { if case .closed = access { false } else { true } }

    /// Reads the next frames, up to the capacity of the buffer or the end of the file; `frameLength` is their number.
    ///
    /// - Throws: `NSError`: at the end of the file (`kAudioFileEndOfFileError`), for a buffer that does not have the
    ///   `processingFormat`, for a file that is closed or open for writing, and if the file is damaged.
    open func read(into buffer: AVAudioPCMBuffer) throws {
        try read(into: buffer, frameCount: buffer.frameCapacity)
    }

    /// Reads at most `frames` frames; otherwise like `read(into:)`.
    open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
        buffer.frameLength = 0
        guard case .reading(let reader) = access else {
            throw NSError.audio(
                kAudioFileNotOpenError, "\(name) is \(isOpen ? "open for writing" : "closed") and cannot be read.")
        }
        try check(buffer)
        let wanted = Int(min(frames, buffer.frameCapacity))
        guard wanted > 0 else { return }
        guard position < length else { throw endOfFile() }
        var (done, isAtEnd) = (0, false)
        do throws(AudioFileError) {
            if reader.position != position { try reader.seek(toFrame: position) }
            while done < wanted {
                let samples = min(Self.blockFrames, wanted - done) * Int(processingFormat.channelCount)
                let got = try reader.read(into: UnsafeMutableBufferPointer(rebasing: block[..<samples]))
                if got == 0 {
                    isAtEnd = true
                    break
                }
                buffer.encode(
                    UnsafeBufferPointer(rebasing: block[..<(got * Int(processingFormat.channelCount))]), at: done,
                    with: coding)
                done += got
            }
        } catch {
            // What came before the damage is given out; the next call meets the damage at once and throws.
            if done == 0 { throw NSError.audio(error) }
        }
        position += Int64(done)
        buffer.frameLength = AVAudioFrameCount(done)
        // A loop up to `length` ends here too.
        if isAtEnd { readableFrames = position }
        if done == 0 { throw endOfFile() }
    }

    private func endOfFile() -> NSError {
        NSError.audio(
            kAudioFileEndOfFileError,
            "\(name) has no more than its \(length) frames; set framePosition to read some of them again.")
    }

    /// Appends the buffer's valid frames.
    ///
    /// - Throws: `NSError`: for a buffer that does not have the `processingFormat`, for a file that is closed or open
    ///   for reading, and if the disk cannot store them.
    open func write(from buffer: AVAudioPCMBuffer) throws {
        guard case .writing(let writer) = access else {
            throw NSError.audio(
                kAudioFileNotOpenError, "\(name) is \(isOpen ? "open for reading" : "closed") and cannot be written.")
        }
        try check(buffer)
        let count = Int(buffer.frameLength)
        var done = 0
        do throws(AudioFileWriteError) {
            while done < count {
                let frames = min(Self.blockFrames, count - done)
                buffer.decode(done..<(done + frames), with: coding, into: block)
                let samples = frames * Int(processingFormat.channelCount)
                try writer.write(UnsafeBufferPointer(rebasing: block[..<samples]))
                done += frames
                writtenFrames += Int64(frames)
                position = writtenFrames
            }
        } catch {
            throw NSError.audio(error)
        }
    }

    /// Closes the file; a written file then has its final header.
    ///
    /// Idempotent. A file that is not closed is closed when the last reference to it is released.
    open func close() {
        // Apple's method reports nothing either; what the disk refuses at the end shows when the file is read.
        if case .writing(let writer) = access { try? writer.close() }
        access = .closed
    }

    private var name: String { "\"\(url.lastPathComponent.printable)\"" }

    private func check(_ buffer: AVAudioPCMBuffer) throws {
        guard buffer.format.isEqual(processingFormat) else {
            throw NSError.audio(
                kAudio_ParamError,
                "\(name) takes buffers of its processingFormat, \(processingFormat), not of \(buffer.format).")
        }
    }

    private static func processing(
        _ common: AVAudioCommonFormat, rate: Double, places: [ChannelLabel], layout: AVAudioChannelLayout?,
        interleaved: Bool
    ) throws -> (AVAudioFormat, SampleCoding) {
        let description = AudioStreamBasicDescription.pcm(
            common, rate: rate, channels: UInt32(places.count), isInterleaved: interleaved)
        guard let coding = SampleCoding(description) else {
            throw NSError.audio(
                kAudio_ParamError,
                "A file is processed in one of the named formats: Float32, Float64, Int16 or Int32, not in .otherFormat."
            )
        }
        let known = layout ?? (places.count > 2 ? AVAudioChannelLayout(places: places) : nil)
        return (AVAudioFormat(description, layout: known), coding)
    }
}
