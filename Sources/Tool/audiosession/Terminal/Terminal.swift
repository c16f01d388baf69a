import Glibc
import Synchronization

/// A terminal's size in characters.
struct TerminalSize: Hashable, Sendable {
    var columns: Int
    var rows: Int
}

/// The controlling terminal: its size, and keys without waiting for Return.
///
/// `restore` may be called on any thread; everything else on the command thread.
final class Terminal: Sendable {
    let input: Int32
    let output: Int32
    /// The settings to restore; nil while the terminal is unchanged.
    private let saved = Mutex<termios?>(nil)

    init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
        self.input = input
        self.output = output
    }

    /// Whether live content can be painted: the output is a terminal that supports cursor movement.
    static func canPaint(_ environment: [String: String], output: Int32 = STDOUT_FILENO) -> Bool {
        guard isatty(output) == 1 else { return false }
        let name = environment["TERM"] ?? ""
        return !name.isEmpty && name != "dumb"
    }

    /// Keys can be read, now or later.
    var hasInput: Bool { isatty(input) == 1 }

    /// Whether keys can be read now: the kernel stops a background job that tries.
    var isForeground: Bool { hasInput && tcgetpgrp(input) == getpgrp() }

    /// Whether this process may paint: false while a shell or another job uses the screen.
    var ownsScreen: Bool { tcgetpgrp(output) == getpgrp() }

    /// 80 × 24 if the terminal does not report it.
    var size: TerminalSize {
        var window = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Delivers keys one by one without echo, and hides the cursor.
    ///
    /// Control-C and Control-Z stay signals. Idempotent.
    ///
    /// - Returns: false, with nothing changed, if keys cannot be read.
    func enableKeys() -> Bool {
        guard isForeground else { return false }
        return saved.withLock { saved in
            guard saved == nil else { return true }
            var settings = termios()
            guard tcgetattr(input, &settings) == 0 else { return false }
            let before = settings
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            withUnsafeMutableBytes(of: &settings.c_cc) { characters in
                characters[Int(VMIN)] = 1
                characters[Int(VTIME)] = 0
            }
            guard tcsetattr(input, TCSANOW, &settings) == 0 else { return false }
            saved = before
            Self.send("\u{1B}[?25l", to: output)
            return true
        }
    }

    /// Restores the terminal's settings.
    ///
    /// Idempotent; any thread.
    func restore() {
        saved.withLock { saved in
            guard var settings = saved else { return }
            saved = nil
            Self.send("\u{1B}[?25h", to: output)
            // In the background this call would stop the process again; the shell has set its own modes by then.
            guard tcgetpgrp(input) == getpgrp() else { return }
            _ = tcsetattr(input, TCSANOW, &settings)
        }
    }

    /// The bytes available to read; empty if there are none, nil if the terminal is gone.
    func readBytes() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(input, &buffer, buffer.count)
        if count > 0 { return Array(buffer[..<count]) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }

    private static func send(_ sequence: String, to descriptor: Int32) {
        let bytes = Array(sequence.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}
