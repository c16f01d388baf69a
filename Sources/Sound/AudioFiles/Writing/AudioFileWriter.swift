package import AudioModel
import CSndfile
import Threading

/// Writes interleaved frames of Float32 or Float64, nominal ±1, to a sound file.
///
/// One thread at a time; writing waits for the disk.
///
/// Samples beyond ±1 are clipped in integer formats, never wrapped. The file is complete after `close`; a writer that goes
/// without it closes too, but cannot report what failed. If the process is killed, other programs can read the file to at
/// most one second before its end (docs/decisions/0028-killed-recordings.md).
package final class AudioFileWriter {
    package let path: String
    package let channelCount: Int

    private let sink: Sink
    private let file: OutputFile
    /// The bits of a lossless integer format; nil for the others.
    private let bitDepth: Int?
    private let container: AudioFileType.Container
    private var isOpen = true
    /// nil for containers whose header does not say how long they are.
    private var header: HeaderUpdates?
    private var steps: [Int32] = []

    /// When the file takes its name.
    package enum Naming: Sendable {
        /// Before the first frame; a regular file of this name is emptied.
        case atOnce
        /// With the first frame: until then a file of this name stays as it is. It is then replaced, or the write fails.
        ///
        /// The new file has the owner and the permissions of the old one, as far as this user may give them.
        case atFirstFrame(replacing: Bool)
    }

    private enum Sink {
        case libsndfile(OpaquePointer)
        case encoder(LibavEncoder)
    }

    /// When the header says how much has been written so far.
    private struct HeaderUpdates {
        let sampleRate: Int64
        let interval: Int64
        var frames: Int64 = 0
        /// Frames of which the header does not know.
        var pending: Int64 = 0

        /// - Returns: whether it is time to tell the header.
        mutating func add(_ count: Int64) -> Bool {
            frames += count
            pending += count
            guard pending >= interval else { return false }
            pending = 0
            return true
        }
    }

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - naming: what becomes of a regular file that is there, and when.
    ///   - sampleRate: in hertz. Ogg Opus takes 8 000, 12 000, 16 000, 24 000 and 48 000; MP3 8 000 to 48 000.
    ///   - channels: 1...64; MP3 takes 2, FLAC 8 at most. Their places are kept in the file where its container has room
    ///     for them and they are known.
    ///   - quality: 0...1, how much Vorbis, Opus and MP3 encoders keep; nil for their default.
    ///   - title, artist: tags, where the format has them.
    package init(
        path: String, type: AudioFileType, sampleRate: Int, channels: [ChannelLabel], quality: Double? = nil,
        title: String? = nil, artist: String? = nil, naming: Naming = .atOnce
    ) throws(AudioFileWriteError) {
        self.path = path
        channelCount = channels.count
        bitDepth = type.bitDepth
        container = type.container
        if type.isWrittenByLibav {
            file = try OutputFile(path: path, naming: naming)
            do throws(LibavEncoder.Refusal) {
                sink = .encoder(
                    try LibavEncoder(
                        descriptor: file.descriptor, type: type, sampleRate: sampleRate, channelCount: channelCount,
                        quality: quality, title: title, artist: artist))
            } catch {
                throw AudioFileWriteError(
                    "\(path.quoted) cannot be written as \(type.name): "
                        + (error.isMissing ? LibavFile.withRemedy(error.words) : "\(error.words.printable)."))
            }
            return
        }
        guard let code = type.code(channelCount: channels.count) else {
            throw AudioFileWriteError(
                "\(path.quoted) cannot be written as \(type.name); use a WAV, CAF, AIFF, FLAC or Ogg file.")
        }
        var info = SF_INFO()
        info.samplerate = Int32(clamping: sampleRate)
        info.channels = Int32(clamping: channelCount)
        info.format = code
        guard type.isWritable(sampleRate: sampleRate, channelCount: channelCount) else {
            throw AudioFileWriteError(
                """
                \(path.quoted) cannot be written: \(type.name) does not take \
                \(channelCount) channels at \(sampleRate) Hz. Use 1 or 2 channels at 48000 Hz, or a WAV file.
                """)
        }
        file = try OutputFile(path: path, naming: naming)
        let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        var outcome = SoundFile.Opened.refused(code: 0, words: String(cString: strerror(errno)))
        if copy >= 0 { outcome = SoundFile.openLibrary(copy, mode: SFM_WRITE, info: &info) }
        let handle: OpaquePointer
        switch outcome {
        case .opened(let pointer):
            handle = pointer
            sink = .libsndfile(pointer)
        case .refused(_, let words):
            throw AudioFileWriteError(
                "\(path.quoted) cannot be written at \(sampleRate) Hz with \(channelCount) channels: \(words)")
        }
        sf_command(handle, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
        if var map = ChannelLayout.map(channels), [.wav, .aiff, .caf].contains(type.container) {
            let size = Int32(map.count * MemoryLayout<Int32>.size)
            sf_command(handle, Int32(SFC_SET_CHANNEL_MAP_INFO), &map, size)
        }
        let doubleSize = Int32(MemoryLayout<Double>.size)
        if var quality { sf_command(handle, Int32(SFC_SET_VBR_ENCODING_QUALITY), &quality, doubleSize) }
        if [.wav, .rf64, .wave64, .aiff, .caf, .au, .mpeg].contains(type.container) {
            // FFmpeg refuses a Wave64 file with bytes behind the sound that its header announces.
            let interval = type.container == .wave64 ? 0 : Int64(sampleRate) / 4
            header = HeaderUpdates(sampleRate: Int64(sampleRate), interval: interval)
        }
        // A page of Ogg Opus is a second long otherwise; other codings ignore this.
        var pageMilliseconds = 300.0
        sf_command(handle, Int32(SFC_SET_OGG_PAGE_LATENCY_MS), &pageMilliseconds, doubleSize)
        if let title { sf_set_string(handle, Int32(SF_STR_TITLE), title) }
        if let artist { sf_set_string(handle, Int32(SF_STR_ARTIST), artist) }
    }

    deinit { try? close() }

    /// Appends whole frames of `channelCount` samples.
    package func write(_ samples: UnsafeBufferPointer<Float>) throws(AudioFileWriteError) {
        try append(samples) { part, frames in
            switch sink {
            case .libsndfile(let handle): sf_writef_float(handle, part.baseAddress, frames)
            case .encoder(let encoder): encoder.write(part) ? frames : 0
            }
        }
    }

    package func write(_ samples: [Float]) throws(AudioFileWriteError) {
        try samples.withUnsafeBufferPointer { (buffer) throws(AudioFileWriteError) in try write(buffer) }
    }

    /// Appends whole frames of `channelCount` samples.
    ///
    /// Integer formats take the nearest step, ties to even: Float64 made from a file's own samples gives them again.
    package func write(_ samples: UnsafeBufferPointer<Double>) throws(AudioFileWriteError) {
        try append(samples) { part, frames in
            let handle: OpaquePointer
            switch sink {
            case .libsndfile(let pointer): handle = pointer
            case .encoder(let encoder): return encoder.write(part) ? frames : 0
            }
            guard let bitDepth else { return sf_writef_double(handle, part.baseAddress, frames) }
            steps.removeAll(keepingCapacity: true)
            steps.reserveCapacity(part.count)
            for sample in part { steps.append(Self.step(sample, bits: bitDepth)) }
            return sf_writef_int(handle, steps, frames)
        }
    }

    /// libvorbis copies to the stack what it is given at once: more than 2.7 s overflow
    /// the 512 kB of a thread of Dispatch.
    private static let framesAtOnce = 4096

    /// - Parameter write: writes so many frames and returns how many it wrote.
    private func append<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, _ write: (UnsafeBufferPointer<Sample>, sf_count_t) -> sf_count_t
    ) throws(AudioFileWriteError) {
        precondition(isOpen, "write(_:) after close()")
        precondition(
            samples.count.isMultiple(of: channelCount),
            "\(samples.count) samples are not whole frames of \(channelCount) channels")
        guard !samples.isEmpty else { return }
        var rest = samples[...]
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(Self.framesAtOnce * channelCount))
            let frames = sf_count_t(part.count / channelCount)
            guard write(part, frames) == frames else { throw failure(reason) }
            rest = rest.dropFirst(part.count)
        }
        try file.takeName()
        guard header?.add(Int64(samples.count / channelCount)) == true else { return }
        updateHeader()
    }

    private func updateHeader() {
        guard let header, case .libsndfile(let handle) = sink else { return }
        switch container {
        // The last quarter of a second may be in the encoder still.
        case .mpeg: MPEGHeader.announce(frames: header.frames - header.sampleRate / 4, in: file.descriptor)
        case .wav, .rf64, .wave64, .aiff, .caf, .au, .flac, .ogg, .mpeg4, .adts, .other:
            sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
        }
    }

    /// The nearest step of so many bits, in the top bits of a word, as libsndfile takes integers.
    private static func step(_ sample: Double, bits: Int) -> Int32 {
        let fullScale = Double(UInt32(1) << UInt32(bits - 1))
        guard !sample.isNaN else { return 0 }
        let step = min(max((sample * fullScale).rounded(.toNearestOrEven), -fullScale), fullScale - 1)
        return Int32(step) << Int32(32 - bits)
    }

    /// Completes the file's header and closes it.
    ///
    /// Idempotent.
    package func close() throws(AudioFileWriteError) {
        guard isOpen else { return }
        let encoderFault = closeEncoder()
        let fileFault = file.close()
        if let fault = encoderFault ?? fileFault { throw failure(fault) }
    }

    /// Closes the file and removes it, unless another file has taken its place; call it instead of `close`.
    ///
    /// - Returns: what is there now, in words.
    package func discard() -> String {
        precondition(isOpen, "discard() after close()")
        _ = closeEncoder()
        return file.discard()
    }

    /// - Returns: why it failed.
    private func closeEncoder() -> String? {
        isOpen = false
        switch sink {
        case .libsndfile(let handle):
            let code = sf_close(handle)
            return code == 0 ? nil : SoundFile.sentence(String(cString: sf_error_number(code)))
        case .encoder(let encoder): return encoder.close() ? nil : reason
        }
    }

    /// Of the last failure.
    private var reason: String {
        switch sink {
        case .libsndfile(let handle): SoundFile.words(handle)
        case .encoder: "the disk or the encoder refused it."
        }
    }

    private func failure(_ reason: String) -> AudioFileWriteError {
        var disk = statvfs()
        // Encoders have words of their own for a full disk.
        let reason = statvfs(path, &disk) == 0 && disk.f_bavail == 0 ? "the disk is full." : reason
        return AudioFileWriteError(
            "\(path.quoted) cannot be written to its end: \(reason) Check the free space and choose another place.")
    }
}

/// Why a sound file cannot be written.
///
/// `message` names the file, the reason and what to do next; it is safe for a terminal.
package struct AudioFileWriteError: Error, Hashable, Sendable {
    package var message: String

    package init(_ message: String) { self.message = message }
}
