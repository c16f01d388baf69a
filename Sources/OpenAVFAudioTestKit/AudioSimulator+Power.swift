internal import HostSimulated

extension AudioSimulator {
    // MARK: Media services

    /// The sound server dies: every app is silent, and its calls throw `mediaServicesFailed`.
    ///
    ///     phone.crashMediaServices()      // mediaServicesWereLost
    ///     phone.restartMediaServices()    // mediaServicesWereReset
    public func crashMediaServices() {
        host.crashServer()
        settle()
    }

    /// The sound server is back, and nothing starts by itself.
    public func restartMediaServices() {
        host.restartServer()
        settle()
    }

    // MARK: Sleep

    /// The machine goes to sleep, as a laptop whose lid is closed: the sessions are interrupted first.
    ///
    ///     phone.sleep()                   // interruption began
    ///     phone.advance(bySeconds: 3600)  // nothing sounds
    ///     phone.wakeUp()                  // route change, reason wakeFromSleep; interruption ended
    public func sleep() {
        host.sleep()
        settle()
    }

    /// Whether the machine sleeps: it does once every session has fallen silent.
    public var isAsleep: Bool { host.isAsleep }

    public func wakeUp() {
        host.wakeUp()
        settle()
    }
}
