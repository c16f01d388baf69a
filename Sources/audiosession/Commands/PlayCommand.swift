import ArgumentParser
import AudioModel
import SessionCore

/// `audiosession play`.
struct PlayCommand: ParsableCommand {
    enum UnplugChoice: String, CaseIterable, ExpressibleByArgument {
        case pause
        case `continue`
    }

    enum InterruptionChoice: String, CaseIterable, ExpressibleByArgument {
        case pause
        case ignore
    }

    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play files one after another.",
        discussion: """
            In a terminal: space pauses and resumes, left and right seek 5 s, up and down change the volume, q quits; on \
            the simulated host u unplugs the headphones and p plugs them in again, c lets a call come and end, and x kills \
            the server and starts it again. Elsewhere: a line for each event, or with --events json an object \
            (docs/events.md); then nobody can press space after an unplug, so use --on-unplug continue where the music \
            must go on.

            Two players do not play at once: the newer interrupts the older, which goes on when the newer one is done, \
            unless one of them mixes (--options mixWithOthers) or is told to ignore the other (--on-interruption). While \
            interrupted, space takes the sound back; while a call is on it cannot.

            When the sound server dies the music is over: --on-server-loss quit ends with exit status 1, wait goes on \
            where it was when you press space and a server is there again, resume goes on by itself. (default: wait in a \
            terminal, quit elsewhere)

            A file that cannot be played is named on standard error and the others are played; the exit status is then 1.
            SIGINT and SIGTERM fade out and leave; a second one leaves at once.

            EXAMPLES
              audiosession play song.flac
              audiosession play a.ogg b.ogg --volume 0.5 --on-unplug continue
              audiosession play talk.mp3 --mode spokenAudio
              audiosession play rain.ogg --options mixWithOthers
              audiosession play song.wav --events json | jq .event
            """)

    @Argument(help: "Audio files: WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, MP3.", completion: .file())
    var files: [String]

    @OptionGroup var session: SessionOption

    @Option(
        help: ArgumentHelp(
            "Play on this output only, by its uid or name ('audiosession route' lists them); it is not left for another.",
            valueName: "uid|name"))
    var device: String?

    @Option(help: ArgumentHelp("When the output in use goes away: pause or continue.", valueName: "what"))
    var onUnplug: UnplugChoice = .pause

    @Option(help: ArgumentHelp("When another program takes the sound: pause or ignore it.", valueName: "what"))
    var onInterruption: InterruptionChoice = .pause

    @Option(help: ArgumentHelp("When the sound server dies: quit, wait or resume.", valueName: "what"))
    var onServerLoss: PlayPlan.ServerLoss?

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
        guard RoutePolicy.hasOutput(session.category) else {
            let words = SessionWords.categories.entries.filter { RoutePolicy.hasOutput($0.value) }.map(\.word)
            throw ValidationError(
                "the category '\(session.category)' has no output to play on. "
                    + "Use one of: \(words.joined(separator: ", ")).")
        }
    }

    func run() throws {
        let performance = Performance(
            plan: PlayPlan(
                items: PlayPlan.items(files), configuration: session.configuration,
                policy: StreamPolicy(
                    onDeviceLoss: onUnplug == .continue ? .continue : .pause,
                    onInterruption: onInterruption == .ignore ? .ignore : .pause),
                volume: Float(volume), onServerLoss: onServerLoss),
            device: device, host: host.host, style: events == .json ? .json : quiet ? .quiet : .text)
        if try performance.run() == false { throw ExitCode(1) }
    }
}

extension PlayPlan.ServerLoss: ExpressibleByArgument {}

private func loudness(_ word: String) throws -> Double {
    guard let volume = Double(word), (0...1).contains(volume) else {
        throw ValidationError("it must be a number from 0 (silent) to 1 (full): --volume 0.5, say.")
    }
    return volume
}
