internal import AudioModel

/// What plays or records; the differences between them are the values below.
package enum TransportKind: Hashable, Sendable, CaseIterable {
    /// Starts and stops as the session tells it, and can play again after its end.
    case player
    /// As a player, but it ends for good with a loss and closes its file.
    case recorder
    /// Starts only when its app asks, and tells it once when it has stopped by itself.
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

/// What an obstacle means for a transport that is meant to play.
enum SuppressionPolicy {
    /// It waits, and the session starts it again.
    case wait
    /// It gives up; its app starts it again.
    case giveUp
}

enum StartPolicy {
    /// The session holds the intent of the one stream.
    case whenTold
    /// There may be two streams: a start that arrives after one of them has failed is stale.
    case whenRequested
}

/// What the end of a source is.
enum EndPolicy {
    case canPlayAgain
    case closesFile
    /// A source is none of the transport's business.
    case ignored
}

/// Who is told of a change of state.
enum ReportPolicy {
    case owner
    /// The app, by one configuration change for all that happened.
    case configurationChange
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

    /// A fade that is not heard now would be heard on the next port.
    func stop(for suppression: Suppression) -> StopPolicy {
        switch suppression {
        case .interruption: .fade
        case .noSuitableRoute: self == .recorder ? .fade : .cut
        }
    }

    var onSuppression: SuppressionPolicy { self == .engine ? .giveUp : .wait }
    var onStart: StartPolicy { self == .engine ? .whenRequested : .whenTold }
    var reporting: ReportPolicy { self == .engine ? .configurationChange : .owner }

    var onEnd: EndPolicy {
        switch self {
        case .player: .canPlayAgain
        case .recorder: .closesFile
        case .engine: .ignored
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
