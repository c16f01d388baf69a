import ArgumentParser
import AudioModel
import Glibc

/// The command line program.
@main
struct AudioSessionTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosession",
        abstract: "Plays and records, and falls silent when the headphones go away.",
        discussion: """
            Apple's audio session for Linux, as a program: it plays through PipeWire, follows the route, and falls \
            silent before the speaker plays one frame when the device in use is unplugged.

            EXAMPLES
              audiosession play song.flac
              audiosession play *.ogg --device "USB Headset"
              audiosession play film.flac --to HDMI music.flac --to headphones
              audiosession record memo.flac --duration 30
              audiosession call
              audiosession demo song.flac
              audiosession doctor

            EXIT STATUS
              0  played to the end, or left on request
              1  an error, named on standard error
              2  a mistake in the command line

            ENVIRONMENT
              AUDIOSESSION_HOST                pipewire, simulated or auto, unless --host
              AUDIOSESSION_MULTIROUTE_SPEAKER  always: multiRoute also plays on the speaker
              AUDIOSESSION_ROLES               what roles mean: Game=plays,Music=ignored
              NO_COLOR                         when set, no colours
            """,
        version: Version.current,
        subcommands: [
            PlayCommand.self, RecordCommand.self, CallCommand.self, RouteCommand.self, WatchCommand.self,
            DoctorCommand.self,
            DemoCommand.self,
        ])

    static func main() {
        do {
            var command = try command(from: Array(CommandLine.arguments.dropFirst()))
            try command.run()
        } catch let error as StudioError {
            DescriptorOutput(STDERR_FILENO).writeLine("audiosession: \(error.message)")
            Glibc.exit(1)
        } catch  where exitCode(for: error) == .validationFailure {
            // The words in question are quoted in it, and a file's name may be among them.
            let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { DescriptorOutput(STDERR_FILENO).writeLine(String(line).printable) }
            Glibc.exit(2)
        } catch {
            exit(withError: error)
        }
    }

    /// The verb with its options.
    ///
    /// - Throws: what `parseAsRoot` throws, and a `ValidationError` that lists the verbs where the first word is none.
    static func command(from words: [String]) throws -> any ParsableCommand {
        if let word = words.first, !word.hasPrefix("-"), word != "help" {
            let verbs = configuration.subcommands.compactMap { $0.configuration.commandName }
            do {
                _ = try WordList(noun: "verb", entries: verbs.map { .init(word: $0, value: $0) }).value(for: word)
            } catch {
                throw ValidationError("\(error)")
            }
        }
        return try parseAsRoot(words.first == "play" ? PlayWord.folding(words) : words)
    }
}
