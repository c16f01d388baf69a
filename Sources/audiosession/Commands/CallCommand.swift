import ArgumentParser
import AudioModel
import SessionCore

/// `audiosession call`.
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Ring as a telephone would, to see what the other programs do.",
        discussion: """
            Its session is that of a call (category playAndRecord, mode voiceChat) and outranks all others: what plays \
            elsewhere is interrupted, may not take the sound back meanwhile, and is told afterwards that it may go on. \
            Nothing is recorded.

            EXAMPLES
              audiosession call
              audiosession call --duration 3 --events json
            """)

    // Unconditionally: "-1" is a value that is out of range, not an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long it rings, from 0.1 to 600 seconds. (default: 10)", valueName: "seconds"),
        transform: { try length($0) })
    var duration: Double = 10

    @OptionGroup var host: HostOption

    @Option(help: ArgumentHelp("How to report events: text or json.", valueName: "style"))
    var events: EventStyle = .text

    func run() throws {
        let tone = try RingTone(seconds: duration)
        let performance = Performance(
            plan: PlayPlan(
                items: [.init(path: tone.path, name: "ring tone")],
                configuration: SessionConfiguration(category: .playAndRecord, mode: .voiceChat), role: "Communication",
                onServerLoss: .quit),
            device: nil, host: host.host, style: events == .json ? .json : .text)
        let isWell = try withExtendedLifetime(tone) { try performance.run() }
        if !isWell { throw ExitCode(1) }
    }
}

private func length(_ word: String) throws -> Double {
    guard let seconds = Double(word), RingTone.lengths.contains(seconds) else {
        throw ValidationError("it must be a number of seconds from 0.1 to 600: --duration 10, say.")
    }
    return seconds
}
