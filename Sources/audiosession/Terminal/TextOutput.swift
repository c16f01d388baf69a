import Glibc

/// Where lines go.
///
/// The verb's thread.
protocol TextOutput: AnyObject {
    /// The reader has gone away; what is written now is lost.
    var isClosed: Bool { get }
    func write(_ text: String)
}

extension TextOutput {
    func writeLine(_ line: String) { write(line + "\n") }
}

/// Writes to a file descriptor at once: nothing is held back in a buffer.
///
/// Rests on SIGPIPE being ignored, so that a closed pipe (`| head`) is a fact to read here and not the end of the process.
final class DescriptorOutput: TextOutput {
    private let descriptor: Int32
    private(set) var isClosed = false
    /// What `write` ran into, unless the reader just went away.
    private var failure: StudioError?

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count, !isClosed {
            let count = bytes[sent...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                // The descriptor was made non-blocking by whoever shares it with us.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                isClosed = true
                // A closed pipe and a hung-up terminal are how readers leave.
                if errno != EPIPE && errno != EIO {
                    let words = String(cString: strerror(errno))
                    failure = StudioError(
                        code: "notWritable",
                        message: "the output could not be written (\(words)); make room, or write elsewhere.")
                }
            }
        }
    }

    /// Call last.
    ///
    /// - Throws: `StudioError` when something could not be written though someone was there to read it.
    func finish() throws(StudioError) {
        if let failure { throw failure }
    }
}
