import AudioModel
import HostInterface
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

    /// Takes all that the app has from the machine; no event is delivered to it once this has returned.
    func end(as fact: TimelineFact) {
        let ended = change { state in
            if fact == .disconnected { state.checkCaller(of: "shutdown", by: app) }
            state.dropEvents(for: app)
            let keys = state.streams(of: app)
            let streams = keys.compactMap { state.close($0) }
            let deliver = state.endSession(of: app)
            state.withdrawAll(of: app)
            state.stopAwaitingSleep(of: app)
            if deliver != nil || fact == .killed { state.note(fact, of: app) }
            return Ended(deliver: deliver, keys: keys, streams: streams)
        }
        for key in ended.keys { waitForRenderer(of: key) }
        let thread = ThreadID.current
        state.wait { state in
            state.deliverer.map { $0.app == app && $0.thread != thread } ?? false
        }
        // Released after the lock: a deinitialiser of what the closures hold may call the host.
        withExtendedLifetime(ended) {}
    }

    private struct Ended: Sendable {
        let deliver: (@Sendable (HostEvent) -> Void)?
        let keys: [StreamKey]
        let streams: [StreamState]
    }
}

extension MachineState {
    mutating func launch(named name: String) -> AppID {
        apps.append(AppState(name: name))
        return AppID(index: apps.count - 1)
    }
}
