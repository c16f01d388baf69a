internal import AudioModel

extension SessionMachine {
    /// How long a port counts as new, in seconds: a session manager makes a port its default some time after it came.
    static let arrivalSeconds = 2.0
    /// How long a move of the route counts as what follows a loss, in seconds: a session manager takes milliseconds to name
    /// the default after that, a person more than a second to choose one.
    static let lossSeconds = 1.0

    enum RerouteCause {
        /// Where a session starts, not a change: nothing is posted.
        case firstInventory
        case inventory
        /// A new server's first inventory, with the configuration back at the defaults.
        case reset
        case wake
        case configuration(categoryChanged: Bool)
        case override
        case choice
    }

    var availableInputUIDs: Set<String> { Set(state.availableInputs.map(\.uid)) }

    /// Works out the route, moves the streams, and posts what changed.
    ///
    /// A change of the available inputs goes before the route change that it brings along, as on Apple's devices (device
    /// logs of iOS). It is posted when the list that an app would read has other ports, be it that these came and went or
    /// that the configuration now permits others; their order and details do not count.
    mutating func reroute(
        _ cause: RerouteCause, at time: HostTime, inputsBefore: Set<String>? = nil, losses: [PortLoss] = []
    ) -> [SessionEffect] {
        guard state.hasInventory else { return [] }
        let previous = state.route
        let underlying = route(override: .none, current: state.underlyingRoute)
        // The app's override ends when the route below it moves; otherwise it would hold on to the speaker for good.
        if state.configuration.category != .playAndRecord
            || underlying.identities != state.underlyingRoute.identities
            || !state.inventory.outputs.contains(where: { $0.kind == .builtInSpeaker })
        {
            state.requested.override = .none
        }
        state.derived.underlyingRoute = underlying
        let overridden = state.override == .none ? underlying : route(override: state.override, current: previous)
        state.derived.route = overridden.learningRates(from: previous)

        var effects = noteOutputLosses(since: previous, at: time)
        effects += moveStreams(at: time, losses: losses)
        if let inputsBefore, inputsBefore != availableInputUIDs { effects.append(.postAvailableInputsChange) }
        if let reason = reason(for: cause, previous: previous, at: time) {
            let lost = reason == .oldDeviceUnavailable ? lostPorts(of: previous.ports) : []
            for port in lost { state.derived.losses[port.direction] = time }
            // A recorder that runs after a loss has begun since then: what follows the loss does not stop it.
            if reason != .oldDeviceUnavailable || !lost.isEmpty { effects += stopRecorders(for: reason) }
            effects.append(
                .postRouteChange(RouteChange(time: time, reason: reason, previous: previous, current: state.route)))
        }
        // A port counts as an arrival once; returning to it is a choice.
        for port in state.route.ports { state.derived.arrivals[PortIdentity(port)] = nil }
        return effects
    }

    /// Counts what has left the route, unless the host has reported that before.
    private mutating func noteOutputLosses(since previous: Route, at time: HostTime) -> [SessionEffect] {
        let lost = lostPorts(of: previous.outputs).filter { port in
            !state.derived.reportedOutputLosses.contains(port.uid)
                && !isReplaced(port, by: state.route.outputs, at: time)
        }
        return lost.isEmpty ? [] : countLoss(of: lost)
    }

    /// No sound that was asked for before now begins on another output (decision 60).
    ///
    /// Players that are linked to a lost port are paused with their links; here it is those that want to play and are not.
    /// Owners without a stream see the count (`SessionRuntime.observeOutputLosses`).
    mutating func countLoss(of lost: [Port]) -> [SessionEffect] {
        state.derived.outputLosses += 1
        state.derived.activation.inactivity?.interruption?.hasLostOutput = true
        let uids = Set(lost.map(\.uid))
        return pausePlayers(.oldDeviceUnavailable) {
            $0.playWhenReady && $0.isPausedByRouteLoss && uids.isDisjoint(with: $0.ports.map(\.uid))
        }
    }

    private func route(override: OutputOverride, current: Route) -> Route {
        RoutePolicy.route(
            for: state.configuration, in: state.inventory, override: override, chosenOutputUID: state.chosenOutput?.uid,
            preferredInputUID: state.preferredInput?.uid, current: current,
            arrivals: state.arrivalOrder, speaker: state.multiRouteSpeaker)
    }

    /// Why the route changed from `previous` to the state's; nil when there is nothing to post.
    ///
    /// A new category is posted also when the ports stay (Apple: the session's category changed); a new mode, option or
    /// policy only when it moves the route. A missing route is posted once. Waking is told in any case.
    private func reason(for cause: RerouteCause, previous: Route, at time: HostTime) -> RouteChangeReason? {
        let (current, category) = (state.route, state.configuration.category)
        let hasMoved = previous.identities != current.identities
        let isUnsuitable = RoutePolicy.isUnsuitable(current, for: category)
        switch cause {
        case .firstInventory:
            return nil
        case .configuration(let categoryChanged):
            guard hasMoved || categoryChanged && !isUnsuitable else { return nil }
            return isUnsuitable ? .noSuitableRouteForCategory : .categoryChange
        case .wake:
            return .wakeFromSleep
        case .inventory, .reset, .override, .choice:
            break
        }
        guard hasMoved else {
            return previous.learningRates(from: current) == current ? nil : .routeConfigurationChange
        }
        if isUnsuitable, !RoutePolicy.isUnsuitable(previous, for: category) { return .noSuitableRouteForCategory }
        switch cause {
        case .inventory, .reset: break
        case .firstInventory, .wake, .configuration, .override, .choice: return .override
        }
        if !lostPorts(of: previous.ports).isEmpty, !isReplacedByArrival(previous, at: time) {
            return .oldDeviceUnavailable
        }
        let known = Set(previous.identities)
        let hasNewPort = current.ports.contains { !known.contains(PortIdentity($0)) && hasJustArrived($0, at: time) }
        if hasNewPort { return .newDeviceAvailable }
        if case .reset = cause { return .categoryChange }
        return followsLoss(previous, at: time) ? .oldDeviceUnavailable : .override
    }

    /// True when the session manager says where the sound goes after a loss: no person chose anything.
    private func followsLoss(_ previous: Route, at time: HostTime) -> Bool {
        let moved = Set(previous.identities).symmetricDifference(state.route.identities).map(\.direction)
        return moved.contains { direction in
            state.losses[direction].map { time.seconds(since: $0) <= Self.lossSeconds } ?? false
        }
    }

    func lostPorts(of ports: [Port]) -> [Port] {
        let present = Set(state.inventory.ports.map(PortIdentity.init))
        return ports.filter { !present.contains(PortIdentity($0)) }
    }

    /// True when all that left the route is the machine's own speaker or microphone, and something new took its place.
    ///
    /// Many laptops report their speaker unavailable as soon as headphones are plugged in. That is an arrival, not a
    /// loss: the sound goes from the room to one pair of ears, so there is nothing to protect and playing goes on.
    private func isReplacedByArrival(_ previous: Route, at time: HostTime) -> Bool {
        lostPorts(of: previous.ports).allSatisfy { lost in
            let heirs = lost.direction == .output ? state.route.outputs : state.route.inputs
            return isReplaced(lost, by: heirs, at: time)
        }
    }

    func isReplaced(_ lost: Port, by heirs: [Port], at time: HostTime) -> Bool {
        lost.isPartOfMachine && heirs.contains { $0.uid != lost.uid && hasJustArrived($0, at: time) }
    }

    private func hasJustArrived(_ port: Port, at time: HostTime) -> Bool {
        guard let arrival = state.arrivals[PortIdentity(port)] else { return false }
        return time.seconds(since: arrival) <= Self.arrivalSeconds
    }
}
