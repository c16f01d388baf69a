package import AudioModel
package import HostSimulated
internal import Threading

/// Faults that a test causes. Any thread.
extension SimulatedHost {
    package var isServerRunning: Bool { state.withLock { $0.serverIsUp } }

    /// The server dies: every stream is dead, every claim, peer and timer and every other program's stream is gone, and
    /// calls throw `connectionLost` until `restartServer`.
    ///
    /// `connectionLost` stands for all of that; no other event follows.
    package func crashServer() {
        change { state in
            guard state.serverIsUp else {
                state.object("script: the server crashes while it is down")
                return
            }
            state.serverIsUp = false
            state.note(.serverCrashed)
            state.dropClaims()
            for stream in state.foreignStreams { state.note(.foreignStreamStopped(stream.id)) }
            state.foreignStreams = []
            state.callID = nil
            for key in state.streamOrder where state.streams[key]?.failure == nil { state.fail(key, .connectionLost) }
            for app in state.connectedApps {
                state[app].clearTimers()
                state.emit(.connectionLost(""), to: app)
            }
        }
    }

    /// The server is back and reports its ports, with an empty claim registry; streams from before the crash stay dead.
    package func restartServer() {
        change { state in
            guard !state.serverIsUp else {
                state.object("script: the server returns while it runs")
                return
            }
            state.serverIsUp = true
            state.note(.serverRestarted)
            // The session learns only now what left during the outage.
            for uid in state.departures.keys { state.departures[uid] = state.frame }
            for app in state.connectedApps {
                state.emit(.connectionRestored, to: app)
                state.emit(.inventoryChanged(state.hardware.inventory), to: app)
            }
        }
    }

    /// The server runs no cycle for this time; nothing of it is made up for.
    package func stall(seconds: Double) {
        state.withLock { state in
            guard let frames = state.frames(seconds, "the machine stalls for \(seconds) s") else { return }
            state.stalledUntil = max(state.stalledUntil, state.frame + frames)
        }
    }

    /// An activation or a deactivation that an app asks for from now on takes so long, of all apps; 0, as at first, is at
    /// once.
    ///
    /// Who calls it moves time for its own calls that wait; see `Turns.passTime`.
    package func setActivation(seconds: Double) {
        state.withLock { state in
            guard let frames = state.frames(seconds, "an activation takes \(seconds) s") else { return }
            (state.activationFrames, state.turns.driver) = (frames, .current)
        }
    }

    /// Has `pass` move time, by a piece at each call, where the task that moves it waits for a slow server.
    package func setTimePasser(_ pass: @escaping @Sendable (_ isOver: () -> Bool, _ afterEvents: () -> Void) -> Void) {
        state.withLock { $0.turns.passer = pass }
    }

    /// From now on this app's events are delivered with these faults.
    package func setDelivery(_ change: (inout DeliveryFaults) -> Void) {
        state.withLock { state in
            var faults = state[app].detour as? DeliveryFaults ?? DeliveryFaults()
            change(&faults)
            state[app].detour = faults
        }
    }

    // MARK: This app's streams

    private var liveStreams: [StreamID] { state.withLock { liveKeys($0).map(\.id) } }

    /// As `holdStream` and `releaseStream`, for each stream of the app.
    package func holdStreams(_ areHeld: Bool) {
        for id in liveStreams { if areHeld { holdStream(id) } else { releaseStream(id) } }
    }

    /// As `cutLinks`, for each stream of the app that has links.
    package func cutAllLinks() {
        let linked = state.withLock { state in liveKeys(state).filter { state.streams[$0]?.isGateOpen == true } }
        for key in linked { cutLinks(of: key.id) }
    }

    private func liveKeys(_ state: MachineState) -> [StreamKey] {
        state.streams(of: app).filter { state.streams[$0]?.failure == nil }
    }

    /// As `failStream`, for each stream of the app.
    package func failStreams(with error: HostError) { for id in liveStreams { failStream(id, with: error) } }

    /// Another program's policy removes the stream's links, although the ports stay: the gate closes, and the loss of the
    /// first port that was linked comes with the same inventory as before.
    package func cutLinks(of id: StreamID) {
        let key = StreamKey(app: app, id: id)
        change { state in
            guard let first = state.streams[key]?.links.first else {
                state.object("script: the links of stream \(id.number) were cut, but it has none")
                return
            }
            state.note(.linksCut(id), of: app)
            state.closeGate(key)
            let loss = PortLoss(id, portUID: first)
            state.emit(.inventoryChanged(state.hardware.inventory, losses: [loss]), to: app)
        }
    }

    /// Something outside of the app stops the stream, as a session manager's role policy does: the gate closes, and each
    /// `link` until `releaseStream` is undone at once; every time `streamHeld` says so.
    package func holdStream(_ id: StreamID) {
        let key = StreamKey(app: app, id: id)
        change { state in
            guard let stream = state.streams[key], stream.failure == nil, !stream.isHeld else {
                state.object("script: stream \(id.number) was held, but it is not alive, or held already")
                return
            }
            state.note(.streamHeld(id), of: app)
            state.streams[key]?.isHeld = true
            state.closeGate(key)
            state.emit(.streamHeld(id), to: app)
        }
    }

    /// The hold ends; the stream's gate stays closed until the session links it.
    package func releaseStream(_ id: StreamID) {
        let key = StreamKey(app: app, id: id)
        change { state in
            guard state.streams[key]?.isHeld == true else {
                state.object("script: stream \(id.number) was released, but nothing holds it")
                return
            }
            state.note(.streamReleased(id), of: app)
            state.streams[key]?.isHeld = false
            state.emit(.streamReleased(id), to: app)
        }
    }

    /// One stream fails for good, as when its node is destroyed by an administrator.
    package func failStream(_ id: StreamID, with error: HostError) {
        let key = StreamKey(app: app, id: id)
        change { state in
            guard let stream = state.streams[key], stream.failure == nil else {
                state.object("script: stream \(id.number) was made to fail, but it is not alive")
                return
            }
            state.fail(key, error)
            state.emit(.streamFailed(id, error), to: app)
        }
    }

    // MARK: This app's next call

    /// The next `claim` is answered with `claimRefused`.
    package func refuseNextClaim(with error: HostError) { state.withLock { $0[app].nextClaimError = error } }

    /// The next `link` to ports that exist throws; the stream's gate is then closed.
    package func failNextLink(with error: HostError) { state.withLock { $0[app].nextLinkError = error } }

    /// The next `openStream` throws.
    package func failNextOpen(with error: HostError) { state.withLock { $0[app].nextOpenError = error } }
}

extension MachineState {
    /// Forgets all claims: they end with the server, without events.
    fileprivate mutating func dropClaims() {
        for entry in registry.entries { self[entry.app].voidClaims.insert(entry.id) }
        registry = ClaimRegistry()
    }

    /// Takes the stream out of every later cycle.
    fileprivate mutating func fail(_ key: StreamKey, _ error: HostError) {
        closeGate(key)
        streams[key]?.isRunning = false
        streams[key]?.isHeld = false
        streams[key]?.failure = error
        note(.streamFailed(key.id), of: key.app)
    }
}

/// How the events of an app are delivered other than they should be; answers to its claims are not.
package struct DeliveryFaults: EventDetour, Hashable {
    /// In virtual time.
    package var delaySeconds = 0.0
    package var isTwice = false
    /// Those of one instant come with the newest first, when the machine advances.
    package var isReversed = false

    package func take(_ event: HostEvent, to app: AppID, in machine: inout MachineState) {
        switch event {
        // The app waits for it while time stands still.
        case .claimGranted, .claimRefused: deliver(event, to: app, in: &machine)
        case _ where isReversed: hold(event, to: app, in: &machine)
        case _ where delaySeconds > 0:
            let late = machine.frame + max(1, Int((delaySeconds * Double(machine.rate)).rounded()))
            machine.add(
                ScheduledStep(frame: late, app: app) { host in host.change { deliver(event, to: host.app, in: &$0) } })
        default: deliver(event, to: app, in: &machine)
        }
    }

    private func hold(_ event: HostEvent, to app: AppID, in machine: inout MachineState) {
        machine[app].heldEvents.append(event)
        guard machine[app].heldEvents.count == 1 else { return }
        machine.add(
            ScheduledStep(frame: machine.frame, app: app) { host in
                host.change { machine in
                    let events = machine[host.app].heldEvents
                    machine[host.app].heldEvents = []
                    // The newest first.
                    for event in events.reversed() { deliver(event, to: host.app, in: &machine) }
                }
            })
    }

    private func deliver(_ event: HostEvent, to app: AppID, in machine: inout MachineState) {
        machine.enqueue(event, to: app)
        if isTwice { machine.enqueue(event, to: app) }
    }
}
