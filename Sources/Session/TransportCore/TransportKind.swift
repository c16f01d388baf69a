internal import AudioModel

/// What plays or records.
package enum TransportKind: Hashable, Sendable, CaseIterable {
    /// Starts and stops as the session tells it, waits where something keeps it silent, and can play again after its end.
    case player
    /// As a player, but it ends for good with a loss and closes its file.
    case recorder
    /// Starts only when its app asks, gives up where something keeps it silent, and tells its app once when it has stopped by
    /// itself. Its sources come to no end.
    case engine
}

/// How sound comes to an end.
enum StopPolicy {
    /// The output slides to silence; what is captured stops and is handed over.
    case fade
    case cut
    /// The recording ends and its file is closed.
    case finish
}

extension TransportKind {
    /// Of its streams.
    var directions: [PortDirection] {
        switch self {
        case .player: [.output]
        case .recorder: [.input]
        case .engine: [.input, .output]
        }
    }

    func stop(for cause: PauseCause) -> StopPolicy {
        switch cause {
        case .oldDeviceUnavailable, .newDeviceAvailable, .noSuitableRoute: self == .recorder ? .finish : .cut
        case .deactivation: self == .recorder ? .finish : .fade
        case .user, .interruption, .refusal: .fade
        }
    }

    /// Whether a pause concerns a player that does not play: an interruption keeps it from what its user wants next, and a
    /// refusal is the answer to a request.
    func reports(_ cause: PauseCause, in state: TransportStatus.State) -> Bool {
        guard self == .player else { return false }
        return switch cause {
        case .interruption: state == .paused
        case .refusal: state == .paused || state == .ready
        case .oldDeviceUnavailable, .newDeviceAvailable, .noSuitableRoute, .user, .deactivation: false
        }
    }
}
