import ArgumentParser

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
        transform: { try length($0) })
    var duration: Double = 10

    @OptionGroup var host: HostOption

    @Option(help: ArgumentHelp("The format of events: text or json.", valueName: "format"))
    var events: EventStyle = .text

    func run() throws {
        let tone = try RingTone(seconds: duration)
        let run = PlaySession(
            plan: PlayPlan(
                items: [tone.item],
                settings: SessionSettings(category: .playAndRecord, mode: .voiceChat), role: "Communication",
                onServerLoss: .quit),
            host: host.host, style: events == .json ? .json : .live)
        if try withExtendedLifetime(tone, { try run.run() }) == false { throw ExitCode(1) }
    }
}

private func length(_ word: String) throws -> Double {
    guard let seconds = Double(word), RingTone.lengths.contains(seconds) else {
        throw ValidationError("it must be a number of seconds from 0.1 to 600, for example: --duration 10")
    }
    return seconds
}
