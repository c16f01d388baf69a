internal import AudioModel

/// The other sessions, and the programs that are none.
extension SessionMachine {
    /// How a claim of ours stands among the others.
    enum Standing {
        case effective
        case interrupted(by: Interruption.Source)
        case refused(by: Interruption.Source)
    }

    mutating func takePeer(_ peer: Peer) -> [SessionEffect] {
        state.peers.removeAll { $0.serial == peer.serial }
        let index = state.peers.firstIndex { $0.serial > peer.serial } ?? state.peers.endIndex
        state.peers.insert(peer, at: index)
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
            state.interruption?.isDirect = false
        }
        state.peers.removeAll { $0.serial == serial }
        state.lostClaims[serial] = nil
        if notifiesOthers { state.lostClaims = state.lostClaims.filter { $0.value != .refused(by: serial) } }
        let effects = judgePeers()
        return effects + (state.interruption?.source == .peer(serial) ? sourceWent(handsBack: handsBack) : [])
    }

    /// Interrupts us when one of them has.
    ///
    /// While a new claim of ours is under way, that claim's serial decides: who came before it does not interrupt it.
    mutating func judgePeers() -> [SessionEffect] {
        guard let own = state.ownClaim, state.replacementClaim == nil else {
            fold(with: nil)
            return []
        }
        return switch fold(with: own) {
        case .effective, nil: []
        case .interrupted(let serial), .refused(let serial): beginInterruption(by: .peer(serial))
        }
    }

    /// Judges our claim with this serial, and the peers with it.
    mutating func standing(with serial: ClaimSerial) -> Standing {
        switch fold(with: Arbitration.Claim(serial: serial, configuration: state.configuration)) {
        case .interrupted(let serial): .interrupted(by: .peer(serial))
        case .refused(let serial): .refused(by: .peer(serial))
        case .effective, nil:
            if isRefusedByForeignCall {
                .refused(by: .foreignCall)
            } else {
                // Nothing sounds while the machine goes to sleep, nor by itself when it has woken up.
                state.isAsleep ? .interrupted(by: .sleep) : .effective
            }
        }
    }

    /// A claim that has lost stays lost: its session is about to take it down, whatever happens meanwhile to the one
    /// that it lost to.
    @discardableResult
    private mutating func fold(with own: Arbitration.Claim?) -> Arbitration.Verdict? {
        let claims = state.effectivePeers.map {
            Arbitration.Claim(serial: $0.serial, configuration: $0.configuration, owner: $0.owner)
        }
        let arbitration = Arbitration(claims + (own.map { [$0] } ?? []))
        for claim in claims {
            let verdict = arbitration.verdict(on: claim.serial)
            if verdict != .effective { state.lostClaims[claim.serial] = verdict }
        }
        return own.flatMap { arbitration.verdict(on: $0.serial) }
    }

    // MARK: Foreign streams

    var hasForeignCall: Bool { state.foreignEffects.contains(.interrupts) }

    /// A call of a program that is no session counts as a call-like claim that does not mix.
    private var isRefusedByForeignCall: Bool {
        hasForeignCall && !state.configuration.isCallLike && !state.configuration.isMixable
    }

    /// Of two calls the later one wins, so that only streams that are new interrupt.
    mutating func takeForeignStreams(_ streams: [ForeignStream]) -> [SessionEffect] {
        let known = Set(state.foreignStreams.filter(interrupts).map(\.id))
        state.foreignStreams = streams
        let isNewCall = streams.contains { interrupts($0) && !known.contains($0.id) }
        if isNewCall, state.ownClaim != nil { return beginInterruption(by: .foreignCall) }
        let isOver = state.interruption?.source == .foreignCall && !hasForeignCall
        return isOver ? sourceWent(handsBack: true) : []
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
        guard state.awaitsRecommendation, state.activation == .inactive, !isRefusedByForeignCall,
            !state.effectivePeers.contains(where: { $0.configuration.refuses(state.configuration) })
        else { return [] }
        state.awaitsRecommendation = false
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
