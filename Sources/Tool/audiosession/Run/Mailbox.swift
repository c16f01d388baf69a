import Glibc
import Threading

/// Messages from other threads to the command thread, which can wait for them and for keys at the same time.
///
/// Producers: the poster, main and signal threads. Consumer: the command thread. Unbounded: its producers report actions
/// of people.
final class Mailbox<Message: Sendable>: Sendable {
    private let queue = SerialQueue<Message>()
    private let waker: WakePipe

    /// Readable while messages wait.
    var descriptor: Int32 { waker.descriptor }

    /// - Throws: `BackendError` if the process has no free file descriptor.
    init() throws(BackendError) {
        guard let waker = WakePipe() else {
            throw BackendError(
                .noDescriptors,
                "could not open a pipe (\(String(cString: strerror(errno)))); raise the limit with ulimit -n.")
        }
        self.waker = waker
    }

    /// Any thread.
    func post(_ message: Message) { queue.put(message, call: waker.wake) }

    /// Whether such a message waits.
    ///
    /// Any thread.
    func contains(where isWanted: (Message) -> Bool) -> Bool { queue.contains(where: isWanted) }

    /// Everything posted so far, in order.
    func takeAll() -> [Message] {
        waker.clear()
        return queue.takeAll()
    }
}
