/// One open sound at its own sample rate.
///
/// One thread at a time.
package protocol SoundDecoder: AnyObject {
    var path: String { get }
    var type: AudioFileType { get }
    var sampleRate: Int { get }
    var channelCount: Int { get }
    /// The frames that can be expected; nil when the file does not say.
    var frameCount: Int64? { get }
    /// Whether `frameCount` is the number of frames, as far as the file is complete; otherwise it is the container's guess.
    var isFrameCountExact: Bool { get }
    /// The next frame that `read` gives.
    var position: Int64 { get }

    /// Nil for what is at hand whole.
    var stream: (any SoundStream)? { get }
    /// Whether `read` gave nothing because the sound has not come yet.
    var isWaiting: Bool { get }

    /// - Parameter frameCount: the file's length.
    func info(frameCount: Int64) -> AudioFileInfo

    /// Fills what it can of `output` with whole frames; 0 at the end of a file that keeps its promise.
    ///
    /// - Throws: `truncated` at the end of a file that does not, `readFailed` where it cannot be read or decoded. What
    ///   comes before that place has been given by earlier calls.
    func read(into output: UnsafeMutableBufferPointer<Float>) throws(AudioFileError) -> Int

    /// Moves to a frame, not beyond an exact `frameCount`; otherwise to the file's end, if that comes first.
    ///
    /// - Throws: `truncated` or `readFailed` when the file is not good up to there; then the position is as before.
    func seek(to frame: Int64) throws(AudioFileError)
}

/// A decoder that also gives the values as they are in the file; of files only.
protocol ExactSoundDecoder: SoundDecoder {
    /// As for `Float`, and leaves every value as it is in the file.
    func read(into output: UnsafeMutableBufferPointer<Double>) throws(AudioFileError) -> Int
}

extension SoundDecoder {
    package var stream: (any SoundStream)? { nil }
    package var isWaiting: Bool { false }

    /// The number of its frames; where it does not say it exactly, it is decoded once, and is at its end then.
    func countFrames() throws(AudioFileError) -> Int64 {
        if isFrameCountExact, let frameCount { return frameCount }
        try seek(to: SoundFile.longest)
        return position
    }

    /// For messages; in hundredths of a second near the beginning.
    func time(_ frame: Int64, precise: Bool? = nil) -> String {
        String.time(
            seconds: Double(frame) / Double(sampleRate), precise: precise ?? (frame < Int64(sampleRate) * 10))
    }
}

/// A sound that comes while it is played, as one from a server does.
///
/// Any thread; no call waits.
package protocol SoundStream: AnyObject, Sendable {
    /// It has a present only, as a radio station has: no seek leads anywhere.
    var isLive: Bool { get }

    /// Begins to get the sound.
    func start()

    /// - Parameter body: called on a thread of the stream each second of sound that came, when a wait can end, and at the end.
    func onChange(_ body: @escaping @Sendable () -> Void)
}

/// Chooses the library that reads a file (decisions 23 and 66).
enum SoundOpening {
    static func open(path: String) throws(AudioFileError) -> any ExactSoundDecoder {
        try open(RegularFile(path: path), path: path)
    }

    /// - Parameter name: what messages call the bytes.
    static func open(contents: [UInt8], name: String) throws(AudioFileError) -> any ExactSoundDecoder {
        try open(RegularFile(contents: contents, name: name), path: name)
    }

    /// One rule for all files: libsndfile reads a file where it reads all of its sound; FFmpeg reads the others.
    ///
    /// What is several sounds one after the other is read one after the other.
    private static func open(
        _ file: consuming RegularFile, path: String
    ) throws(AudioFileError) -> any ExactSoundDecoder {
        if let kind = LibavFile.Kind(start: file.bytes(at: 0, count: LibavFile.Kind.startCount)) {
            return try LibavFile(file, path: path, kind: kind)
        }
        if let chunks = ChunkHeader(file), chunks.isMPEG {
            let sound = try file.part(chunks.data, path: path)
            if MPEGSound(sound) != nil { return try open(sound, path: path) }
        }
        // libsndfile seeks to wrong places behind a tag of another kind of file.
        let behindTags = MPEGSound.offsetBehindTags(file)
        if behindTags > 0 {
            let sound = try file.part(behindTags..<file.byteCount, path: path)
            if demuxer(of: sound) != nil { return try open(sound, path: path) }
        }
        let mpeg = mpegSound(in: file)
        var parts = OggLinks.ranges(in: file)
        if case .joined(let ranges) = mpeg { parts = ranges }
        if parts.count > 1, let sound = try? JoinedSound(file.part(path: path), parts, path: path) { return sound }
        if parts.count == 1, parts[0] != 0..<file.byteCount {
            return try openOne(file.part(parts[0], path: path), mpeg, path: path)
        }
        return try openOne(file, mpeg, path: path)
    }

    /// A part of a file that is one sound.
    static func openPart(_ file: consuming RegularFile, path: String) throws(AudioFileError) -> any ExactSoundDecoder {
        let mpeg = mpegSound(in: file)
        return try openOne(file, mpeg, path: path)
    }

    private static func openOne(
        _ file: consuming RegularFile, _ mpeg: MPEGSound?, path: String
    ) throws(AudioFileError) -> any ExactSoundDecoder {
        let copy = try file.part(path: path)
        let demuxer = demuxer(of: copy) ?? (mpeg == nil ? nil : "mp3")
        let sound: SoundFile
        do throws(AudioFileError) {
            sound = try SoundFile(file, mpeg, path: path)
        } catch {
            guard error.isUnknownToLibsndfile else { throw error }
            if let other = LibavFile.open(copy, path: path, demuxer: demuxer) { return other }
            let advice = LibavFile.remedy.map { " FFmpeg may play it: \($0)" } ?? ""
            throw AudioFileError(error.kind, error.message + advice)
        }
        guard sound.extent != .whole else { return sound }
        if let other = LibavFile.open(copy, path: path, demuxer: demuxer) { return other }
        if sound.extent == .part { sound.remedy = LibavFile.remedy }
        return sound
    }

    /// Nil for files of another name, which are not searched for frames.
    private static func mpegSound(in file: borrowing RegularFile) -> MPEGSound? {
        demuxer(of: file) == nil ? MPEGSound(file) : nil
    }

    /// FFmpeg's name of the only demuxer for a kind of file that has a name and that libsndfile knows too; nil for others.
    private static func demuxer(of file: borrowing RegularFile) -> String? {
        let start = file.bytes(at: 0, count: 12)
        guard start.count == 12 else { return nil }
        return switch (start.text(at: 0), start.text(at: 8)) {
        case ("RIFF", "WAVE"), ("RIFX", "WAVE"), ("RF64", "WAVE"), ("BW64", "WAVE"): "wav"
        case ("FORM", "AIFF"), ("FORM", "AIFC"): "aiff"
        case ("caff", _): "caf"
        case ("fLaC", _): "flac"
        case ("OggS", _): "ogg"
        case (".snd", _): "au"
        case ("riff", _): "w64"
        default: nil
        }
    }
}
