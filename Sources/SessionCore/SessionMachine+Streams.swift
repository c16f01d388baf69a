internal import AudioModel

extension SessionMachine {
    mutating func openStream(_ id: StreamID, _ policy: StreamPolicy) -> [SessionEffect] {
        precondition(!state.streams.contains { $0.id == id }, "stream \(id.number) is open already; ids are used once")
        guard state.isConnected else { return [.failPlayer(id, .connectionLost)] }
        state.streams.append(StreamRecord(id: id, policy: policy))
        return moveStreams(at: nil)
    }

    mutating func changePolicy(of id: StreamID, to policy: StreamPolicy) -> [SessionEffect] {
        guard let index = state.streams.firstIndex(where: { $0.id == id }) else { return [] }
        precondition(
            policy.direction == state.streams[index].policy.direction,
            "stream \(id.number) cannot change its direction; open another one")
        state.streams[index].policy = policy
        return moveStreams(at: nil)
    }

    mutating func forgetStream(_ id: StreamID) -> [SessionEffect] {
        state.streams.removeAll { $0.id == id }
        return []
    }

    mutating func failStream(_ id: StreamID, _ error: SessionError) -> [SessionEffect] {
        guard state.streams.contains(where: { $0.id == id }) else { return [] }
        state.streams.removeAll { $0.id == id }
        return [.failPlayer(id, error)]
    }

    /// The host has taken a stream off its port.
    ///
    /// A stream that is to pause does so now. The next inventory decides where it goes: until then no stream is linked to
    /// that port.
    mutating func losePort(
        _ uid: String, of id: StreamID, _ cause: PortLoss, at time: HostTime
    ) -> [SessionEffect] {
        guard let index = state.streams.firstIndex(where: { $0.id == id }) else { return [] }
        // The host does not report the end of a hold that ends with the port.
        state.streams[index].isHeld = false
        guard let port = state.streams[index].ports.first(where: { $0.uid == uid }) else { return [] }
        switch cause {
        case .portRemoved, .routeUnavailable:
            state.losses.removedUIDs.insert(uid)
            state.losses.unconfirmedUIDs.remove(uid)
        case .unknown:
            guard !state.losses.removedUIDs.contains(uid) else { break }
            state.losses.unconfirmedUIDs.insert(uid)
            state.losses.unconfirmedTime = time
        }
        state.streams[index].ports = []
        // The machine's own speaker may only have made way for headphones (see `isReplacedByArrival`).
        let stream = state.streams[index]
        let isToPause = stream.isStoppedByLoss && (stream.policy.direction == .input || !port.isPartOfMachine)
        state.streams[index].pendingLoss = isToPause ? nil : port
        return isToPause ? [pauseForLoss(at: index, .oldDeviceUnavailable)] : []
    }

    /// The route change decides whether the loss also interrupts the session (`interruptForDisconnect`).
    private mutating func pauseForLoss(at index: Int, _ cause: PauseCause) -> SessionEffect {
        let stream = state.streams[index]
        if stream.isSounding, stream.followsSession, stream.policy.direction == .output {
            state.losses.pausedSound = true
        }
        return pausePlayer(at: index, cause)
    }

    /// Links the streams to the ports of the newest inventory when the one that follows a loss of unknown cause is overdue.
    ///
    /// Called when the app wants to sound: a play button must not stay without effect because a host forgot to report that
    /// all the ports are still there.
    mutating func endOverdueLosses(at time: HostTime) -> [SessionEffect] {
        guard let lossTime = state.losses.unconfirmedTime, time.seconds(since: lossTime) > Self.explanationSeconds
        else {
            return []
        }
        let removedUIDs = state.losses.removedUIDs
        state.losses = PortLosses(
            removedUIDs: removedUIDs, pausedSound: state.losses.pausedSound && !removedUIDs.isEmpty)
        return moveStreams(at: time)
    }

    /// Brings every stream to where its policy and the route want it: pauses and failures first, then links.
    ///
    /// - Parameter time: nil where no port can have come or gone.
    mutating func moveStreams(at time: HostTime?) -> [SessionEffect] {
        guard state.hasInventory else { return [] }
        var pauses: [SessionEffect] = []
        var links: [SessionEffect] = []
        var failed: Set<StreamID> = []
        for index in state.streams.indices {
            let stream = state.streams[index]
            let targets: [Port]
            switch target(of: stream) {
            case .ports(let ports):
                targets = ports
            case .undecided:
                continue
            case .missing(let error):
                pauses.append(.failPlayer(stream.id, error))
                failed.insert(stream.id)
                continue
            }
            let lost = stream.pendingLoss.map { [$0] } ?? lostPorts(of: stream.ports)
            let isLoss = lost.contains { port in
                time.map { !isReplaced(port, by: targets, at: $0) } ?? true
            }
            let isToPause = isLoss && stream.isStoppedByLoss
            if targets.isEmpty {
                // There is nothing left that it could be kept from, and no end of that to be told.
                state.streams[index].isHeld = false
                if stream.hasPort {
                    // One that is meant to play, and does not mind the loss, waits for a port (`updatePlayers`).
                    let isFadingOut = stream.policy.direction == .output && !stream.playWhenReady
                    if isToPause || isFadingOut { pauses.append(pauseForLoss(at: index, .noSuitableRoute)) }
                    links.append(.unlinkStream(stream.id))
                }
            } else if !targets.isLinkedLike(stream.ports) {
                if isToPause { pauses.append(pauseForLoss(at: index, .oldDeviceUnavailable)) }
                // Held from outside: a link now would be at odds with that; its release brings it.
                if stream.isHeld {
                    if !lost.isEmpty { state.streams[index].unlink() }
                    continue
                }
                links.append(.linkStream(stream.id, targets))
            }
            state.streams[index].ports = targets
            state.streams[index].pendingLoss = nil
        }
        state.streams.removeAll { failed.contains($0.id) }
        return pauses + links
    }

    /// Recording stops when a device is plugged in or out, whether it is an input or not; a change of the category, or of
    /// what the user prefers, it survives.
    ///
    /// Source: Apple, Audio Session Programming Guide, "Responding to Route Changes".
    private func recordersStopped(by reason: RouteChangeReason) -> PauseCause? {
        switch reason {
        case .newDeviceAvailable: .newDeviceAvailable
        case .oldDeviceUnavailable: .oldDeviceUnavailable
        case .unknown, .categoryChange, .override, .wakeFromSleep, .noSuitableRouteForCategory,
            .routeConfigurationChange:
            nil
        }
    }

    mutating func stopRecorders(for reason: RouteChangeReason) -> [SessionEffect] {
        guard let cause = recordersStopped(by: reason) else { return [] }
        return pausePlayers(cause) {
            $0.policy.direction == .input && $0.policy.onDeviceLoss == .pause && $0.playWhenReady
        }
    }

    /// A recorder that is to begin needs an input now; unlike a player, it does not wait for one.
    func missingInput(of stream: StreamRecord) -> SessionError? {
        guard stream.policy.direction == .input, state.hasInventory else { return nil }
        let category = state.configuration.category
        guard RoutePolicy.hasInput(category) else {
            return SessionError(
                .incompatibleCategory,
                "Category \(category) does not record. Set one of: record, playAndRecord, multiRoute.")
        }
        guard case .ports(let ports) = target(of: stream), ports.isEmpty else { return nil }
        return SessionError(
            .resourceNotAvailable,
            "No input is connected. Connect a microphone and record again. Without one, these categories work: "
                + "\(RoutePolicy.availableCategories(state.inventory).map { "\($0)" }.joined(separator: ", ")).")
    }

    private enum Target {
        case ports([Port])
        /// The next inventory decides.
        case undecided
        case missing(SessionError)
    }

    /// What a stream of this direction may be bound to.
    private func usablePorts(_ direction: PortDirection) -> [Port] {
        direction == .output ? state.usableOutputs : state.availableInputs
    }

    private func target(of stream: StreamRecord) -> Target {
        // The inventory is the lost server's.
        guard !state.isFreshlyReset else { return .undecided }
        let direction = stream.policy.direction
        let category = state.configuration.category
        let servesDirection = direction == .output ? RoutePolicy.hasOutput(category) : RoutePolicy.hasInput(category)
        if direction == .input, !servesDirection, stream.playWhenReady {
            // The category has changed under a recording, which goes on while its microphone is there.
            return .ports(stream.ports.filter { port in state.inventory.inputs.contains { $0.uid == port.uid } })
        }
        switch stream.policy.target {
        case .sessionRoute:
            let ports = direction == .output ? state.route.outputs : state.route.inputs
            return state.losses.leaveOpen(ports) ? .undecided : .ports(ports)
        case .ports(let uids):
            let usable = usablePorts(direction)
            let chosen = uids.compactMap { uid in usable.first { $0.uid == uid } }
            return state.losses.leaveOpen(chosen)
                ? .undecided : .ports(RoutePolicy.withoutAlternatives(chosen, in: state.inventory))
        case .port(let uid):
            guard servesDirection else { return .ports([]) }
            let usable = usablePorts(direction)
            if let port = usable.first(where: { $0.uid == uid }) {
                return state.losses.leaveOpen([port]) ? .undecided : .ports([port])
            }
            // The inventory is out of date; the port may be in the next one.
            guard state.losses == PortLosses() else { return .undecided }
            return .missing(
                SessionError(
                    .resourceNotAvailable,
                    "The \(direction) \"\(uid.printable)\" is not connected, or is no \(direction) for category \(category). "
                        + "Available \(direction)s: \(usable.listed). Name one of these, or connect the device and open "
                        + "the stream again."))
        }
    }
}

extension StreamRecord {
    /// Whether the loss of its port pauses it: a player also where it is paused already, for its fade may still sound.
    fileprivate var isStoppedByLoss: Bool {
        policy.onDeviceLoss == .pause && (policy.direction == .output || playWhenReady)
    }
}

extension [Port] {
    /// For messages: the ports' uids, safe to print.
    var listed: String { isEmpty ? "none" : map { "\"\($0.uid.printable)\"" }.joined(separator: ", ") }

    /// True when a stream linked to `other` need not be linked anew: same ports, same channels.
    fileprivate func isLinkedLike(_ other: [Port]) -> Bool {
        elementsEqual(other) { $0.uid == $1.uid && $0.channels == $1.channels }
    }
}

extension Port {
    /// Built in, so that it cannot be taken away: when such a port leaves, something has taken its place.
    var isPartOfMachine: Bool { kind == .builtInSpeaker || kind == .builtInReceiver || kind == .builtInMic }
}
