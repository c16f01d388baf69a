import AudioRuntime
import Glibc

/// Messages from other threads to the command thread, which can wait for them and for keys at the same time.
///
/// Producers: the poster, main and signal threads. Consumer: the command thread. Unbounded: its producers report actions
/// of people.
final class Mailbox<Message: Sendable>: Sendable {
    private let queue = SerialQueue<Message>()
    /// Readable while messages wait.
    let descriptor: Int32
    private let writer: Int32

    /// - Throws: `BackendError` if the process has no free file descriptor.
    init() throws(BackendError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw BackendError(
                code: .program(.noDescriptors),
                message: "could not open a pipe (\(String(cString: strerror(errno)))); raise the limit with ulimit -n.")
        }
        (descriptor, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        _ = Glibc.close(descriptor)
        _ = Glibc.close(writer)
    }

    /// Any thread.
    func post(_ message: Message) {
        // One byte means "not empty": the consumer takes all messages at once.
        queue.put(message) { _ = write(writer, [1], 1) }
    }

    /// Whether such a message waits.
    ///
    /// Any thread.
    func contains(where isWanted: (Message) -> Bool) -> Bool { queue.contains(where: isWanted) }

    /// Everything posted so far, in order.
    func takeAll() -> [Message] {
        var bytes = [UInt8](repeating: 0, count: 16)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        return queue.takeAll()
    }
}
