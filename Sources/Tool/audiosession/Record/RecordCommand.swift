import ArgumentParser
internal import OpenAudioSession

/// `audiosession record`.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the current input into a file.",
        discussion: """
            The file name extension selects the format: .wav, .caf, .aiff, .au, .flac, .ogg, .opus, .mp3, .m4a, .aac. In \
            a terminal, each channel has a level meter, space pauses and resumes, and q stops. SIGINT and SIGTERM also \
            stop, and the file is complete.

            With --overwrite, an existing file stays until the first sound has come, and is then replaced.

            Recording stops when a device is plugged in or disconnected, as on Apple's systems; the file is complete up \
            to that point. If another program takes over the audio, recording pauses until you press space.

            EXAMPLES
              audiosession record take.wav
              audiosession record memo.flac --duration 30 --events json
              audiosession record talk.m4a --input "USB Microphone" --channels 1
            """)

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    // Unconditional: "-1" is a value that is out of range, not an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many seconds to record. (default: until stopped)", valueName: "seconds"),
        transform: {
            try number(
                $0, in: 0.001...86_400,
                rule: "of seconds from 0.001 to 86400 (a day), for example: --duration 30")
        })
    var duration: Double?

    @Flag(help: "Replace the file if it exists.")
    var overwrite = false

    @Option(
        help: ArgumentHelp(
            "Record from this input while it is connected: its uid or name ('audiosession route' lists them).",
            valueName: "uid|name"),
        completion: .custom { _, _, _ in Completions.inputs() })
    var input: String?

    @Option(
        help: ArgumentHelp(
            "The kind of file: \(Self.formats.words.joined(separator: ", ")). (default: by the extension)",
            valueName: "format"),
        completion: .list(Self.formats.words), transform: { try Self.formats.value(for: $0) })
    var format: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The sample rate of the file. (default: the host's)", valueName: "hertz"),
        transform: {
            try wholeNumber($0, in: 8000...192_000, rule: "of hertz from 8000 to 192000, for example: --rate 48000")
        })
    var rate: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of channels of the file. (default: as many as the input has)", valueName: "count"),
        transform: { try wholeNumber($0, in: 1...64, rule: "of channels from 1 to 64, for example: --channels 1") })
    var channels: Int?

    @Flag(name: .shortAndLong, help: "Print only errors, and events if --events json is given.")
    var quiet = false

    private static let formats = WordList<String>(
        noun: "format",
        [
            "wav": "wav", "caf": "caf", "aiff": "aiff", "au": "au", "flac": "flac", "ogg": "ogg", "opus": "opus",
            "mp3": "mp3", "m4a": "m4a", "aac": "aac",
        ])

    @OptionGroup var host: HostOption

    @Option(help: ArgumentHelp("The format of events: text or json.", valueName: "format"))
    var events: EventStyle = .text

    func run() throws {
        let plan = RecordPlan(
            path: file, duration: duration, overwrites: overwrite,
            format: RecordFormat(fileExtension: format, sampleRate: rate, channelCount: channels), input: input)
        let run = CommandRun(
            settings: SessionSettings(category: .record), host: host.host,
            style: events == .json ? .json : quiet ? .errorsOnly : .live, outlivesReader: true, cutsShort: true)
        try run.run { RecordRunner($0, plan: plan) }
    }
}
