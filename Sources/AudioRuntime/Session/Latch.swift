import Foundation

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
