import ArgumentParser
import AudioModel
import SessionCore

/// `audiosession play`.
struct PlayCommand: ParsableCommand {
    enum UnplugChoice: String, CaseIterable, ExpressibleByArgument {
        case pause
        case `continue`
    }

    enum EventStyle: String, CaseIterable, ExpressibleByArgument { case text, json }

    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play files one after another.",
        discussion: """
            In a terminal: space pauses and resumes, left and right seek 5 s, up and down change the volume, q quits; on \
            the simulated host u unplugs the headphones and p plugs them in again. Elsewhere: a line for each event, or \
            with --events json an object (docs/events.md); then nobody can press space after an unplug, so use \
            --on-unplug continue where the music must go on.

            A file that cannot be played is named on standard error and the others are played; the exit status is then 1.
            SIGINT and SIGTERM fade out and leave; a second one leaves at once.

            EXAMPLES
              audiosession play song.flac
              audiosession play a.ogg b.ogg --volume 0.5 --on-unplug continue
              audiosession play talk.mp3 --mode spokenAudio --options mixWithOthers
              audiosession play song.wav --events json | jq .event
            """)

    @Argument(help: "Audio files: WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, MP3.", completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "The session's category: \(SessionWords.categories.words.joined(separator: ", ")). (default: playback)",
            valueName: "category"),
        completion: .list(SessionWords.categories.words), transform: { try oneWord($0, of: SessionWords.categories) })
    var category: SessionCategory = .playback

    @Option(
        help: ArgumentHelp(
            "The session's mode: \(SessionWords.modes.words.joined(separator: ", ")). (default: default)",
            valueName: "mode"),
        completion: .list(SessionWords.modes.words), transform: { try oneWord($0, of: SessionWords.modes) })
    var mode: SessionMode = .default

    @Option(
        help: ArgumentHelp(
            "The category's options: \(SessionWords.options.words.joined(separator: ", ")).", valueName: "option,..."),
        completion: .list(SessionWords.options.words), transform: { try wordList($0, of: SessionWords.options) })
    var options: SessionOptions = []

    @Option(
        help: ArgumentHelp(
            "Play on this output only, by its uid or name ('audiosession route' lists them); it is not left for another.",
            valueName: "uid|name"))
    var device: String?

    @Option(help: ArgumentHelp("When the output in use goes away: pause or continue.", valueName: "what"))
    var onUnplug: UnplugChoice = .pause

    @OptionGroup var host: HostOption

    // Unconditionally: "-1" is a value that is out of range, not an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Loudness from 0 (silent) to 1 (as it is in the file). (default: 1)", valueName: "volume"),
        transform: { try loudness($0) })
    var volume: Double = 1

    @Option(help: ArgumentHelp("How to report events: text or json.", valueName: "style"))
    var events: EventStyle = .text

    @Flag(name: .shortAndLong, help: "Nothing but errors; events only where --events json asks for them.")
    var quiet = false

    func validate() throws {
        guard RoutePolicy.hasOutput(category) else {
            let words = SessionWords.categories.entries.filter { RoutePolicy.hasOutput($0.value) }.map(\.word)
            throw ValidationError(
                "the category '\(category)' has no output to play on. Use one of: \(words.joined(separator: ", ")).")
        }
    }

    func run() throws {
        let performance = Performance(
            plan: PlayPlan(
                files: files, policy: StreamPolicy(onDeviceLoss: onUnplug == .continue ? .continue : .pause),
                volume: Float(volume)),
            configuration: SessionConfiguration(category: category, mode: mode, options: options), device: device,
            host: host.host, style: events == .json ? .json : quiet ? .quiet : .text)
        if try performance.run() == false { throw ExitCode(1) }
    }
}

private func loudness(_ word: String) throws -> Double {
    guard let volume = Double(word), (0...1).contains(volume) else {
        throw ValidationError("it must be a number from 0 (silent) to 1 (full): --volume 0.5, say.")
    }
    return volume
}

private func oneWord<Value>(_ word: String, of list: WordList<Value>) throws -> Value {
    do {
        return try list.value(for: word)
    } catch {
        throw ValidationError("\(error)")
    }
}

private func wordList<Options: OptionSet & Sendable>(
    _ words: String, of list: WordList<Options>
) throws -> Options where Options.Element == Options {
    do {
        return try list.values(forList: words).reduce(into: Options()) { $0.formUnion($1) }
    } catch {
        throw ValidationError("\(error)")
    }
}
