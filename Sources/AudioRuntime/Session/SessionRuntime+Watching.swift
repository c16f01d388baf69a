package import SessionCore

extension SessionRuntime {
    /// Names one watcher.
    package struct WatchID: Hashable, Sendable { let number: UInt64 }

    /// Sees the state as it is, then after every event that may have changed it, and nil when the process is shut down.
    ///
    /// Called on the session thread; must not wait.
    package typealias Watcher = @Sendable (SessionState?) -> Void

    /// Any thread; does not wait.
    package func watch(_ watcher: @escaping Watcher) -> WatchID {
        let id = WatchID(number: nextID())
        let isTaken = mailbox.put(
            .work { context in
                watcher(context.machine.state)
                context.watchers[id] = watcher
            })
        if !isTaken { watcher(nil) }
        return id
    }

    /// Any thread; does not wait, so that one last call may still be under way.
    package func endWatch(_ id: WatchID) {
        asynchronously { context in context.watchers[id] = nil }
    }
}
