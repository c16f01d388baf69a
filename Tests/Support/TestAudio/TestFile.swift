internal import AudioFiles
internal import CSndfile
import Foundation

/// Small sound files for tests, written into a test's own directory.
package enum TestFile {
    /// Writes `seconds` of a signal and returns the file's path.
    @discardableResult
    package static func write(
        _ signal: TestSignal, seconds: Double = 1, sampleRate: Int = 48_000, channels: Int = 2,
        format: AudioFileFormat = .wav16, title: String? = nil, artist: String? = nil, named name: String? = nil,
        in directory: TemporaryDirectory
    ) throws -> String {
        let path = directory.path(name ?? "\(UUID().uuidString).\(format.fileExtension)")
        let frames = Int((seconds * Double(sampleRate)).rounded())
        let samples = signal.samples(frames: frames, channels: channels, sampleRate: Double(sampleRate))
        if format == .cafAppleLossless {
            try writeAppleLossless(samples, sampleRate, channels, title: title, artist: artist, path: path)
            return path
        }
        let writer = try AudioFileWriter(
            path: path, format: format, sampleRate: sampleRate, channelCount: channels, title: title, artist: artist)
        try writer.write(samples)
        try writer.close()
        return path
    }

    /// Such files are read, and not written: libsndfile writes one when it is closed.
    private static func writeAppleLossless(
        _ samples: [Float], _ sampleRate: Int, _ channels: Int, title: String?, artist: String?, path: String
    ) throws {
        var info = SF_INFO()
        (info.samplerate, info.channels) = (Int32(sampleRate), Int32(channels))
        info.format = Int32(SF_FORMAT_CAF | SF_FORMAT_ALAC_16)
        guard let handle = sf_open(path, Int32(SFM_WRITE), &info) else { throw CocoaError(.fileWriteUnknown) }
        defer { sf_close(handle) }
        sf_command(handle, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
        if let title { sf_set_string(handle, Int32(SF_STR_TITLE), title) }
        if let artist { sf_set_string(handle, Int32(SF_STR_ARTIST), artist) }
        let frames = sf_count_t(samples.count / channels)
        guard sf_writef_float(handle, samples, frames) == frames else { throw CocoaError(.fileWriteUnknown) }
    }

    /// A file of a sound file's beginning only, as an interrupted download leaves it: `fraction` of its bytes.
    package static func truncated(
        format: AudioFileFormat = .flac16, seconds: Double = 30, keeping fraction: Double = 0.4,
        sampleRate: Int = 48_000,
        named name: String? = nil, in directory: TemporaryDirectory
    ) throws -> String {
        let whole = try write(
            .quadrature(hertz: 440), seconds: seconds, sampleRate: sampleRate, format: format, in: directory)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        return try write(
            bytes: bytes.prefix(Int(Double(bytes.count) * fraction)),
            named: name ?? "truncated.\(format.fileExtension)", in: directory)
    }

    /// A file that begins like a WAV file and goes on with nonsense.
    package static func corrupt(named name: String = "corrupt.wav", in directory: TemporaryDirectory) throws -> String {
        try write(bytes: Data("RIFF\u{1}\u{2}\u{3}\u{4}WAVEthis is not a chunk".utf8), named: name, in: directory)
    }

    /// A text file with a sound file's name.
    package static func notAudio(named name: String = "letter.mp3", in directory: TemporaryDirectory) throws -> String {
        try write(bytes: Data("Dear Sir or Madam, this is not music.\n".utf8), named: name, in: directory)
    }

    package static func write(
        bytes: some Collection<UInt8>, named name: String, in directory: TemporaryDirectory
    ) throws -> String {
        let path = directory.path(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// A WAV file (16 bit) of any length that takes next to no disk: its sound is a hole, hence silence.
    package static func sparse(
        seconds: Double, sampleRate: Int = 48_000, channels: Int = 2, named name: String = "long.wav",
        in directory: TemporaryDirectory
    ) throws -> String {
        let dataLength = UInt32((seconds * Double(sampleRate)).rounded()) * UInt32(channels) * 2
        var header = Data("RIFF".utf8)
        header.append(littleEndian: dataLength + 36)
        header.append(Data("WAVEfmt ".utf8))
        header.append(littleEndian: 16 as UInt32)
        header.append(littleEndian: 1 as UInt16)
        header.append(littleEndian: UInt16(channels))
        header.append(littleEndian: UInt32(sampleRate))
        header.append(littleEndian: UInt32(sampleRate * channels * 2))
        header.append(littleEndian: UInt16(channels * 2))
        header.append(littleEndian: 16 as UInt16)
        header.append(Data("data".utf8))
        header.append(littleEndian: dataLength)
        let path = try write(bytes: header, named: name, in: directory)
        guard truncate(path, off_t(dataLength) + 44) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
        }
        return path
    }
}

extension Data {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
