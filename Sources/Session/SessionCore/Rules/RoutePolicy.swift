package import AudioModel

/// Which ports a session uses, as pure functions: the same facts give the same route.
package enum RoutePolicy {
    package static func hasInput(_ category: SessionCategory) -> Bool {
        switch category {
        case .record, .playAndRecord, .multiRoute: true
        case .ambient, .soloAmbient, .playback: false
        }
    }

    package static func hasOutput(_ category: SessionCategory) -> Bool {
        switch category {
        case .record: false
        case .ambient, .soloAmbient, .playback, .playAndRecord, .multiRoute: true
        }
    }

    static func has(_ direction: PortDirection, in category: SessionCategory) -> Bool {
        switch direction {
        case .input: hasInput(category)
        case .output: hasOutput(category)
        }
    }

    /// The categories that this machine serves in full: those that record are missing while there is no input.
    ///
    /// `multiRoute` serves for output alone, too. `playAndRecord` can be activated without an input all the same: playing
    /// works, and a microphone may come later.
    package static func availableCategories(_ inventory: Inventory) -> [SessionCategory] {
        SessionCategory.allCases.filter { !needsInput($0) || !inventory.inputs.isEmpty }
    }

    private static func needsInput(_ category: SessionCategory) -> Bool {
        switch category {
        case .record, .playAndRecord: true
        case .ambient, .soloAmbient, .playback, .multiRoute: false
        }
    }

    /// The inputs a configuration may use; empty for categories without input.
    ///
    /// A Bluetooth headset's microphone is among them only with `allowBluetoothHFP`, or when there is no other input; where
    /// it would take the headset out of A2DP, and the category plays too, with the option alone.
    package static func availableInputs(for configuration: SessionConfiguration, in inventory: Inventory) -> [Port] {
        guard hasInput(configuration.category) else { return [] }
        if configuration.category == .multiRoute { return multiRouteInputs(in: inventory) }
        let options = ConfigurationRules.effectiveOptions(of: configuration)
        let permitted = inventory.inputs.filter { permits($0, options) }
        guard permitted.isEmpty else { return permitted }
        return hasOutput(configuration.category)
            ? inventory.inputs.filter { !inventory.isDormant($0.uid) } : inventory.inputs
    }

    /// The outputs a stream may be bound to; the receiver at a phone's ear is for `playAndRecord` alone.
    ///
    /// - Parameter arrivals: for `multiRoute` alone, as is `speaker`.
    package static func usableOutputs(
        for category: SessionCategory, in inventory: Inventory, arrivals: ArrivalOrder = ArrivalOrder(),
        speaker: MultiRouteSpeaker = .onlyWhenAlone
    ) -> [Port] {
        guard hasOutput(category) else { return [] }
        if category == .multiRoute { return multiRouteOutputs(in: inventory, arrivals: arrivals, speaker: speaker) }
        // Calls need HFP; it would be a loss of quality to all else.
        return inventory.outputs.filter {
            category == .playAndRecord || $0.kind != .builtInReceiver && !($0.isHFP && inventory.isDormant($0.uid))
        }
    }

    /// True when the route lacks the direction without which the category is of no use.
    ///
    /// That is the input for `record` and the output for all others: a `playAndRecord` session without a microphone
    /// still plays, so that it still has a route.
    package static func isUnsuitable(_ route: Route, for category: SessionCategory) -> Bool {
        hasOutput(category) ? route.outputs.isEmpty : route.inputs.isEmpty
    }

    /// The route of a configuration.
    ///
    /// The user's choice for this app goes first, then the host's default. Where the host names no default, the session
    /// stays on the `current` port while that is connected, and goes to the first port in the inventory's order else.
    /// In `playAndRecord` a default that the options do not permit is passed over, but only while there is another
    /// output: a desktop whose one output is a Bluetooth headset should not fall silent over an option. A user's choice
    /// in a mixer needs no permission.
    /// The input that the app prefers is the route's while the configuration may use it; the override to the speaker,
    /// which takes the machine's own microphone, goes before. A Bluetooth headset's HFP is both directions or none: to
    /// prefer its microphone moves the output to its earpieces, and to prefer another one takes the output away from them;
    /// a choice of an output goes before a preference that does not fit it. Where the default is a headset with both
    /// profiles, `allowBluetoothHFP` in `playAndRecord` means HFP, and all else A2DP.
    ///
    /// `multiRoute` has a rule of its own: neither a choice nor a default moves its outputs, see `multiRouteOutputs`.
    package static func route(
        for configuration: SessionConfiguration, in inventory: Inventory, override: OutputOverride = .none,
        chosenOutputUID: String? = nil, preferredInputUID: String? = nil, current: Route = .empty,
        arrivals: ArrivalOrder = ArrivalOrder(), speaker: MultiRouteSpeaker = .onlyWhenAlone
    ) -> Route {
        if configuration.category == .multiRoute {
            let preferred = multiRouteInputs(in: inventory).first { $0.uid == preferredInputUID }
            let input = preferred ?? multiRouteInput(in: inventory, arrivals: arrivals)
            return Route(
                inputs: input.map { [$0] } ?? [],
                outputs: multiRouteOutputs(in: inventory, arrivals: arrivals, speaker: speaker))
        }
        let chosen = usableOutputs(for: configuration.category, in: inventory).first { $0.uid == chosenOutputUID }
        let preferred = availableInputs(for: configuration, in: inventory).first {
            $0.uid == preferredInputUID && (chosen == nil || chosen?.isHFP == $0.isHFP)
        }
        let output = output(
            for: configuration, in: inventory, override: override, chosen: chosen, preferredInput: preferred,
            current: current.outputs.first)
        let input = input(
            for: configuration, in: inventory, override: override, preferred: preferred, output: output,
            current: current.inputs.first)
        return Route(inputs: input.map { [$0] } ?? [], outputs: output.map { [$0] } ?? [])
    }

    private static func output(
        for configuration: SessionConfiguration, in inventory: Inventory, override: OutputOverride, chosen: Port?,
        preferredInput: Port?, current: Port?
    ) -> Port? {
        let usable = usableOutputs(for: configuration.category, in: inventory)
        let speaker = usable.first { $0.kind == .builtInSpeaker }
        if override == .speaker, let speaker { return speaker }
        if let chosen { return chosen }
        guard configuration.category == .playAndRecord else {
            return pick(
                from: usable, defaultUID: defaultOutputUID(as: .a2dp, among: usable, in: inventory), current: current)
        }

        if let preferredInput, preferredInput.isHFP, let earpieces = partner(of: preferredInput, among: usable) {
            return earpieces
        }
        let options = ConfigurationRules.effectiveOptions(of: configuration)
        let permitted = usable.filter { permits($0, options) }
        let allowed = permitted.isEmpty ? usable : permitted
        let leavesHeadset = preferredInput.map { !$0.isHFP } ?? false
        let candidates = leavesHeadset ? withoutHFP(allowed) : allowed
        let profile: Headset.Profile = options.contains(.allowBluetoothHFP) && !leavesHeadset ? .hfp : .a2dp
        let picked = pick(
            from: candidates, defaultUID: defaultOutputUID(as: profile, among: candidates, in: inventory),
            current: current)
        // A phone's voice goes to the ear unless the app or the user says otherwise; anything plugged in outranks both.
        let receiver = usable.first { $0.kind == .builtInReceiver }
        guard let picked, picked.kind == .builtInSpeaker || picked.kind == .builtInReceiver else { return picked }
        return options.contains(.defaultToSpeaker) ? speaker ?? receiver : receiver ?? speaker
    }

    private static func input(
        for configuration: SessionConfiguration, in inventory: Inventory, override: OutputOverride,
        preferred: Port?, output: Port?, current: Port?
    ) -> Port? {
        // A headset that plays A2DP has no microphone.
        let microphoneInA2DP = output.flatMap { inventory.headset(ofPort: $0.uid) }?.hfpInputUID
        let candidates = availableInputs(for: configuration, in: inventory).filter {
            output?.isHFP == true || $0.uid != microphoneInA2DP
        }
        if override == .speaker, let builtIn = candidates.first(where: { $0.kind == .builtInMic }) { return builtIn }
        if let preferred { return preferred }
        // A headset is one thing to its wearer: its microphone goes with its earpieces.
        if let output, output.isHFP, let microphone = partner(of: output, among: candidates) { return microphone }
        if output?.kind == .headphones, let microphone = candidates.first(where: { $0.kind == .headsetMic }) {
            return microphone
        }
        // Nothing sounds in `record`: the microphone leaves no earpieces behind.
        let apart = output == nil ? candidates : withoutHFP(candidates)
        return pick(from: apart, defaultUID: inventory.defaultInputUID, current: current)
    }

    /// The other direction of a Bluetooth headset's HFP; of another one where its own is not there.
    private static func partner(of port: Port, among ports: [Port]) -> Port? {
        let headsets = ports.filter(\.isHFP)
        return headsets.first { $0.uid == port.uid || $0.name == port.name } ?? headsets.first
    }

    /// The default output; of a headset with both profiles, the port of this one where it is among the outputs.
    private static func defaultOutputUID(
        as profile: Headset.Profile, among outputs: [Port], in inventory: Inventory
    ) -> String? {
        let uid = inventory.defaultOutputUID
        let wanted = uid.flatMap { inventory.headset(ofPort: $0) }?.outputUID(of: profile)
        return outputs.contains { $0.uid == wanted } ? wanted : uid
    }

    /// All of them where there is nothing else.
    private static func withoutHFP(_ ports: [Port]) -> [Port] {
        let others = ports.filter { !$0.isHFP }
        return others.isEmpty ? ports : others
    }

    private static func pick(from ports: [Port], defaultUID: String?, current: Port?) -> Port? {
        ports.first { $0.uid == defaultUID } ?? ports.first { $0.uid == current?.uid }
            ?? ports.first { $0.kind != .builtInReceiver } ?? ports.first
    }

    private static func permits(_ port: Port, _ options: SessionOptions) -> Bool {
        switch port.kind {
        case .bluetoothHFP: options.contains(.allowBluetoothHFP)
        case .bluetoothA2DP: options.contains(.allowBluetoothA2DP)
        case .airPlay: options.contains(.allowAirPlay)
        case .lineIn, .builtInMic, .headsetMic, .lineOut, .headphones, .builtInReceiver, .builtInSpeaker, .hdmi,
            .bluetoothLE, .usbAudio, .carAudio, .virtual, .pci, .fireWire, .displayPort, .avb, .thunderbolt:
            true
        }
    }
}

extension Port {
    /// One direction of a Bluetooth headset that is used in both.
    var isHFP: Bool { kind == .bluetoothHFP }
}
