import ArgumentParser
import AudioModel

/// `audiosession record`.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the session's input into a file.",
        discussion: """
            The ending of the file's name says what it is: .wav, .caf, .aiff, .flac, .ogg, .opus, .mp3. In a terminal: a \
            meter for each channel, space pauses and goes on, q stops. SIGINT and SIGTERM stop too, and the file is complete.

            A recording stops when a device is plugged in or pulled out, as on Apple's systems, and the file is complete \
            up to there. Another program that takes the sound pauses it; it goes on when that one is done.

            EXAMPLES
              audiosession record take.wav
              audiosession record memo.flac --duration 30 --events json
            """)

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    // Unconditionally: "-1" is a value that is out of range, not an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many seconds to record. (default: until it is stopped)", valueName: "seconds"),
        transform: { try length($0) })
    var duration: Double?

    @Flag(help: "Replace the file if it is there.")
    var overwrite = false

    @OptionGroup var host: HostOption

    @Option(help: ArgumentHelp("How to report events: text or json.", valueName: "style"))
    var events: EventStyle = .text

    func run() throws {
        let recording = Recording(
            plan: RecordPlan(path: file, duration: duration, overwrites: overwrite), host: host.host,
            inJSON: events == .json)
        if try recording.run() == false { throw ExitCode(1) }
    }
}

private func length(_ word: String) throws -> Double {
    guard let seconds = Double(word), seconds > 0, seconds <= 86_400 else {
        throw ValidationError("it must be a number of seconds above 0, at most 86400 (a day): --duration 30, say.")
    }
    return seconds
}
