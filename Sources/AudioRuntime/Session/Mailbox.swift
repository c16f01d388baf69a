import Foundation

/// The queue in front of the session thread: any thread puts, one thread drains, nothing is dropped.
final class Mailbox<Message: Sendable>: @unchecked Sendable {
    // @unchecked: `messages` and `isClosed` are touched only while `condition` is locked.
    private let condition = NSCondition()
    private var messages: [Message] = []
    private var isClosed = false

    /// False when the mailbox is closed; the message was not taken then.
    func put(_ message: Message) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return false }
        messages.append(message)
        condition.signal()
        return true
    }

    /// Waits for messages and takes all of them, oldest first; nil once the mailbox is closed and empty.
    func drain() -> [Message]? {
        condition.lock()
        defer { condition.unlock() }
        while messages.isEmpty {
            if isClosed { return nil }
            condition.wait()
        }
        defer { messages.removeAll(keepingCapacity: true) }
        return messages
    }

    /// What was put before is still taken.
    func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }
}
