import ArgumentParser
import Glibc
import OpenLV2
import SceneRuntime
import SessionRuntime
import TimePitch

/// The command line program.
@main
struct AudioSessionTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosession",
        abstract: "Play and record audio with the rules of Apple's audio session.",
        discussion: """
            Playback goes through PipeWire and follows the current route. When the output in use is unplugged, playback \
            pauses before the speaker plays a single frame.

            EXAMPLES
              audiosession play song.flac
              audiosession play *.ogg --device "USB Headset"
              audiosession play film.flac --to HDMI music.flac --to headphones
              audiosession record memo.flac --duration 30
              audiosession call
              audiosession demo song.flac
              audiosession simulate call song.flac --report call.html
              audiosession outputs --prefer headphones,HDMI
              audiosession doctor
              audiosession report
              audiosession guard install
              audiosession focus --duck -- arecord memo.wav

            EXIT STATUS
              0      success: everything was played or recorded, or you quit
              1      an error: a file that cannot be played, a device that is not there, no sound server; simulate: an \
            expectation was not met
              2      an invalid command line, or a file that is no scene
              130    play was ended by Control-C (SIGINT)
              128+N  ended at once by a second signal N

            OUTPUT
            Events, tables and reports go to the standard output. Each error is one line on the standard error that \
            begins with "audiosession: ", or with "Error: " if the command line is invalid; with --events json it is also \
            an event.

            ENVIRONMENT
              AUDIOSESSION_HOST                pipewire, simulated or auto; --host overrides it
              AUDIOSESSION_MULTIROUTE_SPEAKER  always: multiRoute also uses the speaker
              AUDIOSESSION_ROLES               how to treat roles of other programs: Game=plays,Music=ignored
              AUDIOSESSION_TRACE               a new file for what the session does; a scene if it ends in .scene
              AUDIOSESSION_TRACE_NAMES         1: with the names of devices and programs
              NO_COLOR                         if set, no colors
            """,
        version: LibraryVersion.current,
        subcommands: [
            PlayCommand.self, RecordCommand.self, CallCommand.self, RouteCommand.self, OutputsCommand.self,
            WatchCommand.self,
            DoctorCommand.self, ReportCommand.self, DemoCommand.self, SimulateCommand.self, TraceCommand.self,
            GuardCommand.self, FocusCommand.self,
            EffectsCommand.self,
        ])

    /// The commands that run until a signal ends them, and handle it.
    private static let listening = ["play", "record", "call", "watch", "demo", "trace"]

    private static func listens(_ words: [String]) -> Bool {
        guard let first = words.first else { return false }
        return listening.contains(first) || first == "guard" && GuardCommand.runs(words.dropFirst().first)
    }

    static func main() {
        // A file that is opened under the number of a closed one would be filled with the lines of this program.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDONLY)
        }
        guard CommandLine.argc > 0 else {
            // Swift reads the words from there.
            DescriptorOutput(STDERR_FILENO).writeMessage(
                "audiosession: the command line cannot be read, because /proc is not mounted. Mount it: "
                    + "mount -t proc proc /proc")
            Glibc.exit(1)
        }
        let words = PlayWord.ofThisProcess
        if listens(words) { Signals.block() }
        // At the limit of `ulimit -f`, a write then fails, and the error is reported.
        signal(SIGXFSZ, SIG_IGN)
        TraceForms.register(TraceScene.self)
        SoundTouch.register()
        LV2Plugins.register()
        var isRunning = false
        do {
            var command = try command(from: words)
            if !(command is DoctorCommand) && !(command is ReportCommand) {
                try ProcessLimit.openFiles.check()
                try ProcessLimit.addressSpace.check()
            }
            isRunning = true
            try command.run()
        } catch let error as BackendError {
            DescriptorOutput(STDERR_FILENO).writeMessage("audiosession: \(error.message)")
            Glibc.exit(1)
        } catch  where exitCode(for: error) == .validationFailure {
            // It quotes words of the command line, which may be untrusted file names.
            // The parser does not know whose command is unknown.
            let text =
                isRunning || error is ValidationError && words.first == "guard"
                ? "Error: \(message(for: error))\n  See 'audiosession \(words.first ?? "") --help' for more information."
                : fullMessage(for: error)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { DescriptorOutput(STDERR_FILENO).writeLine(String(line).printable) }
            if let hint = dashHint(words) { DescriptorOutput(STDERR_FILENO).writeLine(hint.printable) }
            Glibc.exit(2)
        } catch {
            // The parser would lose the indents of tables.
            let help = fullMessage(for: error, columns: 10_000)
            guard exitCode(for: error) == .success, help.hasPrefix("OVERVIEW: ") else { exit(withError: error) }
            let output = DescriptorOutput(STDOUT_FILENO)
            for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
                let lines = WordWrap.lines(ofHelp: String(line), columns: output.columns ?? 80)
                for line in lines { output.writeLine(line) }
            }
        }
    }

    /// The command with its options.
    ///
    /// - Throws: as `parseAsRoot`; `ValidationError` if the first word is no command, and for a name that is not UTF-8
    ///   where only text can be taken.
    static func command(from words: [String]) throws -> any ParsableCommand {
        let place = words.first == "guard" ? GuardCommand.configuration : configuration
        let commands = place.subcommands.compactMap { $0.configuration.commandName }
        let named = words.first == "help" || words.first == "guard" ? words.dropFirst().first : words.first
        if let word = named, !word.hasPrefix("-"), word != "help", !commands.contains(word) {
            throw ValidationError(
                "\(WordError(noun: "command", received: PlayWord.path(word).name, allowed: commands.filter { $0 != "unit" }))"
                    + hint(for: word)
            )
        }
        if words.first == "play" {
            let settings = PlaySettings()
            for problem in settings.problems {
                DescriptorOutput(STDERR_FILENO).writeMessage("audiosession: left out: \(problem)")
            }
            return try parseAsRoot(["play"] + settings.words + PlayWord.folding(Array(words.dropFirst())))
        }
        if let bytes = words.lazy.compactMap(PlayWord.bytes).first {
            throw ValidationError(
                "the name '\(FilePath(bytes: bytes).name)' is not UTF-8, and only 'play' takes such names. Use another name."
            )
        }
        return try parseAsRoot(words.first == "focus" ? FocusCommand.folding(words) : words)
    }

    /// What to type if the word is a file, and not a command.
    private static func hint(for word: String) -> String {
        let path = PlayWord.path(word)
        guard path.status != nil || MediaList.extensions.contains(path.fileExtension) || MediaList.address(path) != nil
        else { return "" }
        return " To play it: audiosession play \(path.name)"
    }

    /// What to type for a file whose name was taken for an option.
    private static func dashHint(_ words: [String]) -> String? {
        guard words.first == "play" else { return nil }
        let names = words.dropFirst().prefix { $0 != "--" }.filter {
            $0.hasPrefix("-") && PlayWord.path($0).status != nil
        }
        return names.first.map { "To play the file '\($0)': audiosession play -- \($0)" }
    }
}
