internal import AudioModel
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

    /// Calls `body` once on the session thread, when so many seconds of the host's time have passed or soon after; not while
    /// the server is lost.
    ///
    /// Any thread; does not wait. `body` must not wait either.
    package func after(seconds: Double, _ body: @escaping @Sendable () -> Void) {
        asynchronously { [host] context in
            let time = host.now().advanced(bySeconds: seconds)
            context.alarms.append(Alarm(time: time, body: body))
            host.wake(at: time)
        }
    }

    struct Alarm {
        var time: HostTime
        var body: @Sendable () -> Void
    }

    /// - Returns: whether one was due.
    func callAlarms(_ fact: SessionFact, _ context: inout SessionThread) -> Bool {
        switch fact {
        case .host(.timeReached(let time)):
            let due = context.alarms.filter { $0.time <= time }
            context.alarms.removeAll { $0.time <= time }
            for alarm in due { alarm.body() }
            return !due.isEmpty
        case .host(.connectionRestored):
            // The lost connection has taken them with it.
            for alarm in context.alarms { host.wake(at: alarm.time) }
            return false
        default: return false
        }
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
