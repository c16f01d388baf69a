import AudioModel
import HostInterface
internal import Threading

/// What `SimulatedStream` calls. Session thread.
extension SimulatedHost {
    func linkStream(_ key: StreamKey, to portUIDs: [String]) throws(HostError) {
        try change { state throws(HostError) in
            state.checkCaller(of: "link", by: app)
            if state[app].isKilled { throw .connectionLost }
            guard let stream = state.streams[key] else {
                state.object("link was called on stream \(key.number), which is closed; open a new one", to: app)
                throw .refused("stream \(key.number) is closed; open a new one")
            }
            if let failure = stream.failure { throw failure }
            // The links stay as they are until it is certain that the new ones can be made; then all change at once.
            do throws(HostError) {
                try state.checkLink(of: key, to: portUIDs)
            } catch {
                state.closeGate(key)
                throw error
            }
            if stream.isHeld {
                // What holds it takes the new links away as soon as they are there.
                state.emit(.streamHeld(key.id), to: app)
                return
            }
            let before = state.hardware
            for uid in portUIDs { state.hardware.activate(portUID: uid) }
            state.streams[key]?.links = portUIDs
            state.streams[key]?.channelCount = portUIDs.reduce(0) {
                $0 + (state.hardware.port(uid: $1)?.channels.count ?? 0)
            }
            state.streams[key]?.generation += 1
            state.note(.streamLinked(key.id, portUIDs), of: app)
            state.applyHardwareChange(since: before)
        }
    }

    func unlinkStream(_ key: StreamKey) {
        change { state in
            state.checkCaller(of: "unlink", by: app)
            state.closeGate(key)
        }
    }

    func startStream(_ key: StreamKey) {
        change { state in
            state.checkCaller(of: "start of a stream", by: app)
            if state[app].isKilled { return }
            guard let stream = state.streams[key] else {
                state.object("start was called on stream \(key.number), which is closed; open a new one", to: app)
                return
            }
            guard stream.failure == nil, !stream.isRunning else { return }
            state.streams[key]?.isRunning = true
            state.streams[key]?.generation += 1
            state.note(.streamStarted(key.id), of: app)
        }
    }

    func stopStream(_ key: StreamKey) {
        change { state in
            state.checkCaller(of: "stop", by: app)
            guard state.streams[key]?.isRunning == true else { return }
            state.streams[key]?.isRunning = false
            state.note(.streamStopped(key.id), of: app)
        }
        waitForRenderer(of: key)
    }

    func closeStream(_ key: StreamKey) {
        let closed = change { state in
            state.checkCaller(of: "close", by: app)
            return state.close(key)
        }
        waitForRenderer(of: key)
        withExtendedLifetime(closed) {}
    }

    /// The session released the stream's handle.
    func abandonStream(_ key: StreamKey) {
        let closed = change { state -> StreamState? in
            guard let stream = state.streams[key] else { return nil }
            if stream.failure == nil {
                state.object(
                    "stream \(key.number) was dropped without close; its renderer may be called after its death",
                    to: app)
            }
            return state.close(key)
        }
        waitForRenderer(of: key)
        withExtendedLifetime(closed) {}
    }

    func streamLatencyFrames(_ key: StreamKey) -> Int {
        state.withLock { state in
            guard let stream = state.streams[key], stream.isGateOpen else { return 0 }
            return stream.clock.streamFrames(in: state.quantum)
        }
    }

    /// Waits until a call of the renderer that runs on another thread has returned.
    func waitForRenderer(of key: StreamKey) {
        let thread = ThreadID.current
        state.wait { state in
            guard let renderer = state.renderer else { return false }
            return renderer.key == key && renderer.thread != thread
        }
    }
}

extension MachineState {
    fileprivate mutating func checkLink(of key: StreamKey, to portUIDs: [String]) throws(HostError) {
        if portUIDs.isEmpty || Set(portUIDs).count != portUIDs.count {
            object(
                "link of stream \(key.number) names \(portUIDs); allowed is a list of different ports, one at least",
                to: key.app)
            throw .refused("link names \(portUIDs); allowed is a list of different ports, one at least")
        }
        let direction = streams[key]?.configuration.direction ?? .output
        for uid in portUIDs where hardware.port(uid: uid, direction) == nil {
            // While time stands still, the session may not have received the event yet.
            if let departure = departures[uid] {
                if frame > departure {
                    object("link of stream \(key.number) names \(uid), which left at frame \(departure)", to: key.app)
                }
            } else {
                object(
                    "link of stream \(key.number) names \(uid), which never was an \(direction) of this machine",
                    to: key.app)
            }
            throw .noSuchPort(uid: uid)
        }
        if let error = self[key.app].nextLinkError {
            self[key.app].nextLinkError = nil
            throw error
        }
    }
}

/// One stream of a `SimulatedHost`, as its session controls it; the host has the stream's state.
final class SimulatedStream: HostStream {
    private let key: StreamKey
    private let host: SimulatedHost

    var id: StreamID { key.id }

    init(key: StreamKey, host: SimulatedHost) {
        self.key = key
        self.host = host
    }

    deinit { host.abandonStream(key) }

    func link(to portUIDs: [String]) throws(HostError) { try host.linkStream(key, to: portUIDs) }
    func unlink() { host.unlinkStream(key) }
    func start() { host.startStream(key) }
    func stop() { host.stopStream(key) }
    func close() { host.closeStream(key) }
    var latencyFrames: Int { host.streamLatencyFrames(key) }
    /// The script says how long a cycle is.
    func preferCycle(seconds: Double) {}
    var cycleSeconds: Double { Double(host.quantum) / host.sampleRate }
}
