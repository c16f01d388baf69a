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

    /// Sets how long the sound server takes for an activation or a deactivation, in seconds of virtual time.
    ///
    /// Of the session of any app, also by a player or engine that starts. 0, as at first, is at once. A deactivation is carried
    /// out at the end of that time, an activation is answered then.
    ///
    /// Where the test itself calls `setActive` or `play()`, time passes until that returns, and so it does in an observer.
    /// Another thread waits until the test has advanced the time; one that the test waits for itself, after 60 s of real time, moves it.
    ///
    ///     phone.setActivation(seconds: 4)
    ///     queue.async { try? session.setActive(true) }
    ///     phone.advance(bySeconds: 2)
    ///     phone.receiveCall()             // in the middle of the activation
    ///     phone.advance(bySeconds: 3)
    ///
    /// - Parameter seconds: 0 or more.
    public func setActivation(seconds: Double) { host.setActivation(seconds: seconds) }

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
