internal import AudioModel

extension SessionMachine {
    mutating func chooseOutput(_ uid: String?, at time: HostTime) -> [SessionEffect] {
        // A choice we cannot follow is no choice; the host tells it again when the port is back.
        if let port = state.inventory.outputs.first(where: { $0.uid == uid }) {
            state.requested.output = .byUser(uid: port.uid)
        } else {
            state.requested.output.forgetUser()
        }
        return reroute(.choice, at: time)
    }

    /// Taken only where the output is there now: a name that is wrong should not wait for a device that never comes.
    mutating func chooseOutput(
        _ choice: OutputChoice, at time: HostTime
    ) throws(SessionError) -> [SessionEffect] {
        if choice != .automatic, choice.port(among: state.usableOutputs) == nil { throw missing(choice) }
        state.requested.output = .byApp(choice)
        // Without a server the route stays as it was; a new server's first inventory goes by the choice.
        return state.isConnected ? reroute(.choice, at: time) : []
    }

    private func missing(_ choice: OutputChoice) -> SessionError {
        let category = state.configuration.category
        guard RoutePolicy.hasOutput(category) else {
            return SessionError(
                .incompatibleCategory,
                "No output can be chosen in category \(category), which does not play. Set one that plays first.")
        }
        let usable = state.usableOutputs
        let wanted =
            switch choice {
            case .automatic: "at all"
            case .port(let uid): "\"\(uid.printable)\""
            case .kind(let kind): "of type \(kind)"
            }
        return SessionError(
            .resourceNotAvailable,
            "No output \(wanted) is connected, or category \(category) cannot use it. Available outputs: "
                + "\(usable.isEmpty ? "none" : usable.map(\.named).joined(separator: ", ")). "
                + "Choose one of these, or connect the device first.")
    }

    mutating func takeInventory(_ inventory: Inventory, losses: [PortLoss] = [], at time: HostTime) -> [SessionEffect] {
        guard state.isConnected else {
            state.reported.connection = .lost(next: inventory)
            return []
        }
        let inputsBefore = availableInputUIDs
        let isFirst = !state.hasInventory
        if !isFirst { noteArrivals(in: inventory, at: time) }
        state.reported.newestInventory = inventory
        state.derived.arrivalOrder.note(inventory)
        if !inventory.outputs.contains(where: { $0.uid == state.chosenOutputUID }) {
            state.requested.output.forgetUser()
        }
        let cause: RerouteCause = isFirst ? .firstInventory : state.connection == .restored ? .reset : .inventory
        state.reported.connection = .connected
        let players = state.streams.filter {
            ($0.isStarted || $0.wasCutOff) && $0.followsSession && $0.policy.direction == .output
        }
        for index in state.streams.indices { state.streams[index].wasCutOff = false }
        let effects = reroute(
            cause, at: time, inputsBefore: isFirst ? availableInputUIDs : inputsBefore, losses: losses)
        state.derived.reportedOutputLosses = []
        return effects + interruptForDisconnect(of: players, after: effects)
    }

    private mutating func noteArrivals(in inventory: Inventory, at time: HostTime) {
        let known = Set(state.inventory.ports.map(PortIdentity.init))
        let present = Set(inventory.ports.map(PortIdentity.init))
        state.derived.arrivals = state.arrivals.filter {
            present.contains($0.key) && time.seconds(since: $0.value) <= Self.arrivalSeconds
        }
        for identity in present.subtracting(known) { state.derived.arrivals[identity] = time }
        state.derived.losses = state.losses.filter { time.seconds(since: $0.value) <= Self.lossSeconds }
    }
}

extension Port {
    /// For messages: uid and kind, safe to print.
    fileprivate var named: String { "\"\(uid.printable)\" (\(kind))" }
}
