import ArgumentParser
import Foundation
import Glibc

/// `audiosession watch`.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show every notification of the session as it comes, until interrupted.",
        discussion: """
            EXAMPLES
              audiosession watch
              audiosession watch --json | jq 'select(.event == "routeChange") | .reason'
            """)

    private enum Input: Sendable {
        case studio(StudioEvent, time: Double)
        case signal(Signals.Event)
    }

    @Flag(help: "One JSON object a line (docs/events.md).")
    var json = false

    @OptionGroup var host: HostOption

    func run() throws {
        let stopwatch = Stopwatch()
        let mailbox = try Mailbox<Input>()
        Signals.listen(beforeExit: {}, deliver: { mailbox.post(.signal($0)) })
        let studio = try Library.openStudio(host: host.host)
        defer { studio.close() }
        let output = DescriptorOutput(STDOUT_FILENO)
        let arrow = Glyphs.forLocale(ProcessInfo.processInfo.environment).arrow
        let display = LineDisplay(
            output: output, errors: DescriptorOutput(STDERR_FILENO), style: json ? .json : .text(arrow: arrow))

        studio.observe { mailbox.post(.studio($0, time: stopwatch.seconds)) }
        let start = Event.Start(
            version: Version.current, host: studio.hostName, clock: stopwatch.zero, files: [],
            currentRoute: studio.currentRoute)
        display.show(Event(time: 0, fact: .started(start)))
        while !display.isClosed {
            // A reader that goes away is noticed here too, not only at the next event, which may never come.
            var sources = [
                pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
            ]
            _ = poll(&sources, 2, -1)
            if sources[1].revents & Int16(POLLERR | POLLHUP) != 0 { return }
            for message in mailbox.takeAll() {
                switch message {
                case .studio(let event, let time): display.show(Event(time: time, fact: event.fact))
                case .signal(.leave): return
                case .signal(.stop): Signals.stopProcess()
                case .signal(.resize), .signal(.continue): break
                }
            }
        }
        try output.finish()
    }
}
