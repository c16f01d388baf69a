import ArgumentParser
import AudioFiles
import ProgramRuntime

/// Writes the project's own piece of music, for `make run` and for whoever wants to hear that sound comes out.
@main
struct MakeSample: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-sample",
        abstract: "Write the project's sample: a short stereo piece, synthesised, the same at every run.")

    @Option(
        help: ArgumentHelp("Length in whole seconds, from \(Song.lengths.lowerBound) to \(Song.lengths.upperBound)."))
    var seconds = 30

    @Argument(help: "The file to write; .flac (16 bit) or .wav (16 bit) by its name.")
    var path: String

    func validate() throws {
        guard Song.lengths.contains(seconds) else {
            throw ValidationError(
                "--seconds \(seconds) is out of range; give \(Song.lengths.lowerBound) to \(Song.lengths.upperBound).")
        }
        guard let type = try? fileType(), [.flac, .wav].contains(type.container) else {
            throw ValidationError("\"\(path)\" ends in neither .flac nor .wav; choose one, for example sample.flac.")
        }
    }

    private func fileType() throws(AudioFileWriteError) -> AudioFileType {
        try AudioFileType(path: path, sampleRate: Song.sampleRate, channelCount: 2)
    }

    func run() throws {
        let song = Song(seconds: seconds)
        do throws(AudioFileWriteError) {
            let writer = try AudioFileWriter(
                path: path, type: fileType(), sampleRate: Song.sampleRate, channels: [.left, .right],
                title: "First Light", artist: "open-avfaudio")
            try writer.write(song.render())
            try writer.close()
        } catch {
            throw ValidationFreeError(description: error.message)
        }
    }
}

/// An error that ArgumentParser prints as it is, with exit code 1 and without usage.
private struct ValidationFreeError: Error, CustomStringConvertible {
    var description: String
}
