internal import HostSimulated

extension AudioSimulator {
    /// Starts a further app on this machine; the simulator's own ``session`` is that of the first.
    ///
    /// The apps share the ports, the clock and the rules: an activation of one may interrupt another or lower it.
    ///
    ///     let call = try phone.launchApp(named: "Call")
    ///     try phone.session.setCategory(.playback)
    ///     try phone.session.setActive(true)
    ///     try call.session.setCategory(.playAndRecord, mode: .voiceChat)
    ///     try call.session.setActive(true)        // phone.session is interrupted
    ///     try call.session.setActive(false, options: .notifyOthersOnDeactivation)
    ///     phone.settle()                          // and has been told that it may resume
    ///
    /// What an app does by calls to its session has reached the others once ``settle()`` has returned.
    ///
    /// - Parameter name: what the others' logs call it.
    /// - Throws: an error when media services are down.
    public func launchApp(named name: String) throws -> App {
        let app = try App(name: name, simulator: self)
        apps.withLock { $0.append(app) }
        settle()
        return app
    }

    func forget(_ app: App) {
        apps.withLock { $0.removeAll { $0 === app } }
    }
}
