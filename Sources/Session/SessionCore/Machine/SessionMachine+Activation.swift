internal import AudioModel

extension SessionMachine {
    /// Success at once while active; else a claim, or a place in the queue behind the claim that is under way.
    mutating func activate(for call: CallID) -> [SessionEffect] {
        guard state.isConnected else { return [.reply(call, .connectionLost)] }
        return claim(for: call)
    }

    /// Puts up a claim, or waits for the one under way.
    ///
    /// `record` needs an input now. `playAndRecord` does not (`RoutePolicy.isUnsuitable`), nor do the playing categories
    /// need an output: a session may be active before the headphones are plugged in.
    ///
    /// - Parameter call: nil when it is the session's own idea.
    mutating func claim(for call: CallID?) -> [SessionEffect] {
        let calls = call.map { [$0] } ?? []
        switch state.activation {
        case .active:
            return calls.map { .reply($0, nil) }
        case .claiming(let id, let earlier, let inactivity):
            state.derived.activation = .claiming(id, for: earlier + calls, inactivity)
            return []
        case .inactive(var inactivity):
            inactivity.awaitsRecommendation = false
            if let error = missingInput { return giveUpClaim(inactivity, answering: calls, error) }
            let id = nextClaim()
            state.derived.activation = .claiming(id, for: calls, inactivity)
            return [.claim(id, state.claimedConfiguration)]
        }
    }

    /// Replaces the claim by one for the present configuration; the session stays active meanwhile.
    ///
    /// A claim that another one replaces is taken down with a word to the others: those that it interrupted are then
    /// interrupted by the new one, or may resume if that mixes with them.
    mutating func renewClaim() -> [SessionEffect] {
        let old: ClaimID?
        switch state.activation {
        case .inactive:
            return []
        case .claiming(let id, let calls, let inactivity):
            old = id
            state.derived.activation = .claiming(nextClaim(), for: calls, inactivity)
        case .active(let id, let claim, let replacement):
            old = replacement
            state.derived.activation = .active(id, claim, replacement: nextClaim())
        }
        let new = ClaimID(number: state.claimCount)
        return [.claim(new, state.claimedConfiguration)] + release(old, notifyOthers: true)
    }

    private mutating func nextClaim() -> ClaimID {
        state.derived.claimCount += 1
        return ClaimID(number: state.claimCount)
    }

    func release(_ id: ClaimID?, notifyOthers: Bool) -> [SessionEffect] {
        id.map { [.release($0, notifyOthers: notifyOthers)] } ?? []
    }

    private var missingInput: SessionError? {
        guard state.configuration.category == .record, state.hasInventory, state.inventory.inputs.isEmpty else {
            return nil
        }
        let others = RoutePolicy.availableCategories(state.inventory).map { "\($0)" }.joined(separator: ", ")
        return SessionError(
            .resourceNotAvailable,
            "Category record needs an input, and none is connected. Connect a microphone, or set one of: \(others).")
    }

    /// Always succeeds while connected; an activation that was waiting for its claim is told that it has been overtaken.
    ///
    /// An app that was interrupted still learns of the end, also when it deactivates the session meanwhile; an activation
    /// ends that. A claim that was not granted never had an effect and takes nothing from those below.
    mutating func deactivate(for call: CallID, notifyOthers: Bool, isSuperseded: Bool) -> [SessionEffect] {
        guard !isSuperseded else { return [.reply(call, nil)] }
        guard state.isConnected else { return [.reply(call, .connectionLost)] }
        var effects: [SessionEffect] = []
        if !state.activation.isInactive || state.interruption != nil {
            effects += pausePlayers(.deactivation) { $0.followsSession }
        }
        state.derived.generation += 1
        switch state.activation {
        case .inactive: break
        case .claiming(let id, let calls, _):
            effects += [.release(id, notifyOthers: true)] + calls.map { .reply($0, .overtaken) }
        case .active(let id, _, let replacement):
            effects += release(replacement, notifyOthers: notifyOthers) + [.release(id, notifyOthers: notifyOthers)]
            effects.append(.postBecameInactive)
        }
        var inactivity = state.activation.inactivity ?? Inactivity()
        inactivity.awaitsRecommendation = false
        if inactivity.interruption?.hasEnd == false { inactivity.interruption = nil }
        state.derived.activation = .inactive(inactivity)
        if notifyOthers || inactivity.interruption == nil { effects += releaseWaitingClaim(notifyOthers: notifyOthers) }
        return effects + [.reply(call, nil)]
    }

    /// An answer to a claim that is no longer wanted changes nothing: it has been released already, but for one that was
    /// under way when the connection was lost.
    mutating func grantClaim(_ id: ClaimID, with serial: ClaimSerial) -> [SessionEffect] {
        switch state.activation {
        case .claiming(id, let calls, let inactivity):
            switch standing(with: serial) {
            case .effective:
                return becomeActive(id, with: serial, answering: calls)
            case .interrupted(let source):
                return becomeActive(id, with: serial, answering: calls) + beginInterruption(by: source)
            case .refused(let source):
                return acceptRefusal(of: id, by: source, inactivity, answering: calls)
            }
        case .active(let old, _, replacement: .some(id)):
            switch standing(with: serial) {
            case .effective:
                holdClaim(id, with: serial)
                return [.release(old, notifyOthers: true)]
            case .interrupted(let source), .refused(let source):
                return beginInterruption(by: source)
            }
        case .inactive, .claiming, .active:
            guard state.strayClaim == id else { return [] }
            state.derived.strayClaim = nil
            return [.release(id, notifyOthers: true)]
        }
    }

    private mutating func becomeActive(
        _ id: ClaimID, with serial: ClaimSerial, answering calls: [CallID]
    ) -> [SessionEffect] {
        let release = releaseWaitingClaim(notifyOthers: true)
        holdClaim(id, with: serial)
        return release + [.postBecameActive] + calls.map { .reply($0, nil) }
    }

    private mutating func holdClaim(_ id: ClaimID, with serial: ClaimSerial) {
        let claim = Arbitration.Claim(serial: serial, configuration: state.claimedConfiguration)
        state.derived.activation = .active(id, claim, replacement: nil)
    }

    /// An interrupted session needs no recommendation besides: the interruption's end tells it.
    ///
    /// The claim never had an effect and takes nothing from those below, who may not know yet that it was refused.
    private mutating func acceptRefusal(
        of id: ClaimID, by source: Interruption.Source, _ inactivity: Inactivity, answering calls: [CallID]
    ) -> [SessionEffect] {
        var inactivity = inactivity
        inactivity.awaitsRecommendation = inactivity.interruption?.hasEnd != true
        return [.release(id, notifyOthers: true)] + giveUpClaim(inactivity, answering: calls, refusal(by: source))
    }

    /// The host could not publish the claim, or another program has removed it since.
    ///
    /// A session whose new claim fails keeps the one it has: others then see what it was, which is better than to see
    /// nothing. One whose only claim has gone is interrupted, as other sessions would not make way for it any more.
    mutating func refuseClaim(_ id: ClaimID, _ error: SessionError) -> [SessionEffect] {
        if state.strayClaim == id { state.derived.strayClaim = nil }
        switch state.activation {
        case .claiming(id, let calls, let inactivity):
            return giveUpClaim(inactivity, answering: calls, error)
        case .active(id, _, _):
            // There is nothing left to take down.
            return beginInterruption(by: .claimLost).filter { $0 != .release(id, notifyOthers: false) }
        case .active(let own, let claim, replacement: .some(id)):
            state.derived.activation = .active(own, claim, replacement: nil)
            return []
        case .inactive, .claiming, .active:
            if state.activation.inactivity?.waitingClaim?.id == id {
                state.derived.activation.inactivity?.waitingClaim = nil
            }
            return []
        }
    }

    /// Players that wait for this claim are paused; those that wait for the end of an interruption go on waiting.
    private mutating func giveUpClaim(
        _ inactivity: Inactivity, answering calls: [CallID], _ error: SessionError
    ) -> [SessionEffect] {
        state.derived.activation = .inactive(inactivity)
        let hasEnd = inactivity.interruption?.hasEnd == true
        let pauses = pausePlayers(.refusal) {
            $0.playWhenReady && !$0.isStarted && $0.followsSession && !($0.resumes && hasEnd)
        }
        return pauses + calls.map { .reply($0, error) }
    }

    // MARK: The claim of an interrupted session

    /// How long an app has to play again after an interruption, in seconds, before those below are told of an end.
    static let waitingClaimSeconds = 2.0

    mutating func releaseWaitingClaim(notifyOthers: Bool) -> [SessionEffect] {
        let id = state.activation.inactivity?.waitingClaim?.id
        state.derived.activation.inactivity?.waitingClaim = nil
        return release(id, notifyOthers: notifyOthers)
    }

    mutating func releaseOverdueWaitingClaim(at time: HostTime) -> [SessionEffect] {
        guard let deadline = state.activation.inactivity?.waitingClaim?.deadline, deadline <= time else { return [] }
        return releaseWaitingClaim(notifyOthers: true)
    }

    /// Begins to count the time when the interruption has ended and no claim is under way.
    mutating func limitWaitingClaim(at time: HostTime) -> [SessionEffect] {
        guard let waiting = state.activation.inactivity?.waitingClaim else { return [] }
        guard state.interruption == nil, state.activation.isInactive else {
            state.derived.activation.inactivity?.waitingClaim?.deadline = nil
            return []
        }
        guard waiting.deadline == nil else { return [] }
        let deadline = time.advanced(bySeconds: Self.waitingClaimSeconds)
        state.derived.activation.inactivity?.waitingClaim?.deadline = deadline
        return [.wake(at: deadline)]
    }
}

extension SessionError {
    fileprivate static let overtaken = SessionError(
        .sessionNotActive,
        "The session was deactivated before its activation was granted. Activate it again to sound.")
}
