internal import HostSimulated
internal import SimulatedControls

extension AudioSimulator {
    // MARK: Media services

    /// Ends the sound server: every app is silent, and its calls throw `mediaServicesFailed`.
    ///
    ///     phone.crashMediaServices()      // mediaServicesWereLost
    ///     phone.restartMediaServices()    // mediaServicesWereReset
    public func crashMediaServices() {
        host.crashServer()
        settle()
    }

    /// Starts the sound server again.
    ///
    /// Nothing plays until an app starts it.
    public func restartMediaServices() {
        host.restartServer()
        settle()
    }

    // MARK: Sleep

    /// Puts the machine to sleep, like a laptop whose lid is closed.
    ///
    /// The sessions are interrupted first.
    ///
    ///     phone.sleep()                   // interruption began
    ///     phone.advance(bySeconds: 3600)  // no sound
    ///     phone.wakeUp()                  // route change, reason wakeFromSleep; interruption ended
    public func sleep() {
        host.sleep()
        settle()
    }

    /// Whether the machine sleeps.
    ///
    /// It sleeps when every session is silent.
    public var isAsleep: Bool { host.isAsleep }

    /// Wakes the machine: a route change with the reason `wakeFromSleep`, then the end of the interruption.
    public func wakeUp() {
        host.wakeUp()
        settle()
    }
}
