internal import HostSimulated
public import OpenAudioSession
internal import SessionRuntime
internal import SimulatedControls

extension AudioSimulator {
    /// One of several apps on a simulated machine, with its own session.
    ///
    /// Created by ``AudioSimulator/launchApp(named:)``.
    ///
    ///     let navigator = try phone.launchApp(named: "Navigator")
    ///     try navigator.session.setCategory(.playback, options: .duckOthers)
    ///     try navigator.session.setActive(true)
    ///     navigator.kill()
    ///
    /// Thread: the same as for ``AudioSimulator``.
    public final class App: Sendable {
        /// The name that other apps see.
        public let name: String
        /// The app's own session, independent of the simulator's.
        public let session: AVAudioSession
        let host: SimulatedHost
        private weak let simulator: AudioSimulator?

        init(name: String, simulator: AudioSimulator) throws {
            self.name = name
            self.simulator = simulator
            host = simulator.host.anotherApp(named: name)
            session = AVAudioSession(watched: try SessionRuntime(host: host))
        }

        /// Runs `body` as this app: within it, `AVAudioSession.sharedInstance()` is the app's ``session``.
        ///
        ///     try await navigator.run { try await Voice().say("Turn left.") }
        public func run<Value>(
            isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
        ) async rethrows -> Value {
            try await AVAudioSession.$taskSession.withValue(session) { try await body() }
        }

        /// Runs `body` as this app: within it, `AVAudioSession.sharedInstance()` is the app's ``session``.
        public func run<Value>(_ body: () throws -> Value) rethrows -> Value {
            try AVAudioSession.$taskSession.withValue(session) { try body() }
        }

        /// Ends the app like `kill -9`: it is silent at once, notifies no other app, and receives no more events.
        ///
        /// The other apps see that it has left. Apps that it interrupted do not get `shouldResume`. Later calls of its
        /// session throw `mediaServicesFailed`. Idempotent.
        public func kill() {
            host.kill()
            session.runtime.shutdown()
            simulator?.forget(self)
            simulator?.settle()
        }
    }
}

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
