package import AudioModel

/// The session as a value: facts in, imperatives out.
///
/// It knows no clock, no threads and no Foundation.
///
/// The effects of one event come in this order (`SessionEffect.inOrder`): players are paused, suppressed or failed, then
/// streams are unlinked or linked, then claims go up or down, then players start, then notifications are posted, then
/// calls are answered.
package struct SessionMachine: Sendable {
    package internal(set) var state: SessionState

    /// - Parameters:
    ///   - roles: what the streams of other programs mean.
    ///   - multiRouteSpeaker: when a `multiRoute` session plays on the built-in speaker too.
    package init(roles: ForeignRoles = .standard, multiRouteSpeaker: MultiRouteSpeaker = .onlyWhenAlone) {
        state = SessionState(roles: roles, multiRouteSpeaker: multiRouteSpeaker)
    }

    /// Applies one event; the effects are to be carried out in order before the next event is applied.
    package mutating func apply(_ event: SessionEvent) -> [SessionEffect] {
        let before = state
        let effects = take(event.fact, at: event.time)
        return SessionEffect.inOrder(effects + derive(since: before, after: event))
    }

    /// The passes after every event derive what follows from the new state.
    ///
    /// Each pass may read what those before it have written. The route (`reroute`), the links (`moveStreams`) and the
    /// standing among other sessions (`judgePeers`) are no passes: what they do depends on the fact that calls for them.
    private mutating func derive(since before: SessionState, after event: SessionEvent) -> [SessionEffect] {
        let time = event.time
        // The activation: the last held stream may have gone, which ends an interruption and may lead to a claim.
        var effects = endHold(isReleased: event.fact.isRelease)
        // The override, which ends with the activity and moves the route and the links.
        effects += endOverride(before: before, at: time)
        // The claim that waits: it has a deadline when no interruption lasts and no claim is under way.
        effects += limitWaitingClaim(at: time)
        // The players: who sounds depends on the activation and on the links.
        effects += updatePlayers(at: time)
        // The claim, which says whether a player that sounds lowers the others.
        if state.isDuckingOthers != before.isDuckingOthers, state.configuration == before.configuration {
            effects += renewClaim()
        }
        // What is muted, then how loud each stream is.
        effects += unmuteForConfiguration()
        effects += noteRaisedVolume(since: before)
        effects += updateGains()
        // What the app is told about others, which depends on whether the session is active now.
        effects += hint(before: before)
        effects += recommendResumption()
        return effects
    }

    /// Decides a request of the app's, and answers it at once.
    private mutating func answer(
        _ call: CallID, needsServer: Bool = true, _ body: (inout Self) throws(SessionError) -> [SessionEffect]
    ) -> [SessionEffect] {
        decide(call, needsServer: needsServer) { machine throws(SessionError) in
            try body(&machine) + [.reply(call, nil)]
        }
    }

    /// Decides a request of the app's; one that is refused has changed nothing.
    private mutating func decide(
        _ call: CallID, needsServer: Bool = true, _ body: (inout Self) throws(SessionError) -> [SessionEffect]
    ) -> [SessionEffect] {
        do throws(SessionError) {
            if needsServer, !state.isConnected { throw .connectionLost }
            return try body(&self)
        } catch {
            return [.reply(call, error)]
        }
    }

    private mutating func take(_ fact: SessionFact, at time: HostTime) -> [SessionEffect] {
        switch fact {
        case .configurationRequested(let call, let configuration):
            answer(call) { machine throws(SessionError) in try machine.configure(configuration, at: time) }
        case .activationRequested(let call): activate(for: call)
        case .deactivationRequested(let call, let notifyOthers, let isSuperseded):
            deactivate(for: call, notifyOthers: notifyOthers, isSuperseded: isSuperseded)
        case .outputOverrideRequested(let call, let override):
            answer(call) { machine throws(SessionError) in try machine.override(override, at: time) }
        case .routeDisconnectPreferenceRequested(let call, let prefers):
            answer(call) { machine in
                machine.state.requested.prefersInterruptionOnRouteDisconnect = prefers
                return []
            }
        case .channelCountPreferred(let call, let direction, let count):
            answer(call) { machine throws(SessionError) in
                try machine.preferChannels(count, in: direction)
                return []
            }
        case .inputPreferred(let call, let uid):
            answer(call) { machine throws(SessionError) in try machine.preferInput(uid, at: time) }
        // The host answers it.
        case .inputGainRequested(let call, let gain):
            decide(call) { machine throws(SessionError) in try machine.setInputGain(gain, for: call) }
        case .outputMuteRequested(let call, let isMuted):
            answer(call) { machine throws(SessionError) in try machine.muteOutput(isMuted) }
        case .inputMuteRequested(let call, let isMuted): answer(call) { machine in machine.muteInput(isMuted) }
        case .preferencesStated(let call, let preferred):
            answer(call) { machine throws(SessionError) in try machine.setPreferred(preferred) }
        case .outputChosenByApp(let call, let choice):
            answer(call, needsServer: choice != .automatic) { machine throws(SessionError) in
                try machine.chooseOutput(choice, at: time)
            }
        case .streamOpened(let id, let policy): openStream(id, policy)
        case .streamPolicyChanged(let id, let policy): changePolicy(of: id, to: policy)
        case .streamClosed(let id): forgetStream(id)
        case .playRequested(let call, let id, let generation, let knownLosses):
            play(id, for: call, generation: generation, knownLosses: knownLosses ?? state.outputLosses)
        case .pauseRequested(let id): pauseForUser(id)
        case .playerStopped(let id): rest(id)
        case .host(.inventoryChanged(let inventory, let losses)): takeInventory(inventory, losses: losses, at: time)
        case .host(.portLost(let loss)): losePort(loss)
        case .host(.outputChosenByUser(let uid)): chooseOutput(uid, at: time)
        case .host(.streamFailed(let id, let error)): failStream(id, SessionError(error))
        case .host(.connectionLost(let reason)): loseConnection(reason)
        case .host(.connectionRestored): restoreConnection(at: time)
        case .host(.claimGranted(let id, let serial)): grantClaim(id, with: serial)
        // The new claim's serial judges the peers that came while that claim was under way.
        case .host(.claimRefused(let id, let error)): refuseClaim(id, SessionError(error)) + judgePeers()
        case .host(.streamHeld(let id)): holdStream(id)
        case .host(.streamReleased(let id)): releaseStream(id, at: time)
        case .host(.peerChanged(let peer)): takePeer(peer)
        case .host(.peerLeft(let serial, let notifiesOthers)):
            forgetPeer(with: serial, notifiesOthers: notifiesOthers)
        case .host(.foreignStreamsChanged(let streams)): takeForeignStreams(streams)
        case .host(.sleepAnnounced): fallAsleep()
        case .host(.wokeFromSleep): wake(at: time)
        case .host(.timeReached): failOverdueStreams(at: time) + releaseOverdueWaitingClaim(at: time)
        }
    }
}

extension SessionFact {
    fileprivate var isRelease: Bool { if case .host(.streamReleased) = self { true } else { false } }
}
