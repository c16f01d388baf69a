internal import AudioModel

/// The other sessions, and the programs that are none.
extension SessionMachine {
    mutating func takePeer(_ peer: Peer) -> [SessionEffect] {
        state.reported.peers.removeAll { $0.serial == peer.serial }
        let index = state.peers.firstIndex { $0.serial > peer.serial } ?? state.peers.endIndex
        state.reported.peers.insert(peer, at: index)
        return judgePeers()
    }

    /// A call that hands back may have changed into something else: what it refused is judged again, for that may be the
    /// claim that takes its place.
    ///
    /// One that waits takes nothing from those below, nor one that has lost and was killed before it could say
    /// that it waits. One that sounded above us and goes without a word does, also where a nearer one is our source: neither
    /// resumes.
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
    /// While a new claim of ours is under way, that claim's serial decides: who came before it does not interrupt it.
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
        // Nothing sounds while the machine goes to sleep, nor by itself when it has woken up.
        return verdict == .effective && state.isAsleep ? .interrupted(by: .sleep) : verdict
    }

    /// A claim that has lost stays lost: its session is about to take it down, whatever happens meanwhile to the one
    /// that it lost to.
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
    /// What a call has done to the claims of others ends with it: each session tells by its claim whether it waits.
    mutating func takeForeignStreams(_ streams: [ForeignStream]) -> [SessionEffect] {
        let (known, place) = (state.foreignCalls, placeOfNewCall)
        state.reported.foreignStreams = streams
        let calls = streams.filter(interrupts).map { ($0.id, known[$0.id] ?? place) }
        state.derived.foreignCalls = Dictionary(calls) { $1 }
        state.derived.lostClaims = state.lostClaims.filter { !$0.value.isLoss(to: .foreignCall) }
        let isNew = state.foreignCalls.keys.contains { known[$0] == nil }
        let effects = isNew ? judge(state.ownClaim) : judgePeers()
        let isOver = state.interruption?.source == .foreignCall && !state.hasForeignCall
        return effects + (isOver ? sourceWent(handsBack: true) : [])
    }

    /// After all claims that are known; but before those that are there when we come: they had their effect during the call.
    private var placeOfNewCall: ClaimSerial {
        let isFirstReport = !state.hasInventory || state.connection == .restored
        let known = isFirstReport ? [] : [state.peers.last?.serial, state.ownClaim?.serial].compactMap { $0 }
        return known.max() ?? ClaimSerial(number: 0)
    }

    private func interrupts(_ stream: ForeignStream) -> Bool {
        state.roles.effect(ofRole: stream.role) == .interrupts
    }

    // MARK: What the app is told of them

    /// The hint is for active sessions: an inactive one asks when it needs to know.
    func hint(before: SessionState) -> [SessionEffect] {
        let begins = state.secondaryAudioShouldBeSilenced
        guard before.activation.isActive, state.activation.isActive, before.secondaryAudioShouldBeSilenced != begins
        else { return [] }
        return [.postSilenceSecondaryAudioHint(begins: begins)]
    }

    /// Once, when what stood in the way of a refused activation has gone.
    mutating func recommendResumption() -> [SessionEffect] {
        guard case .inactive(let inactivity) = state.activation, inactivity.awaitsRecommendation else { return [] }
        let next = Arbitration.Claim(serial: ClaimSerial(number: .max), configuration: state.configuration)
        guard arbitration(with: next).verdict(on: next.serial) == .effective else { return [] }
        state.derived.activation.inactivity?.awaitsRecommendation = false
        return [.postResumptionRecommendation]
    }

    func refusal(by source: Interruption.Source) -> SessionError {
        let peer = state.peers.first { .peer($0.serial) == source }
        let foreign = state.foreignStreams.first(where: interrupts)
        let name = (peer?.name ?? foreign?.name ?? "").printable
        return SessionError(
            .insufficientPriority,
            "\(name.isEmpty ? "Another program" : "The program \"\(name)\"") holds a call, and category "
                + "\(state.configuration.category) in mode \(state.configuration.mode) may not begin under one. Allowed: "
                + "options that mix with others, or playAndRecord in a chat mode. Wait for the recommendation to resume, "
                + "then activate again.")
    }
}
