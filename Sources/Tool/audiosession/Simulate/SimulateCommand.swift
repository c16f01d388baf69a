import ArgumentParser
import Foundation
import SceneCore
import SceneRuntime
import SessionRuntime

/// `audiosession simulate`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a scene: what happens to a machine, and what playback does then.",
        discussion: """
            A scene is a file with one line an event: "at 2s unplug headphones", "at 4s call begins", "expect player paused \
            within 50ms". It runs in virtual time on a simulated machine, with the files that are named, or with a tone. A \
            trace of a session (AUDIOSESSION_TRACE, audiosession trace) runs too.

            The exit status is 1 if an expectation was not met, and 2 if the file is no scene.

            SCENES
              \(AudioScene.wellKnownNames.joined(separator: ", "))

            EXAMPLES
              audiosession simulate headphones-leave song.flac
              audiosession simulate my.scene --report picture.html
              audiosession simulate call --print > my.scene
            """)

    @Argument(
        help: "A file, - for the standard input, or the name of a scene that comes with this program.",
        completion: .custom { _, _, word in AudioScene.wellKnownNames + Completions.files(word) })
    var scene: String

    @Argument(help: "The audio files that the player plays; a tone without one.", completion: .file())
    var files: [String] = []

    @Option(help: ArgumentHelp("Write a picture of what happened, as one page.", valueName: "html"))
    var report: String?

    @Option(help: ArgumentHelp("Write the picture as SVG.", valueName: "svg"))
    var svg: String?

    /// Was an export that is gone: the error says what to use.
    @Option(help: .hidden)
    var perfetto: String?

    @Option(help: ArgumentHelp("Write what each output played, as WAV.", valueName: "directory"))
    var wavDir: String?

    @Flag(help: "Print what happened as one JSON object a line.")
    var json = false

    @Flag(help: "Print the scene itself, and run nothing.")
    var print = false

    func validate() throws {
        if perfetto != nil {
            throw ValidationError(
                "Perfetto is not a form of pictures any more; use --report or --svg, or --json for a program.")
        }
        if print, json {
            throw ValidationError("JSON is not a form of scenes; use --print without --json, which prints the text.")
        }
    }

    /// The scene's name, without the folders of its author.
    private var caption: String {
        "\(scene.split(separator: "/").last.map(String.init) ?? scene), audiosession \(LibraryVersion.current)"
    }

    func run() throws {
        let (command, scene) = (self, try SceneFile.read(scene))
        if command.print { return try DescriptorOutput.print([String(scene.text.dropLast())]) }
        let isMet = try CommandThread.run { () throws(BackendError) in
            try SceneRun(scene: scene, files: command.files, wavDirectory: command.wavDir).perform(
                json: command.json,
                writing: [
                    (command.report, { ScenePicture($0).html }),
                    (command.svg, { ScenePicture($0, caption: command.caption).svg }),
                ])
        }
        if !isMet { throw ExitCode(1) }
    }
}

/// The file of a scene.
enum SceneFile {
    /// - Throws: `ExitCode` 2 after a line that says what is wrong with it.
    static func read(_ name: String) throws -> AudioScene {
        do {
            if let known = AudioScene.wellKnown(name), !FileManager.default.fileExists(atPath: name) { return known }
            return try SceneImport.scene(text(of: name))
        } catch let error as SceneError {
            throw refusal("\(name.printable): \(error)")
        }
    }

    private static func text(of name: String) throws -> String {
        let data: Data
        if name == "-" {
            data = FileHandle.standardInput.readDataToEndOfFile()
        } else if let found = FileManager.default.contents(atPath: name) {
            data = found
        } else {
            throw refusal(
                "there is no scene \"\(name.printable)\"; name a file that can be read, or one of "
                    + AudioScene.wellKnownNames.joined(separator: ", "))
        }
        guard data.count <= 64_000_000 else {
            throw refusal("\(name.printable) has more than 64 MB; name a shorter scene")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func refusal(_ message: String) -> ExitCode {
        DescriptorOutput(STDERR_FILENO).writeLine("audiosession: \(message).")
        return ExitCode(2)
    }
}

/// Runs a scene and writes what came of it.
///
/// The command thread.
struct SceneRun {
    var scene: AudioScene
    var files: [String]
    /// Whether a file plays again and again, to the end of the scene.
    var loops = false
    var wavDirectory: String?

    /// - Parameter outputs: files to write, and what to write to them.
    /// - Returns: whether everything was as expected.
    func perform(
        json: Bool = false, writing outputs: [(path: String?, text: (SceneHistory) -> String)] = []
    ) throws(BackendError) -> Bool {
        let history = try run()
        for (path, text) in outputs { if let path { try Self.write(text(history), to: path) } }
        try DescriptorOutput.print(json ? [String(history.json.dropLast())] : lines(history))
        return history.failures.isEmpty && history.objections.isEmpty
    }

    private func run() throws(BackendError) -> SceneHistory {
        let recording: SceneRecording?
        do {
            recording = try wavDirectory.map(SceneRecording.init)
        } catch {
            throw Self.refusal(error, wavDirectory ?? "", remedy: "name another folder")
        }
        do {
            var player = SceneFilePlayer(files: files, loops: loops)
            if let recording { player.onSound = recording.add }
            defer { recording?.close() }
            return try player.run(scene)
        } catch {
            throw BackendError(.playbackFailed, "\(error)")
        }
    }

    static func write(_ text: String, to path: String) throws(BackendError) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw refusal(error, path, remedy: "name another file")
        }
    }

    private static func refusal(_ error: any Error, _ path: String, remedy: String) -> BackendError {
        BackendError(.notWritable, "cannot write '\(path.printable)' (\(UserFile.reason(error, path))); \(remedy).")
    }

    private func lines(_ history: SceneHistory) -> [String] {
        let heading = [
            "Simulated host, virtual time: no audio output. All results below were measured in this run.",
            scene.title.printable, "",
        ]
        let isMet = history.failures.isEmpty && history.objections.isEmpty
        let verdict = history.verdict + (isMet ? "" : hint(history))
        let glyphs = Glyphs.forLocale(ProcessInfo.processInfo.environment)
        // Names of ports and programs are those of the file.
        return heading + (history.lines(level: glyphs.level) + ["", verdict]).map(\.printable)
    }

    /// A short file is no fault of the library.
    private func hint(_ history: SceneHistory) -> String {
        guard !files.isEmpty, history.playersEnded else { return "" }
        return " A file ended before the scene did: use \(loops ? "one with sound" : "a longer one")."
    }
}
