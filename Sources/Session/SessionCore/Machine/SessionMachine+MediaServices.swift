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
        state.reported.connection = .lost(next: nil)
        state.reported.lossReason = reason
        state.reported.peers = []
        state.reported.foreignStreams = []
        state.requested.output.forgetUser()
        state.derived.generation += 1
        state.derived.lostClaims = [:]
        state.derived.reportedOutputLosses = []
        state.derived.foreignCalls = [:]
        let outputs = state.streams.filter { $0.policy.direction == .output && $0.playWhenReady }.flatMap(\.ports)
        // A player that waited for an output says nothing new.
        if !outputs.isEmpty { state.derived.outputsAtLoss = outputs }
        let error = SessionError.connectionLost(reason)
        let failures = state.streams.map { SessionEffect.failPlayer($0.id, error) }
        state.streams = []
        var replies: [SessionEffect] = []
        if case .claiming(_, let calls, _) = state.activation { replies = calls.map { .reply($0, error) } }
        state.derived.strayClaim = state.activation.claimUnderWay
        state.derived.activation = .inactive(Inactivity())
        return failures + replies + [.postMediaServicesLost]
    }

    /// What the app had set is back to the defaults, as after a restart of Apple's media services, but for its choice of an
    /// output; nothing starts.
    mutating func restoreConnection(at time: HostTime) -> [SessionEffect] {
        guard case .lost(let inventory) = state.connection else { return [] }
        state.reported.connection = .restored
        state.requested = SessionState.Requested(output: state.output)
        return [.postMediaServicesReset] + (inventory.map { takeInventory($0, at: time) } ?? [])
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
