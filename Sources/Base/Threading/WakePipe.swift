/// A descriptor that is readable while a wake-up waits, for a thread that waits in `poll`.
package final class WakePipe: Sendable {
    /// To be waited for with `POLLIN`.
    package let descriptor: Int32
    private let writer: Int32

    /// nil where the process has no free file descriptor, and `errno` says why.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (descriptor, writer) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit { for end in [descriptor, writer] { close(end) } }

    /// Any thread.
    package func wake() {
        // A pipe that is full means that it is awake already.
        _ = write(writer, [1], 1)
    }

    /// Ends the wake-ups so far.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func clear() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        var hasRead = false
        while read(descriptor, &bytes, bytes.count) > 0 { hasRead = true }
        return hasRead
    }
}
