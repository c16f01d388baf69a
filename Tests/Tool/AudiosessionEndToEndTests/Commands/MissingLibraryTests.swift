import Foundation
import TestAudio
import Testing

/// Libraries that are loaded when they are needed, on a machine that does not have them.
@Suite("audiosession without a library", .ownThread, .serialized)
struct MissingLibraryTests {
    private let machine: MachineWithoutServer

    init() throws { machine = try MachineWithoutServer() }

    /// The loader finds a file of this name first, and it is no library.
    private func run(without libraries: [String], _ arguments: String...) throws -> ToolRun {
        let hidden = machine.directory.path("hidden")
        try FileManager.default.createDirectory(atPath: hidden, withIntermediateDirectories: true)
        for name in libraries { try Data("none".utf8).write(to: URL(fileURLWithPath: "\(hidden)/\(name)")) }
        var environment = machine.environment(host: "simulated")
        environment["LD_LIBRARY_PATH"] = hidden
        return try ToolRun(arguments, environment: environment)
    }

    private static let ffmpeg = (59...63).map { "libavformat.so.\($0)" }

    @Test func speed_withoutSoundTouch_isAnErrorThatSaysWhatToInstall() throws {
        let path = try TestFile.write(.quadrature(hertz: 440), seconds: 1, in: machine.directory)
        let run = try run(without: ["libSoundTouch.so.1"], "play", path, "--speed", "1.5")
        #expect(try run.waitForEnd() == .exited(1))
        #expect(
            run.errors == "audiosession: the speed cannot be changed: SoundTouch is not installed. Install it: "
                + "apt install libsoundtouch1\n")
    }

    @Test func m4a_withoutFFmpeg_isAnErrorWithOneCommand() throws {
        let path = machine.directory.path("song.m4a")
        try Data([0, 0, 0, 32] + Array("ftypM4A ".utf8)).write(to: URL(fileURLWithPath: path))
        let run = try run(without: Self.ffmpeg, "play", path)
        #expect(try run.waitForEnd() == .exited(1))
        #expect(
            run.errors.hasSuffix(
                "needs FFmpeg: FFmpeg's libraries are not installed (libavformat, version 59 to 63). Install them: "
                    + "apt install ffmpeg\n"), "\(run.errors)")
    }

    /// libsndfile plays it as far as its first frame lets it guess.
    @Test func mp3WithoutACount_withoutFFmpeg_isPlayedAndThenAnErrorWithOneCommand() throws {
        let wav = try TestFile.write(.quadrature(hertz: 440), seconds: 2, in: machine.directory)
        let path = machine.directory.path("bare.mp3")
        try EncodedFile.run(["-i", wav, "-c:a", "libmp3lame", "-q:a", "4", "-write_xing", "0", path])
        let run = try run(without: Self.ffmpeg, "play", path)
        #expect(try run.waitForEnd() == .exited(1))
        #expect(
            run.errors.contains(" that libsndfile does not read; FFmpeg does: FFmpeg's libraries are not installed"))
        #expect(run.errors.hasSuffix("Install them: apt install ffmpeg\n"), "\(run.errors)")
    }

    @Test func recordingOfM4A_withoutFFmpeg_isAnErrorWithOneCommand() throws {
        let run = try run(without: Self.ffmpeg, "record", machine.directory.path("memo.m4a"))
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.errors.hasSuffix("Install them: apt install ffmpeg\n"), "\(run.errors)")
    }
}
