import Synchronization

/// What happened, in order; any thread.
package final class History<Entry: Sendable>: Sendable {
    private let stored = Mutex<[Entry]>([])

    package init() {}

    package var entries: [Entry] { stored.withLock { $0 } }
    package func append(_ entry: Entry) { stored.withLock { $0.append(entry) } }
}
