internal import AudioModel

/// The server goes away and comes back.
extension SessionMachine {
    /// The route stays as it was, for what changed is the server, not the ports; the next inventory tells what is left.
    ///
    /// All that the server knew is gone: claims, peers, foreign streams and what they did to us, the user's choice of an
    /// output.
    ///
    /// - Parameter reason: empty where the server has gone.
    mutating func loseConnection(_ reason: String) -> [SessionEffect] {
        guard state.isConnected else { return [] }
        state.isConnected = false
        state.lossReason = reason
        state.generation += 1
        state.chosenOutputUID = nil
        let outputs = state.streams.filter { $0.policy.direction == .output && $0.playWhenReady }.flatMap(\.ports)
        // A player that waited for an output says nothing new.
        if !outputs.isEmpty { state.outputsAtLoss = outputs }
        let error = SessionError.connectionLost(reason)
        let failures = state.streams.map { SessionEffect.failPlayer($0.id, error) }
        state.streams = []
        state.peers = []
        state.lostClaims = [:]
        state.foreignStreams = []
        state.foreignCalls = [:]
        state.interruption = nil
        state.awaitsRecommendation = false
        return failures + takeDownClaim() + answerWaitingCalls(error) + [.postMediaServicesLost]
    }

    /// What the app had set is back to the defaults, as after a restart of Apple's media services; nothing starts.
    mutating func restoreConnection(at time: HostTime) -> [SessionEffect] {
        guard !state.isConnected else { return [] }
        state.isConnected = true
        state.configuration = SessionConfiguration()
        state.override = .none
        state.preferredChannels = [:]
        state.preferredInput = nil
        state.preferredSettings = PreferredSettings()
        state.isOutputMuted = false
        state.isInputMuted = false
        state.prefersInterruptionOnRouteDisconnect = true
        state.isFreshlyReset = true
        guard let inventory = state.inventoryAfterLoss else { return [.postMediaServicesReset] }
        state.inventoryAfterLoss = nil
        return [.postMediaServicesReset] + takeInventory(inventory, at: time)
    }
}

extension SessionError {
    static let connectionLost = connectionLost("")

    /// - Parameter reason: empty where the server has gone.
    static func connectionLost(_ reason: String) -> SessionError {
        SessionError(
            .mediaServicesFailed,
            "The connection to the sound server is lost\(reason.isEmpty ? "" : ": \(reason.printable)"). Wait until it is "
                + "back, then activate the session and open the player again.")
    }
}
