import Foundation

/// What happened, in order; any thread.
package final class History<Entry: Sendable>: @unchecked Sendable {
    package struct TimedOut: Error, CustomStringConvertible {
        package var description: String
    }

    // @unchecked: `stored` is touched only while `condition` is locked.
    private let condition = NSCondition()
    private var stored: [Entry] = []

    package init() {}

    package var entries: [Entry] { condition.withLock { stored } }
    package var count: Int { condition.withLock { stored.count } }

    package func append(_ entry: Entry) {
        condition.withLock {
            stored.append(entry)
            condition.broadcast()
        }
    }

    /// Waits until the entries from number `start` on satisfy the condition; blocks the calling thread.
    ///
    /// It fails after 20 s, which is far above what a loaded machine needs.
    ///
    /// - Returns: these entries.
    @discardableResult
    package func wait(
        for what: String, from start: Int = 0, _ isThere: ([Entry]) -> Bool
    ) throws -> [Entry] {
        let deadline = Date(timeIntervalSinceNow: 20)
        condition.lock()
        defer { condition.unlock() }
        while !isThere(Array(stored.dropFirst(start))) {
            guard condition.wait(until: deadline) else {
                throw TimedOut(description: "waited 20 s for \(what); so far: \(stored)")
            }
        }
        return Array(stored.dropFirst(start))
    }
}
