import ArgumentParser

/// `audiosession record`.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the current input into a file.",
        discussion: """
            The file name extension selects the format: .wav, .caf, .aiff, .flac, .ogg, .opus, .mp3, .m4a, .aac. In a \
            terminal, each channel has a level meter, space pauses and resumes, and q stops. SIGINT and SIGTERM also \
            stop, and the file is complete.

            Recording stops when a device is plugged in or disconnected, as on Apple's systems; the file is complete up \
            to that point. If another program takes over the audio, recording pauses until you press space.

            EXAMPLES
              audiosession record take.wav
              audiosession record memo.flac --duration 30 --events json
            """)

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    // Unconditional: "-1" is a value that is out of range, not an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many seconds to record. (default: until stopped)", valueName: "seconds"),
        transform: {
            try number(
                $0, in: Double.leastNonzeroMagnitude...86_400,
                rule: "of seconds above 0 and at most 86400 (a day), for example: --duration 30")
        })
    var duration: Double?

    @Flag(help: "Replace the file if it exists.")
    var overwrite = false

    @OptionGroup var host: HostOption

    @Option(help: ArgumentHelp("The format of events: text or json.", valueName: "format"))
    var events: EventStyle = .text

    func run() throws {
        let plan = RecordPlan(path: file, duration: duration, overwrites: overwrite)
        let run = CommandRun(
            settings: SessionSettings(category: .record), host: host.host, style: events == .json ? .json : .live)
        try run.run { RecordRunner($0, plan: plan) }
    }
}
