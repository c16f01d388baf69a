internal import AudioModel

/// What the players' users want, and what becomes of it.
extension SessionMachine {
    /// How long a player may wait for a route, in seconds, before that is an error.
    static let suppressionSeconds = 600.0
    /// The part of its volume that a ducked player keeps: 14 dB less.
    static let duckedGain: Float = 0.2

    /// What is asked of a session that has been interrupted or deactivated since is out of date; a player that does not
    /// follow the session is never out of date.
    ///
    /// A player that resumes by itself does not end an interruption that has an end: its request is an intent until then.
    /// All others claim, so that a play button is never without effect.
    ///
    /// What was asked before an output left comes to what it would have come to had it been carried out then: a pause.
    mutating func play(
        _ id: StreamID, for call: CallID, generation: UInt64, knownLosses: UInt64
    ) -> [SessionEffect] {
        guard state.isConnected else { return [.reply(call, .connectionLost)] }
        guard let index = state.streams.firstIndex(where: { $0.id == id }) else {
            return [.reply(call, .streamEnded)]
        }
        if let error = missingInput(of: state.streams[index]) { return [.reply(call, error)] }
        let followsSession = state.streams[index].followsSession
        guard !followsSession || generation >= state.generation else { return [.reply(call, .outOfDate)] }
        let isFromBeforeLoss = knownLosses < state.outputLosses && state.streams[index].isPausedByRouteLoss
        if !state.streams[index].playWhenReady, isFromBeforeLoss {
            return [pausePlayer(at: index, .oldDeviceUnavailable), .reply(call, nil)]
        }
        if !state.streams[index].playWhenReady { state.streams[index].playback = .waiting }
        let waits = state.streams[index].resumes && state.interruption?.hasEnd == true
        return followsSession && !waits ? claim(for: call) : [.reply(call, nil)]
    }

    mutating func pauseForUser(_ id: StreamID) -> [SessionEffect] {
        pausePlayers(.user) { $0.id == id }
    }

    mutating func rest(_ id: StreamID) -> [SessionEffect] {
        guard let index = state.streams.firstIndex(where: { $0.id == id }) else { return [] }
        state.streams[index].playback = .resting
        return []
    }

    mutating func pausePlayers(_ cause: PauseCause, where isConcerned: (StreamRecord) -> Bool) -> [SessionEffect] {
        state.streams.indices.filter { isConcerned(state.streams[$0]) }.map { pausePlayer(at: $0, cause) }
    }

    mutating func pausePlayer(at index: Int, _ cause: PauseCause) -> SessionEffect {
        state.streams[index].playback = .resting
        return .pausePlayer(state.streams[index].id, cause)
    }

    // MARK: What follows from the state

    /// Starts and suppresses the players that are meant to play.
    mutating func updatePlayers(at time: HostTime) -> [SessionEffect] {
        state.streams.indices.flatMap { index -> [SessionEffect] in
            let stream = state.streams[index]
            let due = playback(due: stream, at: time)
            guard due != stream.playback else { return [] }
            state.streams[index].playback = due
            switch due {
            case .resting, .waiting: return []
            case .started:
                state.streams[index].awaitsPrivateOutput = false
                return [.startPlayer(stream.id)]
            case .interrupted:
                return [.suppressPlayer(stream.id, .interruption)]
            case .withoutRoute(let deadline):
                return [.suppressPlayer(stream.id, .noSuitableRoute)] + (deadline.map { [.wake(at: $0)] } ?? [])
            }
        }
    }

    /// It stays as it is while its claim is under way, and where its policy has changed while it sounds.
    private func playback(due stream: StreamRecord, at time: HostTime) -> StreamRecord.Playback {
        guard stream.playWhenReady else { return .resting }
        guard state.activation.isActive || !stream.followsSession else {
            guard let interruption = state.interruption else { return stream.playback }
            let waits = stream.resumes && interruption.hasEnd || state.activation.isInactive
            return waits ? .interrupted : stream.playback
        }
        if stream.isHeld { return .interrupted }
        if !stream.ports.isEmpty { return .started }
        if case .withoutRoute = stream.playback { return stream.playback }
        let deadline = stream.awaitsPrivateOutput ? nil : time.advanced(bySeconds: Self.suppressionSeconds)
        return .withoutRoute(deadline: deadline)
    }

    mutating func failOverdueStreams(at time: HostTime) -> [SessionEffect] {
        let overdue = state.streams.filter {
            if case .withoutRoute(let deadline?) = $0.playback { deadline <= time } else { false }
        }
        return overdue.flatMap { failStream($0.id, .noRouteInTime) }
    }

    /// The factor is apart from the player's own volume, so that 1 restores exactly what was.
    mutating func updateGains() -> [SessionEffect] {
        let gain: Float = state.isDucked ? Self.duckedGain : 1
        return state.streams.indices.compactMap { index in
            let isOutput = state.streams[index].policy.direction == .output
            let isMuted = isOutput ? state.isOutputMuted : state.isInputMuted
            let own = isMuted ? 0 : isOutput && state.streams[index].followsSession ? gain : 1
            guard state.streams[index].gain != own else { return nil }
            state.streams[index].gain = own
            return .setGain(state.streams[index].id, own)
        }
    }
}

extension SessionError {
    static let outOfDate = SessionError(
        .sessionNotActive,
        "The session was interrupted or deactivated after this was asked, so the player was not started. Play "
            + "again if it is still wanted.")
    static let streamEnded = SessionError(
        .resourceNotAvailable, "The player's stream has been closed or has failed. Open the player again.")
    static let noRouteInTime = SessionError(
        .resourceNotAvailable,
        "For 10 minutes there was no output that the player could use. Connect one, or choose a category that can use "
            + "what is there, and open the player again.")
}
