/// One open sound file at its own sample rate.
///
/// One thread at a time.
protocol SoundDecoder: AnyObject {
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

    /// Of a sound from a network.
    var streamBuffer: StreamBuffer? { get }
    /// Whether `read` gave nothing because the sound has not come yet; of a sound from a network only.
    var isWaiting: Bool { get }

    /// The title of a radio station that came with the last reads; nil: none did.
    func takeTitle() -> String?
    /// Of a sound that is read from elsewhere than a file.
    var traffic: StreamTraffic? { get }

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
    var streamBuffer: StreamBuffer? { nil }
    var isWaiting: Bool { false }
    func takeTitle() -> String? { nil }
    var traffic: StreamTraffic? { nil }
}

/// Opens the kinds of file that libsndfile does not know with FFmpeg, and all others with libsndfile (decision 23).
enum SoundOpening {
    static func open(path: String) throws(AudioFileError) -> any ExactSoundDecoder {
        try open(RegularFile(path: path), path: path)
    }

    /// - Parameters:
    ///   - location: a path, or an http or https address.
    ///   - aheadSeconds: of a sound from a network, as all that follows.
    static func open(
        location: String, aheadSeconds: Double, trust: ServerTrust, limits: ServerLimits, cancellation: Cancellation
    ) throws(AudioFileError) -> any SoundDecoder {
        guard isAddress(location) else { return try open(path: location) }
        let sound = try LibavFile(address: location, trust: trust, limits: limits, cancellation: cancellation)
        return BufferedSound(
            sound, reach: sound.reach, aheadSeconds: aheadSeconds, cancellation: cancellation)
    }

    /// - Parameter name: what messages call the bytes that `makeSource` gives.
    static func open(
        named name: String, aheadSeconds: Double, cancellation: Cancellation,
        from makeSource: () throws(AudioFileError) -> SuppliedSound
    ) throws(AudioFileError) -> any SoundDecoder {
        let sound = try LibavFile(named: name) { () throws(AudioFileError) in try makeSource() }
        return BufferedSound(
            sound, reach: sound.reach, aheadSeconds: aheadSeconds, cancellation: cancellation)
    }

    static func isAddress(_ location: String) -> Bool {
        let start = location.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// - Parameter name: what messages call the bytes.
    static func open(contents: [UInt8], name: String) throws(AudioFileError) -> any ExactSoundDecoder {
        try open(RegularFile(contents: contents, name: name), path: name)
    }

    private static func open(
        _ file: consuming RegularFile, path: String
    ) throws(AudioFileError) -> any ExactSoundDecoder {
        let start = file.bytes(at: 0, count: LibavFile.Kind.startCount)
        if let kind = LibavFile.Kind(start: start) { return try LibavFile(file, path: path, kind: kind) }
        guard let kind = LibavFile.Kind(secondChoice: start) else { return try SoundFile(file, path: path) }
        let copy = try file.duplicate(path: path)
        if let sound = try? SoundFile(file, path: path) { return sound }
        return try LibavFile(copy, path: path, kind: kind)
    }
}
