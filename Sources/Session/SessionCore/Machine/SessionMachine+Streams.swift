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
        if !policy.continuesPrivately { state.streams[index].awaitsPrivateOutput = false }
        let effects = moveStreams(at: nil)
        guard state.interruption != nil, state.activation.isInactive else { return effects }
        // The end of the interruption starts only those that resume by themselves.
        return effects + pausePlayers(.interruption) { $0.playWhenReady && $0.followsSession && !$0.resumes }
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

    /// Brings every stream to where its policy and the route want it: pauses and failures first, then links.
    ///
    /// - Parameters:
    ///   - time: nil where no port can have come or gone.
    ///   - losses: the host has unlinked these streams; each is linked again, also to the port that it lost.
    mutating func moveStreams(at time: HostTime?, losses: [PortLoss] = []) -> [SessionEffect] {
        // After a reset the inventory is the lost server's.
        guard state.hasInventory, state.connection != .restored else { return [] }
        var pauses: [SessionEffect] = []
        var links: [SessionEffect] = []
        var failed: Set<StreamID> = []
        for index in state.streams.indices {
            let loss = losses.first { $0.stream == state.streams[index].id }
            // The host does not report the end of a hold that ends with the port.
            if loss != nil { state.streams[index].isHeld = false }
            let stream = state.streams[index]
            let unlinkedPort = stream.ports.first { $0.uid == loss?.portUID }
            let target = target(of: stream)
            let lost = unlinkedPort.map { [$0] } ?? lostPorts(of: stream.ports)
            let isToPause = stream.isStoppedByLoss && lost.contains { !hasMadeWay($0, for: target, at: time) }
            switch target {
            case .missing(let error):
                if isToPause, unlinkedPort != nil { pauses.append(pausePlayer(at: index, .oldDeviceUnavailable)) }
                pauses.append(.failPlayer(stream.id, error))
                failed.insert(stream.id)
            case .ports([]):
                // There is nothing left that it could be kept from, and no end of that to be told.
                state.streams[index].isHeld = false
                guard !stream.ports.isEmpty else { break }
                // One that is meant to play, and does not mind the loss, waits for a port (`updatePlayers`).
                let isFadingOut = stream.policy.direction == .output && !stream.playWhenReady
                // A recorder does not wait: it ends also when the category takes the input away.
                let isCutOff = stream.policy.direction == .input && stream.isStoppedByLoss
                if isToPause || isFadingOut || isCutOff {
                    let isKnownLoss = isToPause && unlinkedPort != nil
                    pauses.append(pausePlayer(at: index, isKnownLoss ? .oldDeviceUnavailable : .noSuitableRoute))
                }
                links.append(.unlinkStream(stream.id))
                state.streams[index].ports = []
            case .ports(let ports):
                if unlinkedPort != nil || !ports.isLinkedLike(stream.ports) {
                    if isToPause { pauses.append(pausePlayer(at: index, .oldDeviceUnavailable)) }
                    if stream.isHeld {
                        // A link now would be at odds with the hold; the release brings it.
                        if !lost.isEmpty { state.streams[index].ports = [] }
                        break
                    }
                    links.append(.linkStream(stream.id, ports))
                }
                state.streams[index].ports = ports
            }
        }
        state.streams.removeAll { failed.contains($0.id) }
        return pauses + links
    }

    /// Pauses before the inventory links the stream again, so that the app learns of it soon.
    ///
    /// A built-in port may have made way for a new device, which does not pause: the inventory decides.
    mutating func losePort(_ loss: PortLoss) -> [SessionEffect] {
        let lost = state.route.outputs.filter { $0.uid == loss.portUID && !$0.isPartOfMachine }
        let isNew = !lost.isEmpty && state.derived.reportedOutputLosses.insert(loss.portUID).inserted
        // First, while it is seen which players are linked to the port.
        return (isNew ? countLoss(of: lost) : []) + pauseForLoss(loss)
    }

    private mutating func pauseForLoss(_ loss: PortLoss) -> [SessionEffect] {
        guard let index = state.streams.firstIndex(where: { $0.id == loss.stream }),
            state.streams[index].isStoppedByLoss,
            state.streams[index].ports.contains(where: { $0.uid == loss.portUID && !$0.isPartOfMachine })
        else { return [] }
        state.streams[index].isHeld = false
        state.streams[index].ports = []
        state.streams[index].wasCutOff = state.streams[index].isStarted
        return [pausePlayer(at: index, .oldDeviceUnavailable)]
    }

    private func hasMadeWay(_ lost: Port, for target: Target, at time: HostTime?) -> Bool {
        guard let time, lost.direction == .output, case .ports(let heirs) = target else { return false }
        return isReplaced(lost, by: heirs, at: time)
    }

    /// Recording stops when a device is plugged in or out, whether it is an input or not.
    ///
    /// It goes on after a change of what the user prefers, and of the category unless that takes the input away.
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
        guard state.connection != .restored, case .ports([]) = target(of: stream) else { return nil }
        return SessionError(
            .resourceNotAvailable,
            "No input is connected. Connect a microphone and record again. Without one, these categories work: "
                + "\(RoutePolicy.availableCategories(state.inventory).map { "\($0)" }.joined(separator: ", ")).")
    }

    private enum Target {
        case ports([Port])
        case missing(SessionError)
    }

    /// What a stream of this direction may be bound to.
    private func usablePorts(_ direction: PortDirection) -> [Port] {
        direction == .output ? state.usableOutputs : state.availableInputs
    }

    private func target(of stream: StreamRecord) -> Target {
        let direction = stream.policy.direction
        let category = state.configuration.category
        switch stream.policy.target {
        case .sessionRoute:
            if direction == .input { return .ports(state.route.inputs) }
            return .ports(stream.awaitsPrivateOutput && !state.continuesPrivately ? [] : state.route.outputs)
        case .ports(let uids):
            let usable = usablePorts(direction)
            let chosen = uids.compactMap { uid in usable.first { $0.uid == uid } }
            return .ports(RoutePolicy.withoutAlternatives(chosen, in: state.inventory))
        case .port(let uid):
            guard RoutePolicy.has(direction, in: category) else { return .ports([]) }
            let usable = usablePorts(direction)
            if let port = usable.first(where: { $0.uid == uid }) { return .ports([port]) }
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

    /// True when a stream linked to `other` need not be linked again: same ports, same channels.
    fileprivate func isLinkedLike(_ other: [Port]) -> Bool {
        elementsEqual(other) { $0.uid == $1.uid && $0.channels == $1.channels }
    }
}

extension Port {
    /// Built in, so that it cannot be taken away: when such a port leaves, something has taken its place.
    var isPartOfMachine: Bool { kind == .builtInSpeaker || kind == .builtInReceiver || kind == .builtInMic }
}
