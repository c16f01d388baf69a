import ArgumentParser
import Glibc

/// `audiosession watch`.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show every notification of a session as it comes, until interrupted.",
        discussion: """
            The session is this program's own and silent: it hears of routes, and of the sound server's loss and return. \
            With --activate it takes part, and hears also who interrupts it and who plays beside it; as an activation \
            it interrupts the others unless its category or --options mix.

            EXAMPLES
              audiosession watch
              audiosession watch --activate --options mixWithOthers
              audiosession watch --json | jq 'select(.event == "routeChange") | .reason'
            """)

    @Flag(help: "One JSON object a line (docs/events.md).")
    var json = false

    @Flag(help: "Take part: claim the sound as a player would, again after each interruption that allows it.")
    var activate = false

    @OptionGroup var session: SessionOption

    @OptionGroup var host: HostOption

    func run() throws {
        let mailbox = try Mailbox<Watch.Input>()
        Signals.listen(beforeExit: {}, deliver: { mailbox.post(.signal($0)) })
        let watch = Watch(
            configuration: session.configuration, takesPart: activate, host: host.host, inJSON: json, mailbox: mailbox)
        let isWell = try VerbThread.run { () throws(StudioError) in try watch.run() }
        if !isWell { throw ExitCode(1) }
    }
}
