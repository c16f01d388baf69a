import AudioModel
import Foundation
import SessionCore
import Synchronization

/// An event that happens once and can be waited for.
package final class Latch: @unchecked Sendable {
    // @unchecked: `isRaised` is touched only while `condition` is locked.
    private let condition = NSCondition()
    private var isRaised = false

    package init() {}

    package func raise() {
        condition.lock()
        isRaised = true
        condition.broadcast()
        condition.unlock()
    }

    func wait() {
        condition.lock()
        while !isRaised { condition.wait() }
        condition.unlock()
    }

    /// False when the time passed first.
    @discardableResult
    package func wait(timeoutSeconds: Double) -> Bool {
        let deadline = Date(timeIntervalSinceNow: timeoutSeconds)
        condition.lock()
        defer { condition.unlock() }
        while !isRaised {
            if !condition.wait(until: deadline) { return isRaised }
        }
        return true
    }
}

/// One call's place to wait for its answer.
final class Reply: Sendable {
    private let error = Mutex<SessionError?>(nil)
    private let answered = Latch()

    func answer(_ error: SessionError?) {
        self.error.withLock { $0 = error }
        answered.raise()
    }

    func wait() -> SessionError? {
        answered.wait()
        return error.withLock { $0 }
    }
}
