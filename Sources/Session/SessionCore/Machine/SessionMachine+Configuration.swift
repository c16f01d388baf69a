package import AudioModel

extension SessionMachine {
    /// On refusal the old configuration stays; an equal configuration is a success without effect.
    mutating func configure(
        _ configuration: SessionConfiguration, at time: HostTime
    ) throws(SessionError) -> [SessionEffect] {
        if let violation = ConfigurationRules.violation(of: configuration) { throw violation }
        guard configuration != state.configuration else { return [] }
        let inputsBefore = availableInputUIDs
        let previous = state.configuration
        state.requested.configuration = configuration
        if configuration.category != previous.category || configuration.mode != previous.mode {
            state.requested.override = .none
        }
        let cause = RerouteCause.configuration(categoryChanged: configuration.category != previous.category)
        return reroute(cause, at: time, inputsBefore: inputsBefore)
            + (configuration.claimsLike(previous) ? [] : renewClaim())
    }

    mutating func override(
        _ override: OutputOverride, at time: HostTime
    ) throws(SessionError) -> [SessionEffect] {
        let category = state.configuration.category
        guard category == .playAndRecord else {
            throw SessionError(
                .badParam,
                "The output cannot be overridden in category \(category). Allowed category: playAndRecord. "
                    + "Set category playAndRecord first.")
        }
        if override == .speaker, !state.inventory.outputs.contains(where: { $0.kind == .builtInSpeaker }) {
            throw SessionError(
                .resourceNotAvailable,
                "The output cannot be overridden to the speaker: this machine has no built-in speaker now. "
                    + "Available outputs: \(state.inventory.outputs.listed). Keep the present route.")
        }
        guard override != state.override else { return [] }
        state.requested.override = override
        return reroute(.override, at: time)
    }

    /// The override ends when the session becomes inactive, by its app or by an interruption.
    ///
    /// Source: Apple Technical Q&A QA1754.
    mutating func endOverride(before: SessionState, at time: HostTime) -> [SessionEffect] {
        guard state.override != .none, state.isConnected, before.activation.isActive, !state.activation.isActive else {
            return []
        }
        state.requested.override = .none
        return reroute(.override, at: time)
    }

    /// Moves the input, and the output with a Bluetooth headset's HFP microphone or away from it.
    mutating func preferInput(_ uid: String?, at time: HostTime) throws(SessionError) -> [SessionEffect] {
        let available = state.availableInputs
        let port = available.first { $0.uid == uid }
        if let uid, port == nil {
            throw SessionError(
                .badParam,
                "The input \"\(uid.printable)\" cannot be preferred: it is not among availableInputs. Available "
                    + "inputs: \(available.listed). Choose one of these, or nil for no preference; category "
                    + "\(state.configuration.category) is set.")
        }
        state.requested.preferredInput = port
        forgetOutputChoice(against: port)
        return reroute(.choice, at: time)
    }

    /// Of a choice of an output and a preferred input that do not go together, the newer one counts.
    private mutating func forgetOutputChoice(against input: Port?) {
        guard let input, let output = state.chosenOutput, output.isHFP != input.isHFP,
            state.configuration.category == .playAndRecord
        else { return }
        state.requested.output = .byApp(.automatic)
    }

    /// A preference, as on Apple's systems: the route's channels stay what the hardware has.
    ///
    /// Source: Apple documentation, `setPreferredInputNumberOfChannels`, `setPreferredOutputNumberOfChannels`.
    mutating func preferChannels(_ count: Int, in direction: PortDirection) throws(SessionError) {
        let category = state.configuration.category
        guard RoutePolicy.has(direction, in: category) else {
            throw SessionError(
                .incompatibleCategory,
                "Category \(category) has no \(direction), so no number of channels can be preferred for "
                    + "it. Set \(direction == .input ? "record, playAndRecord or multiRoute" : "playback") first.")
        }
        let maximum = state.route.channelCount(direction)
        guard count >= 0, count <= maximum else {
            throw SessionError(
                .badParam,
                "\(count) \(direction) channels cannot be preferred. Allowed: 0 (no preference) to \(maximum), "
                    + "what the route has. Choose one of these.")
        }
        state.requested.preferredChannels[direction] = count
    }
}

extension Route {
    /// The channels of the ports together.
    package func channelCount(_ direction: PortDirection) -> Int {
        (direction == .input ? inputs : outputs).channelCount
    }
}
