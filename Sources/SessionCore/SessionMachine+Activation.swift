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
        case .claiming:
            state.waitingCalls += calls
            return []
        case .inactive:
            state.awaitsRecommendation = false
            state.waitingCalls = calls
            if let error = missingInput { return giveUpClaim(error) }
            let id = nextClaim()
            state.activation = .claiming(id)
            return [.claim(id, state.configuration)]
        }
    }

    /// Replaces the claim by one for the present configuration; the session stays active meanwhile.
    ///
    /// A claim that another one replaces is taken down with a word to the others: those that it interrupted are then
    /// interrupted by the new one, or may resume if that mixes with them.
    mutating func renewClaim() -> [SessionEffect] {
        switch state.activation {
        case .inactive:
            return []
        case .claiming(let old):
            let id = nextClaim()
            state.activation = .claiming(id)
            return [.claim(id, state.configuration), .release(old, notifyOthers: true)]
        case .active:
            let old = state.replacementClaim
            let id = nextClaim()
            state.replacementClaim = id
            return [.claim(id, state.configuration)] + (old.map { [.release($0, notifyOthers: true)] } ?? [])
        }
    }

    private mutating func nextClaim() -> ClaimID {
        state.claimCount += 1
        return ClaimID(number: state.claimCount)
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
    /// ends that.
    mutating func deactivate(for call: CallID, notifyOthers: Bool, isSuperseded: Bool) -> [SessionEffect] {
        guard !isSuperseded else { return [.reply(call, nil)] }
        guard state.isConnected else { return [.reply(call, .connectionLost)] }
        var effects: [SessionEffect] = []
        if state.activation != .inactive || state.interruption != nil {
            effects += pausePlayers(.deactivation) { $0.followsSession }
        }
        if state.activation.isActive { effects.append(.postBecameInactive) }
        state.generation += 1
        if state.interruption?.hasEnd == false { state.interruption = nil }
        let release = notifyOthers || state.interruption == nil ? releaseWaitingClaim(notifyOthers: notifyOthers) : []
        state.awaitsRecommendation = false
        let overtaken = SessionError(
            .sessionNotActive,
            "The session was deactivated before its activation was granted. Activate it again to sound.")
        return effects + takeDownClaim(notifyOthers: notifyOthers) + release + answerWaitingCalls(overtaken)
            + [.reply(call, nil)]
    }

    /// An answer to a claim that is no longer wanted changes nothing: it has been released already, but for one that was
    /// under way when the connection was lost.
    mutating func grantClaim(_ id: ClaimID, with serial: ClaimSerial) -> [SessionEffect] {
        switch state.activation {
        case .claiming(id):
            switch standing(with: serial) {
            case .effective: return becomeActive(id, with: serial)
            case .interrupted(let source): return becomeActive(id, with: serial) + beginInterruption(by: source)
            case .refused(let source): return acceptRefusal(of: id, by: source)
            }
        case .active(let old) where state.replacementClaim == id:
            switch standing(with: serial) {
            case .effective:
                holdClaim(id, with: serial)
                return [.release(old, notifyOthers: true)]
            case .interrupted(let source), .refused(let source):
                return beginInterruption(by: source)
            }
        case .inactive, .claiming, .active:
            return state.strayClaims.remove(id) == nil ? [] : [.release(id, notifyOthers: true)]
        }
    }

    private mutating func becomeActive(_ id: ClaimID, with serial: ClaimSerial) -> [SessionEffect] {
        holdClaim(id, with: serial)
        state.interruption = nil
        return releaseWaitingClaim(notifyOthers: true) + [.postBecameActive] + answerWaitingCalls(nil)
    }

    private mutating func holdClaim(_ id: ClaimID, with serial: ClaimSerial) {
        state.activation = .active(id)
        state.ownClaim = Arbitration.Claim(serial: serial, configuration: state.configuration)
        state.replacementClaim = nil
    }

    /// An interrupted session needs no recommendation besides: the interruption's end tells it.
    ///
    /// The claim never had an effect and takes nothing from those below, who may not know yet that it was refused.
    private mutating func acceptRefusal(of id: ClaimID, by source: Interruption.Source) -> [SessionEffect] {
        state.awaitsRecommendation = state.interruption?.hasEnd != true
        return [.release(id, notifyOthers: true)] + giveUpClaim(refusal(by: source))
    }

    /// The host could not publish the claim, or another program has removed it since.
    ///
    /// A session whose new claim fails keeps the one it has: others then see what it was, which is better than to see
    /// nothing. One whose only claim has gone is interrupted, as other sessions would not make way for it any more.
    mutating func refuseClaim(_ id: ClaimID, _ error: SessionError) -> [SessionEffect] {
        state.strayClaims.remove(id)
        switch state.activation {
        case .claiming(id):
            return giveUpClaim(error)
        case .active(id):
            // There is nothing left to take down.
            return beginInterruption(by: .claimLost).filter { $0 != .release(id, notifyOthers: false) }
        case .inactive, .claiming, .active:
            if state.replacementClaim == id { state.replacementClaim = nil }
            if state.waitingClaim?.id == id { state.waitingClaim = nil }
            return []
        }
    }

    /// Players that wait for this claim are paused; those that wait for the end of an interruption go on waiting.
    private mutating func giveUpClaim(_ error: SessionError) -> [SessionEffect] {
        state.activation = .inactive
        let hasEnd = state.interruption?.hasEnd == true
        let pauses = pausePlayers(.refusal) {
            $0.playWhenReady && !$0.isStarted && $0.followsSession && !($0.resumes && hasEnd)
        }
        return pauses + answerWaitingCalls(error)
    }

    /// Goes back to inactive; a claim at a server that is gone needs no release.
    ///
    /// One that was not granted never had an effect and takes nothing from those below.
    mutating func takeDownClaim(notifyOthers: Bool = false) -> [SessionEffect] {
        if !state.isConnected {
            state.strayClaims = claimsUnderWay
            state.waitingClaim = nil
        }
        var releases = state.replacementClaim.map { [SessionEffect.release($0, notifyOthers: notifyOthers)] } ?? []
        switch state.activation {
        case .inactive: break
        case .claiming(let id): releases.append(.release(id, notifyOthers: true))
        case .active(let id): releases.append(.release(id, notifyOthers: notifyOthers))
        }
        state.activation = .inactive
        state.ownClaim = nil
        state.replacementClaim = nil
        return state.isConnected ? releases : []
    }

    // MARK: The claim of an interrupted session

    /// How long an app has to play again after an interruption, in seconds, before those below are told of an end.
    static let waitingClaimSeconds = 2.0

    /// Goes back to inactive, and keeps the claim's serial.
    mutating func suspendClaim() -> [SessionEffect] {
        guard case .active(let id) = state.activation else { return takeDownClaim() }
        let replacement = state.replacementClaim
        state.activation = .inactive
        state.ownClaim = nil
        state.replacementClaim = nil
        state.waitingClaim = WaitingClaim(id: id)
        return [.suspendClaim(id)] + (replacement.map { [.release($0, notifyOthers: true)] } ?? [])
    }

    mutating func releaseWaitingClaim(notifyOthers: Bool) -> [SessionEffect] {
        defer { state.waitingClaim = nil }
        return state.waitingClaim.map { [.release($0.id, notifyOthers: notifyOthers)] } ?? []
    }

    mutating func releaseOverdueWaitingClaim(at time: HostTime) -> [SessionEffect] {
        guard let deadline = state.waitingClaim?.deadline, deadline <= time else { return [] }
        return releaseWaitingClaim(notifyOthers: true)
    }

    /// Begins to count the time when the interruption has ended and no claim is under way.
    mutating func limitWaitingClaim(at time: HostTime) -> [SessionEffect] {
        guard let waiting = state.waitingClaim, state.interruption == nil, state.activation == .inactive else {
            state.waitingClaim?.deadline = nil
            return []
        }
        guard waiting.deadline == nil else { return [] }
        let deadline = time.advanced(bySeconds: Self.waitingClaimSeconds)
        state.waitingClaim?.deadline = deadline
        return [.wake(at: deadline)]
    }

    /// Put up, and not answered yet.
    private var claimsUnderWay: Set<ClaimID> {
        var claims: Set<ClaimID> = state.replacementClaim.map { [$0] } ?? []
        if case .claiming(let id) = state.activation { claims.insert(id) }
        return claims
    }

    mutating func answerWaitingCalls(_ error: SessionError?) -> [SessionEffect] {
        defer { state.waitingCalls = [] }
        return state.waitingCalls.map { .reply($0, error) }
    }
}
