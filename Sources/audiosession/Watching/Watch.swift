import AudioModel
import AudioRuntime
import Foundation
import Glibc

/// A run of `watch`: waits for the session's news and writes it down.
struct Watch: Sendable {
    enum Input: Sendable {
        case studio(StudioEvent, time: Double)
        case signal(Signals.Event)
    }

    var configuration: SessionConfiguration
    /// The session is made active, and again whenever it may be.
    var takesPart: Bool
    var host: HostChoice?
    var inJSON: Bool
    var mailbox: Mailbox<Input>

    /// Returns when a signal says so, or when nobody reads the output any more; false when an error was reported.
    ///
    /// The verb's thread.
    /// - Throws: `StudioError` when it cannot begin.
    func run() throws(StudioError) -> Bool {
        let stopwatch = Stopwatch()
        let studio = try Library.openStudio(host: host)
        defer { studio.close() }
        try studio.configure(configuration)
        let output = DescriptorOutput(STDOUT_FILENO)
        let arrow = Glyphs.forLocale(ProcessInfo.processInfo.environment).arrow
        let display = LineDisplay(
            output: output, errors: DescriptorOutput(STDERR_FILENO), style: inJSON ? .json : .text(arrow: arrow))
        let runner = WatchRunner(
            studio: studio, configuration: configuration, takesPart: takesPart, display: display, stopwatch: stopwatch,
            deliver: { [mailbox] in mailbox.post($0) })
        runner.begin()
        while !runner.isDone {
            // A reader that goes away is noticed here too, not only at the next event, which may never come.
            var sources = [
                pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
            ]
            _ = poll(&sources, 2, -1)
            if sources[1].revents & Int16(POLLERR | POLLHUP) != 0 { break }
            for message in mailbox.takeAll() {
                if case .signal(.stop) = message { Signals.stopProcess() }
                runner.handle(message)
            }
        }
        runner.close()
        try output.finish()
        return !runner.hasFailed
    }
}
