import Glibc

/// Waits for messages, signals and keys at once, and paints ten times a second while music plays.
///
/// The verb's thread.
final class MainLoop {
    private static let frameMilliseconds: Int32 = 100
    /// Longer than a terminal takes between the bytes of one key, shorter than a person notices.
    private static let escapeMilliseconds: Int32 = 50
    /// The 5 ms fade, and the cycle that is under way when it begins (2048 frames at 48 kHz take 43 ms).
    private static let fadeMilliseconds: Int32 = 60

    private let mailbox: Mailbox<PlayRunner.Input>
    private let runner: PlayRunner
    private let display: any Display
    private let terminal: Terminal
    private let wantsKeys: Bool

    private var decoder = KeyDecoder()
    private var hasKeys = false

    init(
        mailbox: Mailbox<PlayRunner.Input>, runner: PlayRunner, display: any Display, terminal: Terminal,
        wantsKeys: Bool
    ) {
        self.mailbox = mailbox
        self.runner = runner
        self.display = display
        self.terminal = terminal
        self.wantsKeys = wantsKeys
    }

    /// Runs until the runner is done.
    ///
    /// The terminal is as it was when this returns, and the sound has faded out.
    func run() {
        takeKeys()
        runner.begin()
        while !runner.isDone {
            paint()
            wait()
            for message in mailbox.takeAll() {
                if case .signal(let signal) = message { obey(signal) }
                runner.handle(message)
            }
        }
        // First the terminal, then the fade: whoever loses patience and interrupts again gets a sane terminal back.
        display.clear()
        terminal.restore()
        runner.close()
    }

    private func paint() {
        guard display.isMoving, terminal.ownsScreen else { return }
        runner.readLevels()
        guard var now = runner.nowPlaying else { return }
        now.hasKeys = hasKeys
        display.update(now)
    }

    private func wait() {
        var sources = [
            pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
            // Asks for nothing but learns that the reader has gone, long before there is something to write.
            pollfd(fd: terminal.output, events: 0, revents: 0),
        ]
        if hasKeys { sources.append(pollfd(fd: terminal.input, events: Int16(POLLIN), revents: 0)) }
        let ready = poll(&sources, nfds_t(sources.count), timeoutMilliseconds)
        if ready == 0, let key = decoder.flush() { runner.handle(.key(key)) }
        guard ready > 0 else { return }
        if sources[1].revents & Int16(POLLERR | POLLHUP) != 0 { runner.handle(.signal(.leave)) }
        guard hasKeys, sources[2].revents != 0 else { return }
        guard let bytes = terminal.readBytes() else {
            hasKeys = false
            return
        }
        for key in decoder.decode(bytes) { runner.handle(.key(key)) }
    }

    private var timeoutMilliseconds: Int32 {
        if decoder.isPending { return Self.escapeMilliseconds }
        return display.isMoving && runner.isMoving ? Self.frameMilliseconds : -1
    }

    private func obey(_ signal: Signals.Event) {
        switch signal {
        case .leave, .resize: break
        case .stop:
            // A stopped process answers no cycle, and the server would wait for it: go silent first.
            runner.hold()
            display.clear()
            terminal.restore()
            _ = poll(nil, 0, Self.fadeMilliseconds)
            Signals.stopProcess()
        case .continue:
            takeKeys()
            runner.release()
        }
    }

    private func takeKeys() {
        if wantsKeys { hasKeys = terminal.takeKeys() }
    }
}
