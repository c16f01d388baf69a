import AudioModel
import HostInterface
internal import Threading

/// One stream of a simulated machine, as its session controls it; the machine has the stream's state.
///
/// Session thread.
final class SimulatedStream: HostStream {
    private let key: StreamKey
    private let host: SimulatedHost

    var id: StreamID { key.id }

    init(key: StreamKey, host: SimulatedHost) {
        self.key = key
        self.host = host
    }

    /// The session released it.
    deinit { close(isDropped: true) }

    func link(to portUIDs: [String]) throws(HostError) {
        try host.change { [key] state throws(HostError) in
            state.checkCaller(of: "link", by: key.app)
            if state[key.app].isKilled { throw .connectionLost }
            guard let stream = state.streams[key] else {
                state.object("link was called on stream \(key.number), which is closed; open a new one", to: key.app)
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
                state.emit(.streamHeld(key.id), to: key.app)
                return
            }
            let before = state.hardware
            for uid in portUIDs { state.hardware.activate(portUID: uid) }
            state.streams[key]?.links = portUIDs
            state.streams[key]?.channelCount = portUIDs.reduce(0) {
                $0 + (state.hardware.port(uid: $1)?.channels.count ?? 0)
            }
            state.streams[key]?.generation += 1
            state.note(.streamLinked(key.id, portUIDs), of: key.app)
            state.applyHardwareChange(since: before)
        }
    }

    func unlink() {
        host.change { [key] state in
            state.checkCaller(of: "unlink", by: key.app)
            state.closeGate(key)
        }
    }

    func start() {
        host.change { [key] state in
            state.checkCaller(of: "start of a stream", by: key.app)
            if state[key.app].isKilled { return }
            guard let stream = state.streams[key] else {
                state.object("start was called on stream \(key.number), which is closed; open a new one", to: key.app)
                return
            }
            guard stream.failure == nil, !stream.isRunning else { return }
            state.streams[key]?.isRunning = true
            state.streams[key]?.generation += 1
            state.note(.streamStarted(key.id), of: key.app)
        }
    }

    func stop() {
        host.change { [key] state in
            state.checkCaller(of: "stop", by: key.app)
            guard state.streams[key]?.isRunning == true else { return }
            state.streams[key]?.isRunning = false
            state.note(.streamStopped(key.id), of: key.app)
        }
        host.waitForRenderer(of: key)
    }

    func close() { close(isDropped: false) }

    private func close(isDropped: Bool) {
        let closed = host.change { [key] state -> StreamState? in
            if !isDropped { state.checkCaller(of: "close", by: key.app) }
            if isDropped, let stream = state.streams[key], stream.failure == nil {
                state.object(
                    "stream \(key.number) was dropped without close; its renderer may be called after its death",
                    to: key.app)
            }
            return state.close(key)
        }
        host.waitForRenderer(of: key)
        withExtendedLifetime(closed) {}
    }

    var latencyFrames: Int {
        host.state.withLock { state in
            guard let stream = state.streams[key], stream.isGateOpen else { return 0 }
            return stream.clock.streamFrames(in: state.quantum)
        }
    }

    /// The script says how long a cycle is.
    func preferCycle(seconds: Double) {}
    var cycleSeconds: Double { Double(host.state.withLock { $0.quantum }) / host.sampleRate }
}

extension SimulatedHost {
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
