import AudioModel
import HostInterface

/// What `SimulatedStream` calls. Session thread.
extension SimulatedHost {
    func linkStream(_ id: StreamID, to portUIDs: [String]) throws(HostError) {
        try change { state throws(HostError) in
            state.checkCaller(of: "link")
            guard let stream = state.streams[id] else {
                state.object("link was called on stream \(id.number), which is closed; open a new one")
                throw .refused("stream \(id.number) is closed; open a new one")
            }
            if let failure = stream.failure { throw failure }
            // The links stay as they are until it is certain that the new ones can be made; then all change at once.
            do throws(HostError) {
                try state.checkLink(of: id, to: portUIDs)
            } catch {
                state.closeGate(id)
                throw error
            }
            let before = state.hardware
            for uid in portUIDs { state.hardware.activate(portUID: uid) }
            state.streams[id]?.links = portUIDs
            state.streams[id]?.channelCount = portUIDs.reduce(0) {
                $0 + (state.hardware.output(uid: $1)?.channels.count ?? 0)
            }
            state.streams[id]?.generation += 1
            state.note(.streamLinked(id, portUIDs))
            state.settle(since: before)
        }
    }

    func unlinkStream(_ id: StreamID) {
        change { state in
            state.checkCaller(of: "unlink")
            state.closeGate(id)
        }
    }

    func startStream(_ id: StreamID) {
        change { state in
            state.checkCaller(of: "start of a stream")
            guard let stream = state.streams[id] else {
                state.object("start was called on stream \(id.number), which is closed; open a new one")
                return
            }
            guard stream.failure == nil, !stream.isRunning else { return }
            state.streams[id]?.isRunning = true
            state.streams[id]?.generation += 1
            state.note(.streamStarted(id))
        }
    }

    func stopStream(_ id: StreamID) {
        change { state in
            state.checkCaller(of: "stop")
            guard state.streams[id]?.isRunning == true else { return }
            state.streams[id]?.isRunning = false
            state.note(.streamStopped(id))
        }
        waitForRenderer(of: id)
    }

    func closeStream(_ id: StreamID) {
        let closed = change { state in
            state.checkCaller(of: "close")
            return state.close(id)
        }
        waitForRenderer(of: id)
        withExtendedLifetime(closed) {}
    }

    /// The session let go of the stream's handle.
    func abandonStream(_ id: StreamID) {
        let closed = change { state -> StreamState? in
            guard let stream = state.streams[id] else { return nil }
            if stream.failure == nil {
                state.object(
                    "stream \(id.number) was dropped without close; its renderer may be called after its death")
            }
            return state.close(id)
        }
        waitForRenderer(of: id)
        withExtendedLifetime(closed) {}
    }

    func streamLatencyFrames(_ id: StreamID) -> Int {
        state.withLock { state in
            guard let stream = state.streams[id], stream.isGateOpen else { return 0 }
            return stream.clock.streamFrames(in: state.quantum)
        }
    }

    /// Waits until a call of the renderer that runs on another thread has returned.
    private func waitForRenderer(of id: StreamID) {
        let thread = ThreadID.current
        state.wait { state in
            guard let renderer = state.renderer else { return false }
            return renderer.id == id && renderer.thread != thread
        }
    }
}

extension MachineState {
    fileprivate mutating func checkLink(of id: StreamID, to portUIDs: [String]) throws(HostError) {
        if portUIDs.isEmpty || Set(portUIDs).count != portUIDs.count {
            object("link of stream \(id.number) names \(portUIDs); allowed is a list of different ports, one at least")
            throw .refused("link names \(portUIDs); allowed is a list of different ports, one at least")
        }
        for uid in portUIDs where hardware.output(uid: uid) == nil {
            // Until time moves, a session may not have read the news yet.
            if let departure = departures[uid] {
                if frame > departure {
                    object("link of stream \(id.number) names \(uid), which left at frame \(departure)")
                }
            } else {
                object("link of stream \(id.number) names \(uid), which never was an output of this machine")
            }
            throw .noSuchPort(uid: uid)
        }
        if let error = nextLinkError {
            nextLinkError = nil
            throw error
        }
    }
}
