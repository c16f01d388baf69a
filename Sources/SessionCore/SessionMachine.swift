internal import AudioModel

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
        let time = event.time
        var effects =
            switch event.fact {
            case .configurationRequested(let call, let configuration): configure(configuration, for: call, at: time)
            case .activationRequested(let call): activate(for: call)
            case .deactivationRequested(let call, let notifyOthers, let isSuperseded):
                deactivate(for: call, notifyOthers: notifyOthers, isSuperseded: isSuperseded)
            case .outputOverrideRequested(let call, let override): self.override(override, for: call, at: time)
            case .routeDisconnectPreferenceRequested(let call, let prefers): preferInterruption(prefers, for: call)
            case .channelCountPreferred(let call, let direction, let count):
                preferChannels(count, in: direction, for: call)
            case .inputPreferred(let call, let uid): preferInput(uid, for: call, at: time)
            case .inputGainRequested(let call, let gain): setInputGain(gain, for: call)
            case .outputMuteRequested(let call, let isMuted): muteOutput(isMuted, for: call)
            case .inputMuteRequested(let call, let isMuted): muteInput(isMuted, for: call)
            case .preferencesStated(let call, let preferred): setPreferred(preferred, for: call)
            case .outputChosenByApp(let call, let choice): chooseOutput(choice, for: call, at: time)
            case .streamOpened(let id, let policy): openStream(id, policy)
            case .streamPolicyChanged(let id, let policy): changePolicy(of: id, to: policy)
            case .streamClosed(let id): forgetStream(id)
            case .playRequested(let call, let id, let generation): play(id, for: call, generation: generation)
            case .pauseRequested(let id): pauseForUser(id)
            case .playerStopped(let id): rest(id)
            case .host(.inventoryChanged(let inventory, let losses)): takeInventory(inventory, losses: losses, at: time)
            case .host(.portLost(let loss)): losePort(loss)
            case .host(.outputChosenByUser(let uid)): chooseOutput(uid, at: time)
            case .host(.streamFailed(let id, let error)): failStream(id, SessionError(error))
            case .host(.connectionLost(let reason)): loseConnection(reason)
            case .host(.connectionRestored): restoreConnection(at: time)
            case .host(.claimGranted(let id, let serial)): grantClaim(id, with: serial)
            // A peer that came while a new claim was under way was left for that claim's serial to judge.
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
        // What follows from the new state, whatever has led to it.
        effects += endHold(isReleased: event.fact.isRelease)
        effects += endOverride(before: before, at: time)
        effects += limitWaitingClaim(at: time)
        effects += updatePlayers(at: event.time)
        effects += unmuteForConfiguration() + noteRaisedVolume(since: before)
        effects += updateGains()
        effects += hint(before: before)
        effects += recommendResumption()
        return SessionEffect.inOrder(effects)
    }
}

extension SessionFact {
    fileprivate var isRelease: Bool { if case .host(.streamReleased) = self { true } else { false } }
}
