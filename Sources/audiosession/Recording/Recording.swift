import AudioModel
import AudioRuntime
import Foundation
import Glibc
import SessionCore

/// Sets the stage for a run of `record`, runs it, and clears up.
struct Recording: Sendable {
    private static let frameMilliseconds: Int32 = 100

    var plan: RecordPlan
    var host: HostChoice?
    var inJSON: Bool

    /// False when an error was reported on the way.
    ///
    /// Main thread, which serves the session's news meanwhile.
    /// - Throws: `StudioError` when it cannot begin.
    func run() throws(StudioError) -> Bool {
        let terminal = Terminal()
        let mailbox = try Mailbox<RecordRunner.Input>()
        Signals.listen(beforeExit: { terminal.restore() }, deliver: { mailbox.post(.signal($0)) })
        return try VerbThread.run { () throws(StudioError) in try perform(mailbox, terminal) }
    }

    private func perform(_ mailbox: Mailbox<RecordRunner.Input>, _ terminal: Terminal) throws(StudioError) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        let stopwatch = Stopwatch()
        let studio = try Library.openStudio(host: host)
        defer { studio.close() }
        try studio.configure(RecordPlan.configuration)
        let isLive = !inJSON && Terminal.canPaint(environment)
        let glyphs = Glyphs.forLocale(environment)
        let output = DescriptorOutput(STDOUT_FILENO)
        let display = RecordDisplay(
            lines: LineDisplay(
                output: output, errors: DescriptorOutput(STDERR_FILENO),
                style: inJSON ? .json : .text(arrow: glyphs.arrow)),
            output: output, layout: RecordLayout(glyphs: glyphs), inColor: (environment["NO_COLOR"] ?? "").isEmpty,
            size: { terminal.size })
        let runner = RecordRunner(
            studio: studio, plan: plan, display: display, stopwatch: stopwatch, deliver: { mailbox.post($0) })
        studio.phone?.runInRealTime()
        var hasKeys = isLive && terminal.takeKeys()
        var decoder = KeyDecoder()
        runner.begin()
        while !runner.isDone {
            if isLive, terminal.ownsScreen, var now = runner.nowRecording() {
                now.hasKeys = hasKeys
                display.paint(now)
            }
            switch wait(mailbox, terminal, hasKeys: hasKeys, milliseconds: isLive ? Self.frameMilliseconds : -1) {
            case .nothing: break
            case .keys(let bytes): for key in decoder.decode(bytes) { runner.handle(.key(key)) }
            case .noMoreKeys: hasKeys = false
            case .readerLeft: runner.handle(.signal(.leave))
            }
            for message in mailbox.takeAll() {
                switch message {
                case .signal(.stop):
                    display.clear()
                    terminal.restore()
                    Signals.stopProcess()
                case .signal(.continue): hasKeys = isLive && terminal.takeKeys()
                case .signal, .recorder, .studio, .key: break
                }
                runner.handle(message)
            }
        }
        display.clear()
        terminal.restore()
        runner.close()
        try output.finish()
        return !runner.hasFailed
    }

    private enum Arrival {
        case nothing, noMoreKeys, readerLeft
        case keys([UInt8])
    }

    private func wait(
        _ mailbox: Mailbox<RecordRunner.Input>, _ terminal: Terminal, hasKeys: Bool, milliseconds: Int32
    ) -> Arrival {
        var sources = [
            pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: terminal.output, events: 0, revents: 0),
        ]
        if hasKeys { sources.append(pollfd(fd: terminal.input, events: Int16(POLLIN), revents: 0)) }
        guard poll(&sources, nfds_t(sources.count), milliseconds) > 0 else { return .nothing }
        if sources[1].revents & Int16(POLLERR | POLLHUP) != 0 { return .readerLeft }
        guard hasKeys, sources[2].revents != 0 else { return .nothing }
        return terminal.readBytes().map { .keys($0) } ?? .noMoreKeys
    }
}
