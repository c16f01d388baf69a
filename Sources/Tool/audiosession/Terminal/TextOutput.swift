import Glibc

/// A destination of lines.
///
/// The command thread.
protocol TextOutput: AnyObject {
    /// The reader is gone; what is written now is lost.
    var isClosed: Bool { get }
    func write(_ text: String)
    /// Where it is a terminal, its width.
    var columns: Int? { get }
}

extension TextOutput {
    var columns: Int? { nil }

    func writeLine(_ line: String) { write(line + "\n") }

    /// A line that a terminal breaks at words.
    func writeMessage(_ line: String) {
        guard let columns else { return writeLine(line) }
        for part in WordWrap.lines(line, columns: max(1, columns - 1)) { writeLine(part) }
    }
}

/// Writes to a file descriptor without a buffer.
///
/// Requires that SIGPIPE is ignored, so that a closed pipe (`| head`) is an error here and does not end the process.
final class DescriptorOutput: TextOutput {
    private let descriptor: Int32
    /// A program that has more to do than to write goes on without a reader.
    private let outlivesReader: Bool
    private(set) var isClosed = false
    private var hasNoReader = false
    /// The error of `write`, unless the reader only closed its end.
    private var failure: BackendError?

    /// - Parameter outlivesReader: what is written to a pipe that its reader has closed, or to an output that was closed before
    ///   the program began, is dropped, and `isClosed` stays false.
    init(_ descriptor: Int32, outlivesReader: Bool = false) {
        self.descriptor = descriptor
        self.outlivesReader = outlivesReader
    }

    var columns: Int? { isatty(descriptor) == 1 ? Terminal(output: descriptor).size.columns : nil }

    /// Writes lines to the standard output.
    ///
    /// - Throws: as `finish`.
    static func print(_ lines: [String]) throws(BackendError) {
        signal(SIGPIPE, SIG_IGN)
        let output = DescriptorOutput(STDOUT_FILENO)
        for line in lines { output.writeLine(line) }
        try output.finish()
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count, !isClosed, !hasNoReader {
            let count = bytes[sent...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                // A process that shares the descriptor has made it non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno == EPIPE || errno == EBADF, outlivesReader {
                hasNoReader = true
            } else if errno != EINTR {
                isClosed = true
                // EPIPE and EIO mean that the reader closed its pipe or terminal.
                if errno != EPIPE && errno != EIO {
                    let words = String(cString: strerror(errno))
                    failure = BackendError(
                        .notWritable,
                        "could not write the output (\(words)); free some space or write to another place.")
                }
            }
        }
    }

    /// Call last.
    ///
    /// - Throws: `BackendError` if a write failed while the reader was there.
    func finish() throws(BackendError) {
        if let failure { throw failure }
    }
}
