import AudioModel
internal import Threading

/// The apps of one machine. Any thread.
extension SimulatedHost {
    /// Takes all that the app has from the machine; no event is delivered to it once this has returned.
    package func end(as fact: TimelineFact) {
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
    package mutating func launch(named name: String) -> AppID {
        apps.append(AppState(name: name))
        return AppID(index: apps.count - 1)
    }
}
