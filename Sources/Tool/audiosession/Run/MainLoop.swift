import Glibc

/// Waits for messages, signals and keys at once, and repaints live content ten times a second while it changes.
///
/// The command thread.
final class MainLoop<R: Runner> {
    private let mailbox: Mailbox<RunInput<R.Report>>
    private let runner: R
    private let display: Display
    private let terminal: Terminal
    /// Looks whether the output still has a reader; not any more once it has none and the run goes on.
    private var watchesReader = true
    private let outlivesReader: Bool
    private var isAbandoned = false

    private enum Keys {
        /// Not the foreground job; asked again, because `fg` does not tell a job that runs.
        ///
        /// Legal exits: reading.
        case waiting
        /// Legal exits: waiting, none.
        case reading
        /// There is no terminal to read from.
        case none
    }

    private var decoder = KeyDecoder()
    private var keys = Keys.none

    /// - Parameter outlivesReader: the run goes on when the pipe that it writes to has no reader any more.
    init(
        mailbox: Mailbox<RunInput<R.Report>>, runner: R, display: Display, terminal: Terminal,
        outlivesReader: Bool = false
    ) {
        self.outlivesReader = outlivesReader
        self.mailbox = mailbox
        self.runner = runner
        self.display = display
        self.terminal = terminal
    }

    /// Runs until the runner is done.
    ///
    /// Before this returns, the terminal is restored and the sound has faded out.
    ///
    /// - Returns: whether the output has lost its reader, and the run was to end with it.
    @discardableResult
    func run() -> Bool {
        enableKeys()
        runner.begin()
        while !runner.isDone {
            paint()
            wait()
            for message in mailbox.takeAll() {
                if case .signal(let signal) = message { handle(signal) }
                runner.handle(message)
            }
        }
        // The terminal first: a second signal during the fade ends the process at once.
        display.clear()
        terminal.restore()
        runner.close()
        return isAbandoned || display.isClosed
    }

    private func paint() {
        if keys == .waiting { enableKeys() }
        guard display.isLive, terminal.ownsScreen, let content = runner.liveContent(hasKeys: keys == .reading) else {
            return
        }
        display.update(content)
    }

    private func wait() {
        var sources = [
            pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
            // Requests nothing, but reports at once that the reader is gone, before the next write.
            pollfd(fd: watchesReader ? terminal.output : -1, events: 0, revents: 0),
        ]
        if keys == .reading { sources.append(pollfd(fd: terminal.input, events: Int16(POLLIN), revents: 0)) }
        let ready = poll(&sources, nfds_t(sources.count), timeoutMilliseconds)
        if let due = runner.wakeSeconds, runner.log.stopwatch.seconds >= due { runner.wake() }
        if ready == 0, let key = decoder.flush() { runner.handle(.key(key)) }
        guard ready > 0 else { return }
        if sources[1].revents & Int16(POLLERR | POLLHUP) != 0 { loseReader() }
        guard keys == .reading, sources[2].revents != 0 else { return }
        guard let bytes = terminal.readBytes() else {
            keys = .none
            return
        }
        for key in decoder.decode(bytes) { runner.handle(.key(key)) }
    }

    private func loseReader() {
        if outlivesReader, isatty(terminal.output) == 0 {
            watchesReader = false
        } else {
            isAbandoned = true
            runner.handle(.signal(.leave))
        }
    }

    private var timeoutMilliseconds: Int32 {
        guard let due = runner.wakeSeconds else { return inputMilliseconds }
        let left = Int32(min(max(0, due - runner.log.stopwatch.seconds) * 1000, 1_000_000).rounded(.up))
        return inputMilliseconds < 0 ? left : min(inputMilliseconds, left)
    }

    private var inputMilliseconds: Int32 {
        // Longer than a terminal takes between the bytes of one key, shorter than a person notices.
        if decoder.isPending { return 50 }
        if display.isLive && runner.isMoving { return 100 }
        return keys == .waiting ? 500 : -1
    }

    private func handle(_ signal: Signals.Event) {
        switch signal {
        case .leave, .resize: break
        case .stop:
            // A stopped process processes no cycle, and the server would wait for it: fall silent first.
            runner.hold()
            display.clear()
            terminal.restore()
            // The 5 ms fade, and the cycle in progress when it begins (2048 frames at 48 kHz take 43 ms).
            _ = poll(nil, 0, 60)
            Signals.stopProcess()
        case .continue:
            enableKeys()
            runner.release()
        }
    }

    private func enableKeys() {
        guard display.isLive, terminal.hasInput else { return }
        keys = terminal.enableKeys() ? .reading : .waiting
    }
}
