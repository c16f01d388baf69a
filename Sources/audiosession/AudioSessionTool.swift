import ArgumentParser
import AudioRuntime
import Glibc

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
              audiosession doctor
              audiosession guard install

            EXIT STATUS
              0  success: everything was played, or you quit
              1  an error, reported on standard error
              2  an invalid command line

            ENVIRONMENT
              AUDIOSESSION_HOST                pipewire, simulated or auto; --host overrides it
              AUDIOSESSION_MULTIROUTE_SPEAKER  always: multiRoute also uses the speaker
              AUDIOSESSION_ROLES               how to treat roles of other programs: Game=plays,Music=ignored
              NO_COLOR                         if set, no colors
            """,
        version: Version.current,
        subcommands: [
            PlayCommand.self, RecordCommand.self, CallCommand.self, RouteCommand.self, WatchCommand.self,
            DoctorCommand.self, DemoCommand.self, GuardCommand.self,
        ])

    /// The commands that run until they are told to leave, and listen for that.
    private static let listening = ["play", "record", "call", "watch", "demo"]

    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        if let first = words.first, listening.contains(first) { Signals.block() }
        do {
            var command = try command(from: words)
            try command.run()
        } catch let error as BackendError {
            DescriptorOutput(STDERR_FILENO).writeLine("audiosession: \(error.message)")
            Glibc.exit(1)
        } catch  where exitCode(for: error) == .validationFailure {
            // It quotes words of the command line, which may be untrusted file names.
            let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { DescriptorOutput(STDERR_FILENO).writeLine(String(line).printable) }
            Glibc.exit(2)
        } catch {
            exit(withError: error)
        }
    }

    /// The command with its options.
    ///
    /// - Throws: as `parseAsRoot`; `ValidationError` with the list of commands if the first word is none of them.
    static func command(from words: [String]) throws -> any ParsableCommand {
        if let word = words.first, !word.hasPrefix("-"), word != "help" {
            let commands = configuration.subcommands.compactMap { $0.configuration.commandName }
            guard commands.contains(word) else {
                throw ValidationError("\(WordError(noun: "command", received: word, allowed: commands))")
            }
        }
        return try parseAsRoot(words.first == "play" ? PlayWord.folding(words) : words)
    }
}

/// This program's version; the package has the same.
enum Version {
    static let current = "0.1.0"
}
