internal import Threading

/// Players' items from slow servers and from servers that stall, in virtual time. Any thread.
extension SimulatedHost {
    package var itemsAreStalled: Bool { state.withLock { $0.frame < $0.itemsStalledUntil } }

    package func delayOpening(_ open: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.openingFrames > 0 else { return false }
            state.add(
                ScheduledStep(frame: state.frame + state.openingFrames, app: app) { host in
                    open()
                    // Time waits for it as for an event.
                    host.state.withLock { $0.deliveredCount += 1 }
                })
            return true
        }
    }
}
