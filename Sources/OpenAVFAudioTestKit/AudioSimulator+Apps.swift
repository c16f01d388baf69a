internal import HostSimulated

extension AudioSimulator {
    /// Starts another app on this machine.
    ///
    /// The simulator's own ``session`` belongs to the first app.
    ///
    /// The apps share the ports, the clock and the rules: the activation of one app may interrupt or duck another.
    ///
    ///     let call = try phone.launchApp(named: "Call")
    ///     try phone.session.setCategory(.playback)
    ///     try phone.session.setActive(true)
    ///     try call.session.setCategory(.playAndRecord, mode: .voiceChat)
    ///     try call.session.setActive(true)        // phone.session is interrupted
    ///     try call.session.setActive(false, options: .notifyOthersOnDeactivation)
    ///     phone.settle()                          // phone.session has received ended with shouldResume
    ///
    /// When ``settle()`` has returned, the effects of an app's calls have reached the other apps.
    ///
    /// - Parameter name: the name that other apps see.
    /// - Throws: an error while media services are down.
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
