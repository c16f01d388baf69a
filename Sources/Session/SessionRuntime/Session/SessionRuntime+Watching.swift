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
        asynchronously { context in
            context.watchers[id] = nil
            context.lossObservers[id] = nil
        }
    }

    /// Hears of each loss of an output of the route.
    ///
    /// Called on the session thread, before anything is linked to another output; must not wait.
    package typealias LossObserver = @Sendable () -> Void

    /// For who wants to play and has no open stream, which the session would pause: gives up what it wants (decision 60).
    ///
    /// Any thread; does not wait. A loss from now on is told, also one that comes before the session gets to this.
    package func observeOutputLosses(_ observer: @escaping LossObserver) -> WatchID {
        let id = WatchID(number: nextID())
        let known = state.outputLosses
        asynchronously { context in
            context.lossObservers[id] = observer
            if context.machine.state.outputLosses != known { observer() }
        }
        return id
    }
}
