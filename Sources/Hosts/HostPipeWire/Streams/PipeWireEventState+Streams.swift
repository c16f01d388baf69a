internal import AudioModel

/// The host's streams: what their trackers decide, and what the shim and the session receive.
extension PipeWireEventState {
    struct Stream {
        var handle: PipeWireStreamHandle
        var tracker = PipeWireStreamTracker()
        var isRunning = false
    }

    /// The data of a target that the shim needs to react to the target's loss.
    struct WatchedTarget: Hashable {
        var nodeID: UInt32
        var route: Route?

        struct Route: Hashable {
            var deviceID: UInt32
            var index: Int32
            /// Not a speaker; a speaker makes way for a device that is plugged in.
            var isPrivate: Bool
        }
    }

    mutating func add(_ id: StreamID, _ handle: PipeWireStreamHandle) { streams[id] = Stream(handle: handle) }

    mutating func forget(_ id: StreamID) {
        server.deadlines.set(.stream(id), at: nil)
        streams[id] = nil
        losses.removeAll { $0.stream == id }
        movedStreams.remove(id)
        targets.forget(id)
    }

    func targets(of id: StreamID) -> [PipeWireStreamTracker.Target] { streams[id]?.tracker.link.targets ?? [] }

    /// - Returns: the reason if the stream cannot be linked now; it is unlinked then.
    mutating func link(_ id: StreamID, to targets: [PipeWireStreamTracker.Target]) -> HostError? {
        guard let handle = streams[id]?.handle, !isLost else { return .connectionLost }
        guard let words = facts.rateRefusal else {
            beginLink(id, handle, to: targets)
            return nil
        }
        unlink(id)
        return .refused(words)
    }

    mutating func unlink(_ id: StreamID) {
        guard let handle = streams[id]?.handle else { return }
        commands.append(.unlink(handle))
        track(id) { $0.unlink() }
    }

    /// Unlinks the stream until a headset has the profile with these ports.
    mutating func awaitPorts(_ uids: [String], by id: StreamID) {
        guard let handle = streams[id]?.handle else { return }
        commands.append(.unlink(handle))
        let isRunning = streams[id]?.isRunning == true
        track(id) { $0.awaitPorts(uids, isRunning: isRunning) }
    }

    mutating func setRunning(_ isRunning: Bool, _ id: StreamID) {
        streams[id]?.isRunning = isRunning
        track(id) { isRunning ? $0.started() : $0.stopped() }
    }

    mutating func paused(_ id: StreamID) {
        if !managerStart.isUnderWay { track(id) { $0.paused() } }
    }

    mutating func named(_ id: StreamID, nodeID: UInt32) {
        streams[id]?.tracker.named(nodeID: nodeID)
        changeTargets { $0.named(id, nodeID: nodeID) }
        advanceLinks()
    }

    mutating func linkEnded(_ id: StreamID, _ end: PipeWireStreamTracker.LinkEnd) {
        let (facts, managerStarts) = (facts, managerStart.isUnderWay)
        track(id) { $0.linkEnded(end, in: facts, managerStarts: managerStarts) }
        server.changed()
    }

    /// - Parameter hasNode: false if the stream's node is gone too.
    mutating func failed(_ id: StreamID, _ message: String, hasNode: Bool = true) {
        if !hasNode { streams[id]?.tracker.lostNode() }
        track(id) { $0.failed() }
        outbox.append(.streamFailed(id, .refused(message)))
    }

    /// Records a port that was gone when the stream was to be linked: the next report lists it like any other loss.
    mutating func missed(_ uid: String, by stream: StreamID) { losses.append(PortLoss(stream, portUID: uid)) }

    /// Reports each choice by the user, even if the same output was chosen before.
    ///
    /// The app may have chosen another output in between, and the newest choice counts. If the user picks the target that the
    /// metadata already has, there is nothing to report: the server does not report unchanged values (PipeWire, impl-metadata.c:
    /// `impl_set_property`). To be told, we would have to remove the user's target when the app chooses. But the session manager keeps
    /// that entry: WirePlumber 0.4 uses it to remember the program's output, a sandbox may not write there, and a late removal would
    /// remove a newer choice.
    mutating func changeTargets(_ change: (inout PipeWireStreamTargets) -> PipeWireStreamTargets.Move?) {
        guard let move = change(&targets) else { return }
        let id = move.stream
        guard let target = move.target else {
            // Otherwise the session received no choice: the removal must not undo the user's choice for another stream.
            if movedStreams.remove(id) != nil { outbox.append(.outputChosenByUser(uid: nil)) }
            return
        }
        // A target that does not exist chooses nothing and removes nothing; neither does an input stream's target, an input.
        guard let port = facts.location(target: target)?.port, port.direction == .output else { return }
        movedStreams.insert(id)
        outbox.append(.outputChosenByUser(uid: port.uid))
    }

    mutating func track(
        _ id: StreamID, _ change: (inout PipeWireStreamTracker) -> [PipeWireStreamTracker.Action]
    ) {
        guard let actions = streams[id].map({ _ in change(&streams[id]!.tracker) }) else { return }
        apply(actions, to: id)
    }

    mutating func trackAll(
        _ change: (inout PipeWireStreamTracker, PipeWireInventory) -> [PipeWireStreamTracker.Action]
    ) {
        let facts = facts
        for id in streams.keys { track(id) { change(&$0, facts) } }
    }

    private mutating func apply(_ actions: [PipeWireStreamTracker.Action], to id: StreamID) {
        guard let handle = streams[id]?.handle else { return }
        for action in actions {
            switch action {
            case .tellLost(let uid):
                let loss = PortLoss(id, portUID: uid)
                losses.append(loss)
                outbox.append(.portLost(loss))
            case .tellHeld: outbox.append(.streamHeld(id))
            case .tellReleased: outbox.append(.streamReleased(id))
            case .closeGate: commands.append(.closeGate(handle))
            case .openGate: commands.append(.openGate(handle))
            case .loseRoute(let target):
                commands.append(.unlink(handle))
                track(id) { $0.lost(target: target) }
            case .followRoute: watch(id, handle)
            case .startOver:
                watch(id, handle)
                server.changed()
            case .setRoute(let device, let cardDevice, let route):
                commands.append(.setRoute(id, deviceID: device, cardDevice: cardDevice, routeIndex: route))
            case .makeNode(let channels): commands.append(.makeNode(id, handle, channels: channels))
            case .addLink(let target, let ours, let theirs):
                commands.append(.addLink(id, handle, target: target, ourPort: ours, theirPort: theirs))
            case .giveUp(let words): abandon(id, words)
            case .destroyLink(let linkID): commands.append(.destroyLink(id: linkID))
            case .startTimer(let milliseconds):
                server.deadlines.set(.stream(id), at: now.advanced(byMilliseconds: milliseconds))
            case .stopTimer: server.deadlines.set(.stream(id), at: nil)
            case .abortLink:
                guard clients.hasManager else {
                    commands.append(.unlink(handle))
                    track(id) { $0.lacksManager() }
                    break
                }
                let seconds = PipeWireStreamTracker.linkMilliseconds / 1000
                let awaited = streams[id]?.tracker.awaited ?? ""
                abandon(id, "timed out after \(seconds) s waiting for \(awaited)")
            case .giveUpProfile:
                let seconds = PipeWireStreamTracker.profileMilliseconds / 1000
                failed(id, "timed out after \(seconds) s waiting for the headset to change its profile")
            }
        }
    }

    /// Gives up a link that the shim could not make, or that cannot be made.
    mutating func abandon(_ id: StreamID, _ words: String, hasNode: Bool = true) {
        guard let stream = streams[id] else { return }
        commands.append(.unlink(stream.handle))
        failed(id, words, hasNode: hasNode)
    }

    private mutating func watch(_ id: StreamID, _ handle: PipeWireStreamHandle) {
        let targets = streams[id]?.tracker.link.targets ?? []
        commands.append(.watch(handle, targets.map(facts.watched)))
    }

    /// Advances all links that are being made.
    ///
    /// Loop thread: a failure becomes an event.
    mutating func advanceLinks() {
        guard streams.values.contains(where: { $0.tracker.link.making != nil }) else { return }
        let isSettled = progress != .waiting && !server.isSyncing
        trackAll { $0.advance(in: $1, isSettled: isSettled) }
    }

    mutating func linkAwaitingStreams() {
        for (id, stream) in streams {
            guard case .awaiting(let uids) = stream.tracker.link else { continue }
            let direction = uids.first.flatMap { facts.location(uid: $0)?.port.direction }
            let targets = uids.compactMap { uid in direction.flatMap { facts.target(uid: uid, $0) } }
            guard targets.count == uids.count else { continue }
            beginLink(id, stream.handle, to: targets)
        }
    }

    /// Unlinks the stream from the old device first, and then links it to the new one: the server keeps this order.
    private mutating func beginLink(
        _ id: StreamID, _ handle: PipeWireStreamHandle, to targets: [PipeWireStreamTracker.Target]
    ) {
        commands.append(.unlink(handle))
        track(id) { $0.beginLink(to: targets) }
        guard targets.allSatisfy(facts.offers) else { return track(id) { $0.lost(target: 0) } }
        watch(id, handle)
        server.deadlines.set(.links, at: now)
    }

    // MARK: Profiles of Bluetooth cards

    /// Switches all cards back to their former profiles before the program ends.
    ///
    /// - Returns: whether the server has yet to read that; `endRelease` follows then.
    mutating func restoreProfiles() -> Bool {
        apply(profiles.end(in: facts))
        guard !facts.switchedCards.isEmpty, !isLost else { return false }
        server.askForRequests()
        expectReading(of: .profiles)
        return true
    }

    mutating func apply(_ actions: [PipeWireProfileSwitch.Action]) {
        for action in actions {
            switch action {
            case .request(let id, let profile):
                facts.apply(.profileRequested(deviceID: id, profile))
                commands.append(.setProfile(deviceID: id, profile))
            case .endRequest(let id):
                facts.apply(.profileRequestExpired(deviceID: id))
                server.changed()
            case .vacate(let id): vacate(id)
            case .startTimer(let id, let milliseconds):
                server.deadlines.set(.profile(deviceID: id), at: now.advanced(byMilliseconds: milliseconds))
            case .stopTimer(let id): server.deadlines.set(.profile(deviceID: id), at: nil)
            }
        }
    }

    private mutating func vacate(_ cardID: UInt32) {
        for (id, stream) in streams {
            let targets = stream.tracker.link.targets
            guard targets.contains(where: { facts.nodes[$0.nodeID]?.deviceID == cardID }) else { continue }
            commands.append(.unlink(stream.handle))
            track(id) { $0.awaitPorts(targets.map(\.uid), isRunning: false) }
        }
    }

    /// Handles links by other programs between our output stream and a sink, or between a source and our input stream.
    ///
    /// Other links of our output stream come from a recorder and not from a policy; other links of our input stream do not count
    /// either.
    mutating func linkedByOthers(_ linkID: UInt32, from output: UInt32, to input: UInt32) {
        for (id, stream) in streams {
            guard let ours = stream.tracker.node.id else { continue }
            let isOutput = ours == output && facts.nodes[input]?.direction == .output
            let isInput = ours == input && facts.nodes[output]?.direction == .input
            if isOutput || isInput { track(id) { $0.linkedByOthers(linkID: linkID) } }
        }
    }

    mutating func endStreamsAtUnusableRate() {
        guard let words = facts.rateRefusal else { return }
        for (id, stream) in streams where !stream.tracker.link.targets.isEmpty {
            commands.append(.breakNode(stream.handle))
            failed(id, words, hasNode: false)
        }
    }

    mutating func timedOut(_ id: StreamID) {
        // On a busy machine, a starting session manager takes a long time to create ports.
        if managerStart.isUnderWay, let stream = streams[id], case .linking(let targets, _) = stream.tracker.link {
            beginLink(id, stream.handle, to: targets)
        } else {
            track(id) { $0.timedOut() }
        }
    }

    // MARK: A session manager that starts

    mutating func noteManager() {
        guard managerStart.noted(isThere: clients.hasManager, at: now) else { return }
        if clients.hasManager { trackAll { tracker, _ in tracker.managerStarts() } }
        server.deadlines.set(.managerStart, at: managerStart.nextLook)
    }

    /// The streams that run, are linked and are not held.
    var linkedStreams: [StreamID: PipeWireStreamHandle] {
        streams.filter { $1.isRunning && $1.tracker.standingTargets != nil }.mapValues(\.handle)
    }

    /// Links streams again that make no progress because of a session manager's start.
    ///
    /// A stream that still makes none at the end of the start was paused by a policy.
    ///
    /// - Parameter progress: the progress of the streams that run and are linked.
    mutating func linkStandingStreams(_ progress: [StreamID: PipeWireManagerStart.Progress]) {
        for id in managerStart.look(progress, at: now) {
            guard let stream = streams[id], let targets = stream.tracker.standingTargets else { continue }
            guard managerStart.isUnderWay else {
                track(id) { $0.paused() }
                continue
            }
            // New links to the old node do not always help.
            commands.append(.breakNode(stream.handle))
            streams[id]?.tracker.lostNode()
            beginLink(id, stream.handle, to: targets)
        }
        server.deadlines.set(.managerStart, at: managerStart.nextLook)
    }
}

extension PipeWireInventory {
    /// Whether the target exists and can be switched to its route.
    fileprivate func offers(_ target: PipeWireStreamTracker.Target) -> Bool {
        // Ids are reused, serials are not: without the serial, the music could go to any sink that has appeared meanwhile.
        guard let node = nodes[target.nodeID], node.serial == target.serial else { return false }
        guard let index = target.routeIndex else { return true }
        guard let device = node.deviceID.flatMap({ devices[$0] }) else { return false }
        return device.routes(of: node).contains { $0.index == index && $0.isAvailable }
    }

    fileprivate func watched(_ target: PipeWireStreamTracker.Target) -> PipeWireEventState.WatchedTarget {
        let device = nodes[target.nodeID]?.deviceID.flatMap { devices[$0] }
        let route = target.routeIndex.flatMap { index in device?.routes?.first { $0.index == index } }
        return PipeWireEventState.WatchedTarget(
            nodeID: target.nodeID,
            route: device.flatMap { device in
                route.map { .init(deviceID: device.id, index: $0.index, isPrivate: !$0.isSpeaker) }
            })
    }
}
