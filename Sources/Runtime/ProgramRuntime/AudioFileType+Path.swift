package import AudioFiles
internal import AudioModel

extension AudioFileType {
    /// The usual type of a file with an extension.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - fileExtension: nil is the path's own.
    /// - Throws: why such a file cannot be written with so many channels at this rate, in hertz.
    package init(
        path: String, fileExtension: String? = nil, sampleRate: Int, channelCount: Int
    ) throws(AudioFileWriteError) {
        let name = (path.split(separator: "/").last.map(String.init) ?? path).printable
        let ending = fileExtension ?? path.pathExtension
        guard !ending.isEmpty else {
            throw AudioFileWriteError(
                "\(path.quoted) cannot be written: its name has no extension that says what kind of file it is. Give it one: "
                    + "\(Self.writtenExtensions).")
        }
        if let fileExtension, let named = Self.container(ofExtension: path.pathExtension),
            named != Self.container(ofExtension: fileExtension)
        {
            throw AudioFileWriteError(
                "\(path.quoted) cannot be written as .\(fileExtension.printable): programs would take it for a "
                    + ".\(path.pathExtension.printable) file. Name it .\(fileExtension.printable), or give no format.")
        }
        guard let container = Self.container(ofExtension: ending) else {
            throw AudioFileWriteError(
                """
                "\(name)" cannot be written: the extension ".\(ending.printable)" does not name a supported \
                file type. Use \(Self.writtenExtensions).
                """)
        }
        self.init(container: container, coding: Self.usualCoding(container, ofExtension: ending))
        guard isWritable(sampleRate: sampleRate, channelCount: channelCount) else {
            throw AudioFileWriteError(
                """
                "\(name)" cannot be written: \(self.name) does not take \(channelCount) channels at \(sampleRate) Hz. \
                Use another sample rate, fewer channels or a WAV file.
                """)
        }
    }

    private static func usualCoding(_ container: Container, ofExtension ending: String) -> Coding {
        switch container {
        case .ogg: ending.lowercased() == "opus" ? .opus : .vorbis
        case .mpeg: .mp3
        case .mpeg4, .adts: .aac
        case .flac, .wav, .rf64, .wave64, .aiff, .caf, .au, .other: .integer(bits: 16)
        }
    }
}

extension String {
    /// What follows the last full stop of the last part of a path.
    fileprivate var pathExtension: String {
        guard let name = split(separator: "/").last, let stop = name.lastIndex(of: "."), stop != name.startIndex
        else { return "" }
        return String(name[name.index(after: stop)...])
    }
}
