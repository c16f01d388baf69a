import ArgumentParser

/// `audiosession watch`.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print every notification of an audio session until interrupted.",
        discussion: """
            The session belongs to this command and plays nothing. It is notified of route changes, and when the sound \
            server stops and restarts. With --activate it is also notified of interruptions and of the audio of other \
            programs; its activation interrupts them unless its category or --options mix. What a guard that runs at the \
            start does to other programs is printed too (audiosession guard).

            EXAMPLES
              audiosession watch
              audiosession watch --activate --options mixWithOthers
              audiosession watch --json | jq 'select(.event == "routeChange") | .reason'
            """)

    @Flag(help: "Print one JSON object per line (docs/events.md).")
    var json = false

    @Flag(help: "Activate the session as a player does, and again after each interruption that allows it.")
    var activate = false

    @OptionGroup var session: SessionOption

    @OptionGroup var host: HostOption

    func run() throws {
        let run = CommandRun(
            settings: session.settings, host: host.host, style: json ? .json : .lines, wording: .notifications)
        try run.run { [session, activate] context in
            WatchRunner(context, settings: session.settings, activates: activate)
        }
    }
}
