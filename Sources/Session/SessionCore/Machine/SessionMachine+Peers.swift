internal import AudioModel

/// The other sessions, and the programs that are none.
extension SessionMachine {
    mutating func takePeer(_ peer: Peer) -> [SessionEffect] {
        state.reported.peers.removeAll { $0.serial == peer.serial }
        let index = state.peers.firstIndex { $0.serial > peer.serial } ?? state.peers.endIndex
        state.reported.peers.insert(peer, at: index)
        return judgePeers()
    }

    /// A call that hands back may have changed its configuration.
    ///
    /// The claims that it refused are judged again, because one
    /// of them may take its place.
    ///
    /// A waiting claim does not interrupt the claims below it; neither does a claim that lost and whose process died before
    /// it was marked. A claim that sounded above us and leaves without a notification does, also if a nearer claim is our
    /// source: neither session resumes.
    mutating func forgetPeer(with serial: ClaimSerial, notifiesOthers: Bool) -> [SessionEffect] {
        let peer = state.peers.first { $0.serial == serial }
        let handsBack = notifiesOthers || peer?.isWaiting == true || state.lostClaims[serial] != nil
        if let peer, let interruption = state.interruption, !handsBack, serial > interruption.serial,
            peer.configuration.interrupts(state.configuration)
        {
            state.derived.activation.inactivity?.interruption?.isDirect = false
        }
        state.reported.peers.removeAll { $0.serial == serial }
        state.derived.lostClaims[serial] = nil
        if notifiesOthers {
            state.derived.lostClaims = state.lostClaims.filter { $0.value != .refused(by: .peer(serial)) }
        }
        let effects = judgePeers()
        return effects + (state.interruption?.source == .peer(serial) ? sourceWent(handsBack: handsBack) : [])
    }

    /// Interrupts us when one of them has.
    ///
    /// While a new claim of ours is under way, its serial decides: an earlier claim does not interrupt it.
    mutating func judgePeers() -> [SessionEffect] {
        judge(state.activation.claimUnderWay == nil ? state.ownClaim : nil)
    }

    private mutating func judge(_ own: Arbitration.Claim?) -> [SessionEffect] {
        switch fold(with: own) {
        case .effective, nil: []
        case .interrupted(let source), .refused(let source): beginInterruption(by: source)
        }
    }

    /// Judges our claim with this serial, and the peers with it.
    mutating func standing(with serial: ClaimSerial) -> Arbitration.Verdict {
        let verdict = fold(with: Arbitration.Claim(serial: serial, configuration: state.configuration)) ?? .effective
        // No stream sounds while the machine goes to sleep, and none starts by itself after it.
        return verdict == .effective && state.isAsleep ? .interrupted(by: .sleep) : verdict
    }

    /// A lost claim stays lost: its session will remove it, also if the claim that won leaves meanwhile.
    private mutating func fold(with own: Arbitration.Claim?) -> Arbitration.Verdict? {
        let arbitration = arbitration(with: own)
        for peer in state.effectivePeers {
            let verdict = arbitration.verdict(on: peer.serial)
            if verdict != .effective { state.derived.lostClaims[peer.serial] = verdict }
        }
        return own.flatMap { arbitration.verdict(on: $0.serial) }
    }

    private func arbitration(with own: Arbitration.Claim?) -> Arbitration {
        let claims = state.effectivePeers.map {
            Arbitration.Claim(serial: $0.serial, configuration: $0.configuration, owner: $0.owner)
        }
        return Arbitration(claims + (own.map { [$0] } ?? []), foreignCalls: Array(state.foreignCalls.values))
    }

    // MARK: Foreign streams

    /// A new call interrupts us also while a new claim of ours is under way.
    ///
    /// One that is silent from its start is no call until
    /// it is heard; one that was heard stays a call while it runs, for a person mutes the others in the middle of it.
    ///
    /// The effect of a call on the claims of others ends with it: each claim shows whether its session waits.
    mutating func takeForeignStreams(_ streams: [ForeignStream]) -> [SessionEffect] {
        let (known, place) = (state.foreignCalls, placeOfNewCall)
        state.reported.foreignStreams = streams
        let calls = streams.filter { interrupts($0) && (known[$0.id] != nil || !$0.isSilent) }
            .map { ($0.id, known[$0.id] ?? place) }
        state.derived.foreignCalls = Dictionary(calls) { $1 }
        state.derived.lostClaims = state.lostClaims.filter { !$0.value.isLoss(to: .foreignCall) }
        let isNew = state.foreignCalls.keys.contains { known[$0] == nil }
        let effects = isNew ? judge(state.ownClaim) : judgePeers()
        let isOver = state.interruption?.source == .foreignCall && !state.hasForeignCall
        return effects + (isOver ? sourceWent(handsBack: true) : [])
    }

    /// After all known claims, but before the claims that exist when we connect: those took effect during the call.
    private var placeOfNewCall: ClaimSerial {
        let isFirstReport = !state.hasInventory || state.connection == .restored
        let known = isFirstReport ? [] : [state.peers.last?.serial, state.ownClaim?.serial].compactMap { $0 }
        return known.max() ?? ClaimSerial(number: 0)
    }

    private func interrupts(_ stream: ForeignStream) -> Bool {
        state.roles.effect(ofRole: stream.role) == .interrupts
    }

    // MARK: What the app is told of them

    /// Only active sessions get the hint: an inactive session asks when it needs to know.
    func hint(before: SessionState) -> [SessionEffect] {
        let begins = state.secondaryAudioShouldBeSilenced
        guard before.activation.isActive, state.activation.isActive, before.secondaryAudioShouldBeSilenced != begins
        else { return [] }
        return [.postSilenceSecondaryAudioHint(begins: begins)]
    }

    /// Posts once, when the cause of a refused activation is gone.
    mutating func recommendResumption() -> [SessionEffect] {
        guard case .inactive(let inactivity) = state.activation, inactivity.awaitsRecommendation else { return [] }
        let next = Arbitration.Claim(serial: ClaimSerial(number: .max), configuration: state.configuration)
        guard arbitration(with: next).verdict(on: next.serial) == .effective else { return [] }
        state.derived.activation.inactivity?.awaitsRecommendation = false
        return [.postResumptionRecommendation]
    }

    func refusal(by source: Interruption.Source) -> SessionError {
        let peer = state.peers.first { .peer($0.serial) == source }
        let foreign = state.foreignStreams.first { state.foreignCalls[$0.id] != nil }
        let name = (peer?.name ?? foreign?.name ?? "").printable
        return SessionError(
            .insufficientPriority,
            "\(name.isEmpty ? "Another program" : "The program \"\(name)\"") holds a call, and category "
                + "\(state.configuration.category) in mode \(state.configuration.mode) may not begin under one. Allowed: "
                + "options that mix with others, or playAndRecord in a chat mode. Wait for the recommendation to resume, "
                + "then activate again.")
    }
}
