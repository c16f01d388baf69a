internal import AudioModel

/// The session as a value: facts in, imperatives out.
///
/// It knows no clock, no threads and no Foundation.
///
/// The effects of one event come in this order: players are paused or failed, then streams are unlinked or linked, then
/// notifications are posted, then calls are answered. So a player is silent before its stream reaches a new port, and a
/// call returns when what it asked for has been done.
package struct SessionMachine: Sendable {
    package internal(set) var state = SessionState()

    package init() {}

    /// Applies one event; the effects are to be carried out in order before the next event is applied.
    package mutating func apply(_ event: SessionEvent) -> [SessionEffect] {
        let time = event.time
        return switch event.fact {
        case .configurationRequested(let call, let configuration): configure(configuration, for: call, at: time)
        case .activationRequested(let call): activate(for: call, at: time)
        case .deactivationRequested(let call, let notifyOthers, let isSuperseded):
            deactivate(for: call, notifyOthers: notifyOthers, isSuperseded: isSuperseded)
        case .outputOverrideRequested(let call, let override): self.override(override, for: call, at: time)
        case .streamOpened(let id, let policy): openStream(id, policy)
        case .streamPolicyChanged(let id, let policy): changePolicy(of: id, to: policy)
        case .streamClosed(let id): forgetStream(id)
        case .inventoryChanged(let inventory): takeInventory(inventory, at: time)
        case .outputChosenByUser(let uid): chooseOutput(uid, at: time)
        case .streamSilenced(let id, let uid): takeSilence(of: id, lostPortUID: uid, at: time)
        case .streamFailed(let id, let error): failStream(id, error)
        case .connectionLost: loseConnection()
        case .connectionRestored: restoreConnection(at: time)
        case .claimGranted(let id, let place): grantClaim(id, at: place)
        case .claimRefused(let id, let error): refuseClaim(id, error)
        case .playRequested(let call, _, era: _), .routeDisconnectPreferenceRequested(let call, _): [.reply(call, nil)]
        case .pauseRequested, .playerStopped, .streamHeld, .streamReleased, .peerChanged, .peerLeft,
            .foreignStreamsChanged, .sleepAnnounced, .wokeFromSleep, .timeReached:
            []
        }
    }

    /// On refusal the old configuration stays; an equal configuration is a success without effect.
    private mutating func configure(
        _ configuration: SessionConfiguration, for call: CallID, at time: HostTime
    ) -> [SessionEffect] {
        if let violation = ConfigurationRules.violation(of: configuration) { return [.reply(call, violation)] }
        guard configuration != state.configuration else { return [.reply(call, nil)] }
        let inputsBefore = availableInputUIDs
        let categoryChanged = configuration.category != state.configuration.category
        state.configuration = configuration
        let cause = RerouteCause.configuration(categoryChanged: categoryChanged)
        return reroute(cause, at: time, inputsBefore: inputsBefore) + [.reply(call, nil)]
    }

    private mutating func override(
        _ override: OutputOverride, for call: CallID, at time: HostTime
    ) -> [SessionEffect] {
        guard state.isConnected else { return [.reply(call, .connectionLost)] }
        let category = state.configuration.category
        guard category == .playAndRecord else {
            return [
                .reply(
                    call,
                    SessionError(
                        .badParam,
                        "The output cannot be overridden in category \(category). Allowed category: playAndRecord. "
                            + "Set category playAndRecord first."))
            ]
        }
        if override == .speaker, !state.inventory.outputs.contains(where: { $0.kind == .builtInSpeaker }) {
            return [
                .reply(
                    call,
                    SessionError(
                        .resourceNotAvailable,
                        "The output cannot be overridden to the speaker: this machine has no built-in speaker now. "
                            + "Available outputs: \(state.inventory.outputs.listed). Keep the present route."))
            ]
        }
        guard override != state.override else { return [.reply(call, nil)] }
        state.override = override
        return reroute(.override, at: time) + [.reply(call, nil)]
    }

    private mutating func chooseOutput(_ uid: String?, at time: HostTime) -> [SessionEffect] {
        // A choice we cannot follow is no choice; the host tells it again when the port is back.
        state.chosenOutputUID = state.inventory.outputs.first { $0.uid == uid }?.uid
        return reroute(.userChoice, at: time)
    }

    private mutating func takeInventory(_ inventory: Inventory, at time: HostTime) -> [SessionEffect] {
        guard state.isConnected else {
            state.inventoryAfterLoss = inventory
            return []
        }
        let inputsBefore = availableInputUIDs
        let isFirst = !state.hasInventory
        if !isFirst { noteArrivals(in: inventory, at: time) }
        state.inventory = inventory
        state.hasInventory = true
        state.doubtedOutputUIDs = []
        state.doubtTime = nil
        if !inventory.outputs.contains(where: { $0.uid == state.chosenOutputUID }) { state.chosenOutputUID = nil }
        return reroute(
            isFirst ? .firstInventory : .inventory, at: time, inputsBefore: isFirst ? availableInputUIDs : inputsBefore)
    }

    private mutating func noteArrivals(in inventory: Inventory, at time: HostTime) {
        let known = Set(state.inventory.ports.map(PortIdentity.init))
        let present = Set(inventory.ports.map(PortIdentity.init))
        state.arrivals = state.arrivals.filter {
            present.contains($0.key) && time.seconds(since: $0.value) <= Self.arrivalSeconds
        }
        for identity in present.subtracting(known) { state.arrivals[identity] = time }
    }

    /// The route stays as it was, for what changed is the server, not the ports.
    ///
    /// The next inventory tells what is left.
    private mutating func loseConnection() -> [SessionEffect] {
        guard state.isConnected else { return [] }
        state.isConnected = false
        state.doubtedOutputUIDs = Set(state.inventory.outputs.map(\.uid))
        state.doubtTime = nil
        let failures = state.streams.map { SessionEffect.failPlayer($0.id, .connectionLost) }
        state.streams = []
        return failures + endActivation(with: .connectionLost)
    }

    private mutating func restoreConnection(at time: HostTime) -> [SessionEffect] {
        guard !state.isConnected else { return [] }
        state.isConnected = true
        guard let inventory = state.inventoryAfterLoss else { return [] }
        state.inventoryAfterLoss = nil
        return takeInventory(inventory, at: time)
    }
}
