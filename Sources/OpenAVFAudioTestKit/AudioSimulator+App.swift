internal import HostSimulated
public import OpenAVFAudio

extension AudioSimulator {
    /// One of several apps on a simulated machine, with a session of its own; ``AudioSimulator/launchApp(named:)`` makes
    /// it.
    ///
    ///     let navigator = try phone.launchApp(named: "Navigator")
    ///     try navigator.session.setCategory(.playback, options: .duckOthers)
    ///     try navigator.session.setActive(true)
    ///     navigator.kill()
    ///
    /// Thread: as ``AudioSimulator``.
    public final class App: Sendable {
        public let name: String
        public let session: AVAudioSession
        let host: SimulatedHost
        private weak let simulator: AudioSimulator?

        init(name: String, simulator: AudioSimulator) throws {
            self.name = name
            self.simulator = simulator
            host = simulator.host.anotherApp(named: name)
            session = AVAudioSession(process: try SessionRuntime(host: host))
        }

        /// Runs `body` as this app: `AVAudioSession.sharedInstance()` is its ``session`` meanwhile.
        ///
        ///     try await navigator.run { try await Voice().say("Turn left.") }
        public func run<Value>(
            isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
        ) async rethrows -> Value {
            try await AVAudioSession.$taskSession.withValue(session) { try await body() }
        }

        /// Runs `body` as this app: `AVAudioSession.sharedInstance()` is its ``session`` meanwhile.
        public func run<Value>(_ body: () throws -> Value) rethrows -> Value {
            try AVAudioSession.$taskSession.withValue(session) { try body() }
        }

        /// Ends the app as `kill -9` does: it is silent at once, says nothing to anybody, and hears nothing any more.
        ///
        /// The others learn that it is gone; those that it had interrupted are not advised to resume. Calls of its
        /// session throw `mediaServicesFailed` from now on. Idempotent.
        public func kill() {
            host.kill()
            session.process.shutdown()
            simulator?.forget(self)
            simulator?.settle()
        }
    }
}
