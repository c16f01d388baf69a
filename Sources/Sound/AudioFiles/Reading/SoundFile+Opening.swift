internal import AudioModel
import CSndfile
import Synchronization
import Threading

extension SoundFile {
    /// libsndfile's handle with one owner; it leaves the descriptor open.
    struct LibraryHandle: ~Copyable {
        let pointer: OpaquePointer
        /// What it reads where that is not the whole file.
        let window: ByteWindow?
        /// Of samples that are read as raw ones, which have none themselves.
        let tags: TrackTags?

        init(pointer: OpaquePointer, window: ByteWindow? = nil, tags: TrackTags? = nil) {
            self.pointer = pointer
            self.window = window
            self.tags = tags
        }

        deinit { sf_close(pointer) }
    }

    /// Opens libsndfile on a descriptor, which is libsndfile's from then on.
    ///
    /// With its `close_desc` false, 1.2.0 still closes the descriptor of a file that it refuses, and newer versions do
    /// not; a copy to give away is right with both.
    static func openLibrary(_ descriptor: Int32, mode: Int, info: inout SF_INFO) -> Opened {
        // Guards libsndfile's one global error word, which is all that a refusal leaves behind. The unsafe form, because
        // handles are not Sendable and need not be: they stay with the caller's thread.
        openLock._unsafeLock()
        defer { openLock._unsafeUnlock() }
        return sf_open_fd(descriptor, Int32(mode), &info, Int32(SF_TRUE)).map(Opened.opened)
            ?? .refused(code: sf_error(nil), words: words(nil))
    }

    /// Opens libsndfile on a part of a file; the caller keeps the window.
    private static func openLibrary(_ window: ByteWindow, info: inout SF_INFO) -> Opened {
        openLock._unsafeLock()
        defer { openLock._unsafeUnlock() }
        var callbacks = ByteWindow.callbacks
        return sf_open_virtual(&callbacks, Int32(SFM_READ), &info, Unmanaged.passUnretained(window).toOpaque())
            .map(Opened.opened) ?? .refused(code: sf_error(nil), words: words(nil))
    }

    private static let openLock = Mutex(())

    enum Opened {
        case opened(OpaquePointer)
        case refused(code: Int32, words: String)
    }

    /// - Parameter chunks: of the file; nil where it has no such header.
    /// - Throws: `notAudio`, or `readFailed` where the process has too many files open.
    static func open(
        _ file: borrowing RegularFile, _ chunks: ChunkHeader?, info: inout SF_INFO, path: String
    ) throws(AudioFileError) -> LibraryHandle {
        info = SF_INFO()
        let window = file.isWhole ? nil : try ByteWindow(file.part(path: path))
        let outcome =
            if let window { openLibrary(window, info: &info) } else {
                try openLibrary(file, info: &info, path: path)
            }
        switch outcome {
        case .opened(let pointer):
            let handle = LibraryHandle(pointer: pointer, window: window)
            guard let raw = try openRaw(file, chunks, info: &info, tagged: pointer, path: path) else { return handle }
            return raw
        case .refused(let code, let words):
            if let raw = try openRaw(file, chunks, info: &info, tagged: nil, path: path) { return raw }
            throw refusal(file, code: code, words: words, path: path)
        }
    }

    private static func refusal(
        _ file: borrowing RegularFile, code: Int32, words: String, path: String
    ) -> AudioFileError {
        let start = file.bytes(at: 0, count: 12)
        guard code != Int32(SF_ERR_UNRECOGNISED_FORMAT), let kind = soundKind(start) else {
            if let kind = otherKind(start) {
                return AudioFileError(.notAudio, "\(path.quoted) is \(kind), not a sound.")
            }
            return AudioFileError(
                .notAudio,
                """
                \(path.quoted) is not a sound file that can be played; playable are WAV, AIFF, CAF, FLAC, \
                Ogg Vorbis, Ogg Opus, MP3, M4A, AAC, Matroska, Windows Media and others.
                """
            ).unknownToLibsndfile()
        }
        return AudioFileError(
            .notAudio,
            """
            \(path.quoted) begins like \(kind) but cannot be decoded: \(words) It may be damaged, incomplete, or in \
            an encoding that libsndfile does not know; get a good copy, or convert it to FLAC or WAV.
            """
        ).unknownToLibsndfile()
    }

    private static func openLibrary(
        _ file: borrowing RegularFile, info: inout SF_INFO, path: String
    ) throws(AudioFileError) -> Opened {
        file.rewind()
        let copy = try RegularFile.duplicate(file.descriptor, path: path)
        return openLibrary(copy, mode: SFM_READ, info: &info)
    }

    /// Opens the samples of a file as raw ones where libsndfile reads its header in another way than the chunks say, or
    /// finds none: as a recorder leaves it that was killed before it updated the header.
    ///
    /// - Parameters:
    ///   - info: libsndfile's of the file, without channels where it refused it; of the samples afterwards.
    ///   - tagged: libsndfile's handle of the file, which has the tags; nil where it refused it.
    /// - Returns: nil where libsndfile is right, and where the samples are compressed.
    private static func openRaw(
        _ file: borrowing RegularFile, _ chunks: ChunkHeader?, info: inout SF_INFO, tagged: OpaquePointer?, path: String
    ) throws(AudioFileError) -> LibraryHandle? {
        if let chunks {
            guard let form = chunks.form, let frames = chunks.frameCount, !isRight(info, chunks),
                AudioFileReader.supportedSampleRates.contains(Double(chunks.sampleRate)),
                AudioFileReader.supportedChannelCounts.contains(chunks.channelCount)
            else { return nil }
            let raw = RawSound(
                bytes: chunks.data, code: form.code, isBigEndian: form.isBigEndian, channels: chunks.channelCount,
                sampleRate: chunks.sampleRate)
            guard let handle = try open(raw, file, tagged: tagged, path: path) else { return nil }
            (info.channels, info.samplerate) = (Int32(clamping: raw.channels), Int32(clamping: raw.sampleRate))
            (info.frames, info.format) = (sf_count_t(frames), Int32(truncatingIfNeeded: chunks.format))
            return handle
        }
        let code = Int(info.format) & SF_FORMAT_SUBMASK
        guard info.channels > 0, info.frames == 0, isPCM(code), let announced = AnnouncedData(header: file),
            announced.byteCount == 0, announced.offset < file.byteCount
        else { return nil }
        let raw = RawSound(
            bytes: announced.offset..<file.byteCount, code: code,
            isBigEndian: AudioFileType(code: Int(info.format)).isBigEndian == true, channels: Int(info.channels),
            sampleRate: Int(info.samplerate))
        guard let handle = try open(raw, file, tagged: tagged, path: path) else { return nil }
        info.frames = sf_count_t(Int64(raw.bytes.count) / Int64(byteCount(ofSample: code) * raw.channels))
        return handle
    }

    private struct RawSound {
        var bytes: Range<Int64>
        var code: Int
        var isBigEndian: Bool
        var channels: Int
        var sampleRate: Int
    }

    private static func open(
        _ raw: RawSound, _ file: borrowing RegularFile, tagged: OpaquePointer?, path: String
    ) throws(AudioFileError) -> LibraryHandle? {
        var info = SF_INFO()
        (info.samplerate, info.channels) = (Int32(clamping: raw.sampleRate), Int32(clamping: raw.channels))
        let order = raw.isBigEndian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE
        info.format = Int32(truncatingIfNeeded: SF_FORMAT_RAW | raw.code | order)
        let window = try ByteWindow(file.part(raw.bytes, path: path))
        guard case .opened(let pointer) = openLibrary(window, info: &info) else { return nil }
        let tags = tagged.map { TrackTags(libsndfile: $0) }
        return LibraryHandle(pointer: pointer, window: window, tags: tags ?? TrackTags())
    }

    private static func isRight(_ info: SF_INFO, _ chunks: ChunkHeader) -> Bool {
        guard let form = chunks.form else { return true }
        let type = AudioFileType(code: Int(info.format))
        return Int(info.format) & SF_FORMAT_SUBMASK == form.code && info.frames == chunks.frameCount
            && info.channels == chunks.channelCount && info.samplerate == chunks.sampleRate
            && (form.byteCount == 1 || chunks.container != SF_FORMAT_AIFF || type.isBigEndian == form.isBigEndian)
    }

    /// libsndfile's last error as a sentence.
    static func words(_ handle: OpaquePointer?) -> String {
        guard let text = sf_strerror(handle) else { return "No reason was given." }
        return sentence(String(cString: text))
    }

    /// - Parameter words: libsndfile's; "System error : " is before those of a call of the system that failed.
    static func sentence(_ words: String) -> String {
        let prefix = "System error : "
        let text = (words.hasPrefix(prefix) ? String(words.dropFirst(prefix.count)) : words).printable
        return text.hasSuffix(".") ? text : text + "."
    }

    /// Of files that people have beside their music.
    private static func otherKind(_ start: [UInt8]) -> String? {
        func begins(_ bytes: [UInt8]) -> Bool { start.starts(with: bytes) }
        func begins(_ text: String) -> Bool { begins(Array(text.utf8)) }
        if begins([0xFF, 0xD8, 0xFF]) || begins([0x89] + Array("PNG".utf8)) || begins("GIF8") || begins("BM")
            || begins("II*") || begins("MM") || (begins("RIFF") && start.dropFirst(8).starts(with: Array("WEBP".utf8)))
        {
            return "a picture"
        }
        if begins("%PDF") { return "a PDF document" }
        if begins("PK\u{3}\u{4}") { return "a ZIP archive" }
        if begins([0x1F, 0x8B]) { return "a compressed file (gzip)" }
        if begins([0x7F] + Array("ELF".utf8)) { return "a program" }
        if begins("<!DOCT") || begins("<!doct") || begins("<html") { return "a web page" }
        return nil
    }

    private static func soundKind(_ start: [UInt8]) -> String? {
        switch String(decoding: start.prefix(4), as: UTF8.self) {
        case "RIFF", "RIFX", "RF64", "BW64": "a WAV file"
        case "FORM": "an AIFF file"
        case "caff": "a CAF file"
        case "fLaC": "a FLAC file"
        case "OggS": "an Ogg file"
        case ".snd": "an AU file"
        case let text where text.hasPrefix("ID3"): "an MP3 file"
        default: start.count > 1 && start[0] == 0xFF && start[1] & 0xE0 == 0xE0 ? "an MP3 file" : nil
        }
    }
}
