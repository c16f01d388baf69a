internal import AudioModel

/// The system makes the session inactive, and may make way for it again.
extension SessionMachine {
    /// Only an active session can be interrupted.
    ///
    /// Players that resume by themselves are suppressed (`updatePlayers`); the others are paused. Those that are paused
    /// already are told again, except for the loss of a device: that has been reported, and says more. The claim keeps its
    /// serial where other programs' sound is the source.
    mutating func beginInterruption(by source: Interruption.Source) -> [SessionEffect] {
        guard case .active(let id, let own, let replacement) = state.activation else { return [] }
        let pauses = pausePlayers(.interruption) {
            guard $0.followsSession else { return false }
            return $0.playWhenReady ? !$0.resumes : source != .routeDisconnected
        }
        state.derived.generation += 1
        let interruption = Interruption(source: source, serial: own.serial)
        let waiting = source.isOfOthers ? WaitingClaim(id: id) : nil
        state.derived.activation = .inactive(Inactivity(interruption: interruption, waitingClaim: waiting))
        let claims =
            source.isOfOthers
            ? [.suspendClaim(id)] + release(replacement, notifyOthers: true)
            : release(replacement, notifyOthers: false) + [.release(id, notifyOthers: false)]
        return pauses + claims + [.postInterruptionBegan(interruption.reason)]
    }

    /// The source of the interruption has gone: something else takes its place, or the interruption is over.
    ///
    /// The app is not advised to resume what would be heard on another output (decision 60). Players that were asked to play
    /// after the loss wait for the end, and play.
    ///
    /// - Parameter handsBack: it has said that others may resume.
    mutating func sourceWent(handsBack: Bool) -> [SessionEffect] {
        guard var interruption = state.interruption else { return [] }
        interruption.isDirect = interruption.isDirect && handsBack
        if let heir = blocker(after: interruption.serial) {
            interruption.source = heir
            state.derived.activation.inactivity?.interruption = interruption
            return []
        }
        state.derived.activation.inactivity?.interruption = nil
        return (interruption.isDirect ? resume() : stayPaused() + releaseWaitingClaim(notifyOthers: false))
            + [.postInterruptionEnded(shouldResume: interruption.isDirect && !interruption.hasLostOutput)]
    }

    /// Playing again needs a new claim; if no player waits for it, the app activates.
    private mutating func resume() -> [SessionEffect] {
        state.streams.contains { $0.playWhenReady && $0.resumes } ? claim(for: nil) : []
    }

    /// Players that the app's pending activation will start still wait for it.
    private mutating func stayPaused() -> [SessionEffect] {
        guard state.activation.isInactive else { return [] }
        return pausePlayers(.interruption) { $0.playWhenReady && !$0.isStarted && $0.followsSession }
    }

    /// What would interrupt or refuse a session with our configuration, whose claim had this serial.
    ///
    /// A peer above it that waits, or is about to wait, may play again; the nearest peer counts first.
    private func blocker(after serial: ClaimSerial) -> Interruption.Source? {
        if state.isAsleep { return .sleep }
        if isHeldOutside { return .heldStream }
        if state.hasForeignCall { return .foreignCall }
        let peer = state.peers.first {
            if state.isEffective($0), $0.configuration.refuses(state.configuration) { return true }
            if case .refused = state.lostClaims[$0.serial] { return false }
            return $0.serial > serial && $0.configuration.interrupts(state.configuration)
        }
        return peer.map { .peer($0.serial) }
    }

    // MARK: Held streams

    private var isHeldOutside: Bool { state.streams.contains { $0.isHeld && $0.followsSession } }

    /// An outside policy has stopped a stream of ours: the session is interrupted as a whole, unless that stream has
    /// nothing to do with it.
    mutating func holdStream(_ id: StreamID) -> [SessionEffect] {
        guard let index = state.streams.firstIndex(where: { $0.id == id }) else { return [] }
        state.streams[index].isHeld = true
        return state.streams[index].followsSession ? beginInterruption(by: .heldStream) : []
    }

    /// The host has closed the stream's gate; only a link opens it again.
    mutating func releaseStream(_ id: StreamID, at time: HostTime) -> [SessionEffect] {
        guard let index = state.streams.firstIndex(where: { $0.id == id && $0.isHeld }) else { return [] }
        state.streams[index].isHeld = false
        state.streams[index].ports = []
        return moveStreams(at: time)
    }

    /// - Parameter isReleased: false where the last held stream has ended instead.
    mutating func endHold(isReleased: Bool) -> [SessionEffect] {
        guard state.interruption?.source == .heldStream, !isHeldOutside else { return [] }
        return sourceWent(handsBack: isReleased)
    }

    // MARK: A lost device

    /// Interrupts a session that plays alone when the port that it sounded on has left the route, unless a player of its
    /// own is to go on in such a case.
    ///
    /// Source: Apple documentation, `setPrefersInterruptionOnRouteDisconnect` ("Now Playing" sessions: here, category
    /// playback without mixing).
    ///
    /// - Parameters:
    ///   - players: those that sounded before the inventory and follow the session.
    ///   - effects: those of the inventory; no route change is among them where the port is still there.
    mutating func interruptForDisconnect(
        of players: [StreamRecord], after effects: [SessionEffect]
    ) -> [SessionEffect] {
        let isPaused = players.contains { player in
            player.wasCutOff
                || effects.contains { if case .pausePlayer(player.id, _) = $0 { true } else { false } }
        }
        let isLost = effects.contains { effect in
            guard case .postRouteChange(let change) = effect else { return false }
            return change.reason == .oldDeviceUnavailable || change.reason == .noSuitableRouteForCategory
        }
        guard isPaused, isLost, state.prefersInterruptionOnRouteDisconnect,
            state.configuration.category == .playback, !state.configuration.isMixable, !soundsOnAfterLosses
        else { return [] }
        return beginInterruption(by: .routeDisconnected)
    }

    private var soundsOnAfterLosses: Bool {
        state.streams.contains { $0.isStarted && $0.followsSession && $0.policy.onDeviceLoss == .continue }
    }

    // MARK: Sleep

    mutating func fallAsleep() -> [SessionEffect] {
        state.reported.isAsleep = true
        return beginInterruption(by: .sleep) + [.allowSleep]
    }

    /// Playback does not resume after sleep.
    mutating func wake(at time: HostTime) -> [SessionEffect] {
        state.reported.isAsleep = false
        let change = state.isConnected ? reroute(.wake, at: time) : []
        return change + (state.interruption?.source == .sleep ? sourceWent(handsBack: false) : [])
    }
}
