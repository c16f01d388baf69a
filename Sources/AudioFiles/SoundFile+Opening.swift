internal import AudioModel
import CSndfile
import Glibc
import Synchronization

extension SoundFile {
    /// libsndfile's handle with one owner; it leaves the descriptor open.
    struct LibraryHandle: ~Copyable {
        let pointer: OpaquePointer
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

    private static let openLock = Mutex(())

    enum Opened {
        case opened(OpaquePointer)
        case refused(code: Int32, words: String)
    }

    static func open(
        _ file: borrowing RegularFile, info: inout SF_INFO, path: String
    ) throws(AudioFileError) -> LibraryHandle {
        info = SF_INFO()
        let outcome = try openLibrary(file, info: &info, path: path)
        switch outcome {
        case .opened(let pointer):
            let handle = LibraryHandle(pointer: pointer)
            guard info.frames == 0, let raw = openUnannounced(file, info: &info, path: path) else { return handle }
            return raw
        case .refused(let code, let words):
            let start = file.bytes(at: 0, count: 12)
            guard code != Int32(SF_ERR_UNRECOGNISED_FORMAT), let kind = soundKind(start) else {
                if let kind = otherKind(file.bytes(at: 0, count: 12)) {
                    throw AudioFileError(.notAudio, "\(path.quoted) is \(kind), not a sound.")
                }
                throw AudioFileError(
                    .notAudio,
                    """
                    \(path.quoted) is not a sound file that can be played; playable are WAV, AIFF, CAF, FLAC, \
                    Ogg Vorbis, Ogg Opus, MP3, M4A, AAC, Matroska, Windows Media and others.
                    """)
            }
            throw AudioFileError(
                .notAudio,
                """
                \(path.quoted) begins like \(kind) but cannot be decoded: \(words) It may be damaged, incomplete, or in \
                an encoding that libsndfile does not know; get a good copy, or convert it to FLAC or WAV.
                """)
        }
    }

    private static func openLibrary(
        _ file: borrowing RegularFile, info: inout SF_INFO, path: String
    ) throws(AudioFileError) -> Opened {
        file.rewind()
        let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw RegularFile.openFailure(errno, path: path) }
        return openLibrary(copy, mode: SFM_READ, info: &info)
    }

    /// Opens the linear PCM behind a header that announces none, as a recorder leaves it that was killed before it
    /// updated the header; libsndfile does so itself for WAV.
    ///
    /// - Returns: nil where there is none.
    private static func openUnannounced(
        _ file: borrowing RegularFile, info: inout SF_INFO, path: String
    ) -> LibraryHandle? {
        let format = Int(info.format)
        guard isPCM(format & SF_FORMAT_SUBMASK), let announced = AnnouncedData(header: file), announced.byteCount == 0,
            announced.offset < file.byteCount
        else { return nil }
        let order = AudioFileType(code: format).isBigEndian == true ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE
        var raw = SF_INFO()
        (raw.samplerate, raw.channels) = (info.samplerate, info.channels)
        raw.format = Int32(SF_FORMAT_RAW | format & SF_FORMAT_SUBMASK | order)
        guard case .opened(let pointer)? = try? openLibrary(file, info: &raw, path: path) else { return nil }
        let handle = LibraryHandle(pointer: pointer)
        var offset = sf_count_t(announced.offset)
        let size = Int32(MemoryLayout<sf_count_t>.size)
        let bytesPerSecond = Int64(sf_current_byterate(handle.pointer))
        let bytesPerFrame = info.samplerate > 0 ? bytesPerSecond / Int64(info.samplerate) : 0
        guard bytesPerFrame > 0, sf_command(handle.pointer, Int32(SFC_SET_RAW_START_OFFSET), &offset, size) == 0,
            // The command alone leaves the file at its header.
            sf_seek(handle.pointer, 0, Int32(SF_SEEK_SET)) == 0
        else { return nil }
        info.frames = sf_count_t((file.byteCount - announced.offset) / bytesPerFrame)
        return handle
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
        case "RIFF", "RIFX", "RF64": "a WAV file"
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
