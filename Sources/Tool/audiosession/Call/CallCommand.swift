import ArgumentParser
internal import OpenAudioSession

/// `audiosession call`.
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Simulate a phone call, to test how other programs react.",
        discussion: """
            The command plays a ring tone in the session of a call (category playAndRecord, mode voiceChat), which has \
            priority over all others: other players are interrupted, cannot take the audio back during the call, and \
            may resume after it. Nothing is recorded.

            EXAMPLES
              audiosession call
              audiosession call --duration 3 --events json
            """)

    // Unconditional: "-1" is a value that is out of range, not an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long it rings, from 0.1 to 600 seconds. (default: 10)", valueName: "seconds"),
        transform: {
            try number($0, in: RingTone.lengths, rule: "of seconds from 0.1 to 600, for example: --duration 10")
        })
    var duration: Double = 10

    @OptionGroup var host: HostOption

    @Option(help: ArgumentHelp("The format of events: text or json.", valueName: "format"))
    var events: EventStyle = .text

    func run() throws {
        let tone = try RingTone(seconds: duration)
        let plan = PlayPlan(
            items: [tone.item], settings: SessionSettings(category: .playAndRecord, mode: .voiceChat),
            role: "Communication", onServerLoss: .quit)
        try withExtendedLifetime(tone) { try plan.run(host: host.host, style: events == .json ? .json : .live) }
    }
}
