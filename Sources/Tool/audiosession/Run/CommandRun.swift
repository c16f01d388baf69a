import ArgumentParser
import Foundation
import Glibc
import OpenAudioSession
import SessionRuntime

/// Input of a run: from the session, the keyboard, signals, and the run's own player or recorder.
enum RunInput<Report: Sendable>: Sendable {
    case report(Report, time: Double)
    case backend(BackendEvent, time: Double)
    case key(Key)
    case signal(Signals.Event)
    /// From the media controls of the desktop.
    case remote(PlayAction)
    /// A line that a library printed on the standard error.
    case note(String, time: Double)
}

/// The logic of a command that runs until it is done: input in, calls of the backend and events out.
///
/// The command thread.
protocol Runner: AnyObject {
    associatedtype Report: Sendable

    var context: RunContext<Report> { get }
    var isDone: Bool { get }
    /// An error was reported.
    var hasFailed: Bool { get }
    /// Whether the live content changes without input.
    var isMoving: Bool { get }
    /// What a live display shows now; nil for nothing.
    ///
    /// - Parameter hasKeys: whether keys are read now.
    func liveContent(hasKeys: Bool) -> LiveContent?

    /// When `wake` is to be called, in seconds of the log's stopwatch; nil: not.
    var wakeSeconds: Double? { get }

    func begin()
    func handle(_ input: RunInput<Report>)
    func wake()
    /// Falls silent before the process stops; `release` continues.
    func hold()
    func release()
    /// Ends the run; waits for fades.
    func close()
}

extension Runner {
    var backend: any AudioBackend { context.backend }
    var log: EventLog { context.log }

    func liveContent(hasKeys: Bool) -> LiveContent? { nil }
    var wakeSeconds: Double? { nil }
    func wake() {}
    func hold() {}
    func release() {}
}

/// What a runner works with.
struct RunContext<Report: Sendable> {
    var backend: any AudioBackend
    var log: EventLog
    /// There is a terminal, whose keys may be read.
    var isInteractive = false
    /// Called on other threads; passes the input to the runner's `handle` on the command thread.
    var deliver: @Sendable (RunInput<Report>) -> Void
    /// A signal to end has arrived, and the runner has not handled it yet.
    ///
    /// Any thread.
    var isToldToLeave: @Sendable () -> Bool = { false }

    /// Writes the first event, and from now on delivers the session's notifications.
    func begin(files: [String]) {
        backend.observe { [stopwatch = log.stopwatch, deliver] event in
            deliver(.backend(event, time: stopwatch.seconds))
        }
        log.write(
            .started(
                .init(
                    version: LibraryVersion.current, host: backend.hostName, clock: log.stopwatch.zero, files: files,
                    currentRoute: backend.currentRoute)), time: 0)
    }
}

/// Sets up everything around a runner, runs it, and cleans up: signals, threads, the backend, the display.
struct CommandRun {
    enum Style: Sendable {
        /// Live content in a terminal, else lines.
        case live
        case lines
        case json
        case errorsOnly
    }

    var settings: SessionSettings
    /// nil for the library's default.
    var host: AudioSessionHost?
    var style: Style
    var wording = Display.Wording.plain
    /// SIGINT ends the process as it ends one that does not handle it, after everything is cleaned up: the loop of a shell
    /// ends, too.
    var diesOfInterrupt = false
    /// Seconds from a signal to end until the process is cut off; nil for a run that must finish what it has begun to write.
    var patience: Int?
    /// The standard input has sound, so that keys are read from the controlling terminal.
    var hasSoundOnInput = false
    /// Its work goes on when the reader of its lines has gone, as after a pipe to head.
    ///
    /// The reader of JSON has asked for the events, and its end is always the end of the run.
    var outlivesReader = false

    /// The end of the reader cuts off what the run is for: that is no success.
    var cutsShort = false

    /// As a shell has it of a program that SIGPIPE ends.
    private static let noReaderStatus: Int32 = 141

    /// Main thread, which delivers the session's notifications meanwhile.
    ///
    /// Does not return after SIGINT, if the process is to die of it.
    ///
    /// - Throws: `BackendError` if the run cannot begin; `ExitCode` if an error was reported during the run.
    func run<R: Runner & SendableMetatype>(
        _ makeRunner: @escaping @Sendable (RunContext<R.Report>) throws(BackendError) -> R
    ) throws {
        let terminal = Terminal(input: hasSoundOnInput ? open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) : STDIN_FILENO)
        let mailbox = try Mailbox<RunInput<R.Report>>()
        Signals.listen(
            patience: patience, beforeExit: { terminal.restore() }, deliver: { mailbox.post(.signal($0)) })
        let outlivesReader = outlivesReader && style != .json
        let status = try CommandThread.run { () throws(BackendError) -> Int32 in
            let output = DescriptorOutput(STDOUT_FILENO, outlivesReader: outlivesReader)
            let display = makeDisplay(output, terminal)
            let log = EventLog(display: display)
            if style == .live, !display.isLive, isatty(STDOUT_FILENO) == 1 {
                let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
                log.advise("no keys: TERM is '\(kind.printable)', and keys need a terminal that can move its cursor")
            }
            let backend = try makeBackend(host: host)
            defer { backend.close() }
            try backend.configure(settings)
            LibraryNotes.divert { [stopwatch = log.stopwatch] in mailbox.post(.note($0, time: stopwatch.seconds)) }
            let runner = try makeRunner(
                RunContext(
                    backend: backend, log: log, isInteractive: display.isLive, deliver: { mailbox.post($0) },
                    isToldToLeave: { mailbox.contains { if case .signal(.leave) = $0 { true } else { false } } }))
            let loop = MainLoop(
                mailbox: mailbox, runner: runner, display: display, terminal: terminal, outlivesReader: outlivesReader)
            let isAbandoned = loop.run()
            try output.finish()
            return runner.hasFailed ? 1 : isAbandoned && cutsShort ? Self.noReaderStatus : 0
        }
        if diesOfInterrupt { Signals.dieIfInterrupted() }
        if status != 0 { throw ExitCode(status) }
    }

    private func makeDisplay(_ output: DescriptorOutput, _ terminal: Terminal) -> Display {
        let environment = ProcessInfo.processInfo.environment
        let glyphs = Glyphs.forLocale(environment)
        let style: Display.Style =
            switch style {
            case .live where Terminal.canPaint(environment):
                .live(glyphs, inColor: (environment["NO_COLOR"] ?? "").isEmpty, size: { terminal.size })
            case .live, .lines: .text(arrow: glyphs.arrow)
            case .json: .json
            case .errorsOnly: .errorsOnly
            }
        return Display(output: output, errors: DescriptorOutput(STDERR_FILENO), style: style, wording: wording)
    }
}
