internal import AudioModel
import CSndfile
import Threading

/// One open sound file at its own sample rate: libsndfile's handle, and the descriptor below it.
///
/// One thread at a time.
final class SoundFile: ExactSoundDecoder {
    let path: String
    let format: Int
    var type: AudioFileType { AudioFileType(code: format) }
    let sampleRate: Int
    let channelCount: Int
    /// The frames that can be expected from here; for FLAC and MP3 this is the header's word, found false only at the
    /// end.
    ///
    /// nil when the file does not say.
    let frameCount: Int64?
    let isFrameCountExact = true
    /// How much of the file's sound libsndfile reads, as far as the file's own words tell
    /// (docs/decisions/0066-who-reads-a-file.md).
    let extent: Extent
    /// The frames of an MPEG audio file that nothing counts, as its headers tell; of others more than there are.
    private let foundFrames: Int64
    /// What to do for the rest, where that is not so; thrown at the end.
    var remedy: String?
    /// The next frame that `read` gives.
    private(set) var position: Int64 = 0

    private let file: RegularFile
    private var library: LibraryHandle
    private let promise: Promise
    /// Of WAV and AIFF files.
    private let chunks: ChunkHeader?
    /// The last frame that libsndfile's seek is used for; those after it are reached by decoding up to them.
    ///
    /// nil: every place is.
    private let lastSeekFrame: Int64?

    /// What the header promises, to be compared with what there is when the end comes.
    private enum Promise {
        case frames(Int64, tolerance: Int64)
        /// The file breaks off; how long it was meant to be is not known.
        case brokenOff
        case nothing
    }

    /// - Parameters:
    ///   - mpeg: the count of the frames of an MPEG audio file.
    ///   - path: what messages call the file.
    init(_ file: consuming RegularFile, _ mpeg: MPEGSound?, path: String) throws(AudioFileError) {
        self.path = path
        self.file = file
        var info = SF_INFO()
        chunks = ChunkHeader(self.file)
        library = try Self.open(self.file, chunks, info: &info, path: path)
        format = Int(info.format)
        sampleRate = Int(info.samplerate)
        channelCount = Int(info.channels)
        let isFLAC = format & SF_FORMAT_TYPEMASK == SF_FORMAT_FLAC
        foundFrames = if case .uncounted(let frames) = mpeg { frames } else { .max }
        frameCount =
            (0...Self.longest).contains(info.frames)
            ? min(info.frames, foundFrames) : isFLAC ? FLACLength.frames(self.file) : nil
        extent = Self.extent(info, mpeg, chunks)
        let pages = format & SF_FORMAT_TYPEMASK == SF_FORMAT_OGG ? OggPages(self.file) : nil
        promise = Self.promise(of: self.file, mpeg, pages: pages, info: info, handle: library.pointer)
        lastSeekFrame = Self.lastSeekFrame(codec: format & SF_FORMAT_SUBMASK, pages: pages)

        let rates = AudioFileReader.supportedSampleRates
        guard rates.contains(Double(sampleRate)) else {
            throw AudioFileError(
                .notAudio,
                """
                \(path.quoted) gives a sample rate of \(sampleRate) Hz; rates from \(Int(rates.lowerBound)) to \
                \(Int(rates.upperBound)) Hz can be played. Its header may be damaged; get a good copy or convert it.
                """)
        }
        guard AudioFileReader.supportedChannelCounts.contains(channelCount) else {
            throw AudioFileError(
                .notAudio,
                """
                \(path.quoted) gives \(channelCount) channels; 1 to \
                \(AudioFileReader.supportedChannelCounts.upperBound) can be played. Its header may be damaged; \
                get a good copy or convert it.
                """)
        }
    }

    private var handle: OpaquePointer { library.pointer }

    private var channels: [ChannelLabel] {
        var map = [Int32](repeating: 0, count: channelCount)
        let size = Int32(map.count * MemoryLayout<Int32>.size)
        if let chunks, chunks.channelMask != 0 {
            // One that gives more or fewer places than there are channels says nothing.
            guard chunks.channelMask.nonzeroBitCount == channelCount else {
                return ChannelLabel.standard(count: channelCount)
            }
            if let places = ChannelLayout.labels(mask: chunks.channelMask) { return places }
        }
        let hasMap = sf_command(handle, Int32(SFC_GET_CHANNEL_MAP_INFO), &map, size) != 0
        return ChannelLayout.labels(count: channelCount, map: hasMap ? map : nil, format: format)
    }

    private var tags: TrackTags {
        var tags = library.tags ?? TrackTags(libsndfile: handle)
        // libmpg123 cuts text at a byte that was only put in (unsynchronisation).
        if format & SF_FORMAT_TYPEMASK == SF_FORMAT_MPEG {
            tags.setTexts(ofID3: file)
            tags.addTexts(ofAPE: file)
        }
        return tags
    }

    /// - Parameter frameCount: the file's length.
    func info(frameCount: Int64) -> AudioFileInfo {
        AudioFileInfo(
            path: path, formatName: AudioFileType.name(of: format), sampleRate: Double(sampleRate), channels: channels,
            frameCount: frameCount, tags: tags)
    }

    /// Fills what it can of `output` with whole frames; 0 at the end of a file that keeps its promise.
    ///
    /// - Throws: `truncated` at the end of a file that does not, `readFailed` where it cannot be read or decoded. What
    ///   comes before that place has been given by earlier calls.
    func read(into output: UnsafeMutableBufferPointer<Float>) throws(AudioFileError) -> Int {
        let got = try read(output.count) { sf_readf_float(handle, output.baseAddress, $0) }
        for index in 0..<got * channelCount where !(output[index].magnitude <= Self.loudest) {
            output[index] = 0
        }
        return got
    }

    /// As above, and leaves every value as it is in the file.
    func read(into output: UnsafeMutableBufferPointer<Double>) throws(AudioFileError) -> Int {
        try read(output.count) { sf_readf_double(handle, output.baseAddress, $0) }
    }

    private func read(_ samples: Int, _ read: (sf_count_t) -> sf_count_t) throws(AudioFileError) -> Int {
        let wanted = samples / channelCount
        guard wanted > 0 else { return 0 }
        let got = Int(read(sf_count_t(wanted)))
        guard got > 0 else {
            try checkEnding()
            return 0
        }
        position += Int64(got)
        return got
    }

    /// Moves to a frame, not beyond `frameCount`; in a file of unknown length to its end, if that comes first.
    ///
    /// - Throws: `truncated` or `readFailed` when the file is not good up to there; then the position is as before.
    func seek(to frame: Int64) throws(AudioFileError) {
        let before = position
        if move(to: frame) { return }
        if frameCount == nil, reopen() {
            skip(to: frame)
            return
        }
        guard move(to: before) || (reopen() && move(to: before)) else {
            throw AudioFileError(
                .readFailed, "\(path.quoted) can no longer be read at \(time(before)); play it from the beginning.")
        }
        throw AudioFileError(
            .truncated,
            "\(path.quoted) is damaged or incomplete: there is no sound at \(time(frame)); get a complete copy.")
    }

    private func move(to frame: Int64) -> Bool {
        guard let last = lastSeekFrame else {
            guard frame >= position || reopen() else { return false }
            return skip(to: frame)
        }
        if frame > last, (last...frame).contains(position) { return skip(to: frame) }
        let reached = sf_seek(handle, sf_count_t(min(frame, last)), Int32(SF_SEEK_SET))
        guard reached >= 0, reached <= frame else { return false }
        position = reached
        return skip(to: frame)
    }

    /// A decoder can be beyond repair after a seek that failed; a new one, at the file's beginning, is not.
    private func reopen() -> Bool {
        var info = SF_INFO()
        guard let fresh = try? Self.open(file, chunks, info: &info, path: path) else { return false }
        guard info.channels == Int32(channelCount) else { return false }
        library = fresh
        position = 0
        return true
    }

    /// Decodes up to a frame.
    ///
    /// - Returns: whether the file goes so far.
    @discardableResult
    private func skip(to frame: Int64) -> Bool {
        guard position < frame else { return position == frame }
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: 1024 * channelCount) { scratch in
            while position < frame {
                let wanted = min(1024, frame - position)
                let got = sf_readf_float(handle, scratch.baseAddress, sf_count_t(wanted))
                guard got > 0 else { return false }
                position += got
            }
            return true
        }
    }

    private func checkEnding() throws(AudioFileError) {
        if remedy == nil, case .frames(let count, let tolerance) = promise, position + tolerance >= count { return }
        let code = sf_error(handle)
        if code == Int32(SF_ERR_SYSTEM) || library.window.map({ $0.failure != 0 }) == true {
            let words =
                library.window.map { Self.sentence(String(cString: strerror($0.failure))) } ?? Self.words(handle)
            throw AudioFileError(.readFailed, "\(path.quoted) cannot be read beyond \(time(position)): \(words)")
        }
        if let remedy, position + 2 * 1152 < foundFrames {
            throw AudioFileError(
                .truncated,
                "\(path.quoted) has sound beyond \(time(position)) that libsndfile does not read; FFmpeg does: \(remedy)"
            )
        }
        switch promise {
        case .nothing: return
        case .brokenOff:
            throw AudioFileError(
                .truncated, "\(path.quoted) is incomplete: it breaks off after \(time(position)). Get a complete copy.")
        case .frames(let count, _):
            let short = count < Int64(sampleRate) * 10
            let (fault, copy) = code == 0 ? ("incomplete", "complete") : ("damaged or incomplete", "good")
            throw AudioFileError(
                .truncated,
                "\(path.quoted) is \(fault): it ends after \(time(position, precise: short)) of "
                    + "\(time(count, precise: short)). Get a \(copy) copy.")
        }
    }

    /// Float files can hold anything; one NaN would silence a filter for good.
    ///
    /// 65 536 is 96 dB over full scale.
    static let loudest: Float = 65_536

    /// 2^40 frames are 265 days at 48 kHz.
    ///
    /// Beyond, the length is damaged, or libsndfile's word for "unknown".
    static let longest: Int64 = 1 << 40

    private static let countedContainers: Set<Int> = [
        SF_FORMAT_WAV, SF_FORMAT_WAVEX, SF_FORMAT_RF64, SF_FORMAT_W64, SF_FORMAT_AIFF, SF_FORMAT_AU, SF_FORMAT_CAF,
        SF_FORMAT_FLAC, SF_FORMAT_OGG, SF_FORMAT_MPEG,
    ]

    enum Extent {
        case whole
        /// It is a part, or may be one where nothing proves that it is not.
        case part, unproven
    }

    private static func extent(_ info: SF_INFO, _ mpeg: MPEGSound?, _ chunks: ChunkHeader?) -> Extent {
        let container = Int(info.format) & SF_FORMAT_TYPEMASK
        // Of other containers libsndfile reads the simplest form, and takes the headers of later blocks for sound.
        guard countedContainers.contains(container) else { return .unproven }
        if isPCM(Int(info.format) & SF_FORMAT_SUBMASK) { return .whole }
        if container == SF_FORMAT_MPEG { return mpeg == .counted ? .whole : .part }
        if let chunks, chunks.form == nil {
            // What is compressed cannot be found without its length.
            if chunks.announcedByteCount ?? 0 == 0 { return .part }
            // GSM's frames are miscounted.
            if chunks.tag == 0x31 { return .unproven }
        }
        return info.frames > 0 ? .whole : .unproven
    }

    private static func lastSeekFrame(codec: Int, pages: OggPages?) -> Int64? {
        switch codec {
        case SF_FORMAT_OPUS:
            // libsndfile 1.2.0's seek cuts a distance to 32 bits and then never ends (ogg_opus.c, ogg_opus_null_read). 2^30
            // frames are 6 hours at 48 kHz; with no page beyond them, no distance is longer.
            (pages?.largestGranule ?? 0) <= 1 << 30 ? 1 << 30 : nil
        case SF_FORMAT_VORBIS:
            // libsndfile 1.2.0 counts from the end of the page that it finds. The last page tells an end without the encoder's
            // padding, so that a seek into it lands elsewhere (ogg_vorbis.c, vorbis_seek).
            max(0, Int64(clamping: pages?.lastPageStart ?? 0) - 1)
        default: longest
        }
    }

    private static func promise(
        of file: borrowing RegularFile, _ mpeg: MPEGSound?, pages: OggPages?, info: SF_INFO, handle: OpaquePointer
    ) -> Promise {
        let codec = Int(info.format) & SF_FORMAT_SUBMASK
        let container = Int(info.format) & SF_FORMAT_TYPEMASK
        if let pages { return pages.isCut ? .brokenOff : .nothing }
        if container == SF_FORMAT_MPEG {
            // What nothing counts proves nothing. The two frames of tolerance are the decoder's delay and the encoder's padding.
            return mpeg == .counted && (0...longest).contains(info.frames)
                ? .frames(info.frames, tolerance: 2 * 1152) : .nothing
        }
        guard (0...longest).contains(info.frames) else { return .nothing }
        if let announced = AnnouncedData(header: file) {
            let there = max(0, file.byteCount - announced.offset)
            if announced.byteCount > there {
                let bytesPerSecond = max(1, Double(sf_current_byterate(handle)))
                let frames = Double(announced.byteCount) / bytesPerSecond * Double(info.samplerate)
                // Bounded, so that a damaged length stays a length.
                return .frames(max(info.frames + 1, Int64(min(frames.rounded(), 1e15))), tolerance: 0)
            }
        }
        // Who wrote it did not come back.
        if AnnouncedData(header: file) == nil, ChunkHeader(file) != nil { return .nothing }
        return .frames(info.frames, tolerance: isPCM(codec) || container == SF_FORMAT_FLAC ? 0 : 4096)
    }

    static func isPCM(_ codec: Int) -> Bool {
        [
            SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32,
            SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE,
        ].contains(codec)
    }

    /// Of what `isPCM` names.
    static func byteCount(ofSample codec: Int) -> Int {
        switch codec {
        case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8: 1
        case SF_FORMAT_PCM_16: 2
        case SF_FORMAT_PCM_24: 3
        case SF_FORMAT_DOUBLE: 8
        default: 4
        }
    }
}
