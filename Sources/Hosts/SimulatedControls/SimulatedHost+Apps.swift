package import HostSimulated
internal import Threading

/// The apps of one machine. Any thread.
extension SimulatedHost {
    /// Launches a further app on this machine; its session connects with `start`.
    package func anotherApp(named name: String) -> SimulatedHost {
        SimulatedHost(machine: machine, app: state.withLock { $0.launch(named: name) }, sampleRate: sampleRate)
    }

    /// The app dies as with kill -9: its streams and claims are gone, its peers hear `peerLeft`, and it hears nothing.
    ///
    /// What it calls from now on does nothing, or throws `connectionLost`. Once this has returned, none of its renderers
    /// is called. The host still drives the machine.
    package func kill() {
        let isAlive = state.withLock { state in
            defer { state[app].isKilled = true }
            return !state[app].isKilled
        }
        if isAlive { end(as: .killed) }
    }
}
