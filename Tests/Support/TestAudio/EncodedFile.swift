package import Foundation

/// Files that another program encodes.
package enum EncodedFile {
    package static let encoder = "/usr/bin/ffmpeg"

    struct Failure: Error { var status: Int32 }

    /// - Returns: the encoded file, and the WAV file that it was made from.
    package static func write(
        _ signal: TestSignal, seconds: Double, sampleRate: Int, channels: Int, codec: String, ending: String,
        options: [String] = [], in directory: TemporaryDirectory
    ) throws -> (path: String, wav: String) {
        let wav = try TestFile.write(
            signal, seconds: seconds, sampleRate: sampleRate, channels: channels, in: directory)
        let path = directory.path("\(UUID().uuidString).\(ending)")
        try run(
            [
                "-i", wav, "-c:a", codec, "-sample_fmt", sampleFormat(of: codec), "-b:a", "192k", "-metadata",
                "title=Tone",
                "-metadata", "artist=Nobody",
            ] + options + [path])
        return (path, wav)
    }

    /// Half a second of a tone.
    ///
    /// - Parameters:
    ///   - picture: a PNG file.
    ///   - options: the encoder's own.
    package static func writeTagged(
        _ tags: [String: String], picture: Data?, codec: String, ending: String, options: [String] = [],
        in directory: TemporaryDirectory
    ) throws -> String {
        let wav = try TestFile.write(.sine(hertz: 440), seconds: 0.5, sampleRate: 44_100, in: directory)
        let path = directory.path("\(UUID().uuidString).\(ending)")
        var arguments = ["-i", wav]
        if let picture {
            arguments += ["-i", try TestFile.write(bytes: picture, named: "picture.png", in: directory)]
            arguments += ["-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v:0", "attached_pic"]
        }
        arguments += tags.flatMap { ["-metadata", "\($0.key)=\($0.value)"] }
        if ending == "aiff" { arguments += ["-write_id3v2", "1"] }
        try run(arguments + options + ["-c:a", codec, path])
        return path
    }

    /// Two seconds of a tone with chapters.
    ///
    /// - Parameter chapters: titles, and where they begin, in milliseconds.
    package static func writeChapters(
        _ chapters: [(title: String, start: Int)], codec: String, ending: String, in directory: TemporaryDirectory
    ) throws -> String {
        let wav = try TestFile.write(.sine(hertz: 440), seconds: 2, sampleRate: 48_000, in: directory)
        let ends = chapters.dropFirst().map(\.start) + [2000]
        let list = zip(chapters, ends).map { chapter, end in
            "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(chapter.start)\nEND=\(end)\ntitle=\(chapter.title)\n"
        }
        let facts = try TestFile.write(
            bytes: Data((";FFMETADATA1\ntitle=Book\n" + list.joined()).utf8), named: "facts.txt", in: directory)
        let path = directory.path("\(UUID().uuidString).\(ending)")
        try run(["-i", wav, "-i", facts, "-map_metadata", "1", "-map_chapters", "1", "-c:a", codec, path])
        return path
    }

    /// Runs the program; files that are there are replaced.
    package static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: encoder)
        process.arguments = ["-v", "error", "-nostdin", "-y"] + arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
    }

    /// Of lossless codecs one of 16 bits, as the WAV file is.
    private static func sampleFormat(of codec: String) -> String {
        switch codec {
        case "alac", "wavpack": "s16p"
        case "flac", "libopus", "mp2": "s16"
        default: "fltp"
        }
    }
}
