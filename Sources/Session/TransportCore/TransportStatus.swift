package import AudioModel

/// What a transport says about itself to its owner.
package struct TransportStatus: Hashable, Sendable {
    /// `TransportState` for those who do not carry it out: a fade counts as what it leads to.
    package enum State: String, Sendable { case ready, playing, paused, finished, failed }

    /// Why it is in its state.
    package enum Cause: String, Sendable {
        case user, oldDeviceUnavailable, newDeviceAvailable, noSuitableRoute, interruption, deactivation, refusal
        /// A player has played its last frame; a recorder has its length.
        case endOfFile
        case error
    }

    /// A recorder that captures is `playing`.
    package var state: State
    /// The user's in `ready` and `playing`.
    package var cause: Cause
    /// The user wants it to play: it does, or will when the obstacle is gone.
    package var playWhenReady: Bool
    /// With `paused` and `playWhenReady`: the obstacle.
    package var suppression: Suppression?
    /// With `failed`.
    package var failure: TransportFailure?

    package init(
        _ state: State, _ cause: Cause = .user, playWhenReady: Bool = false, suppression: Suppression? = nil,
        failure: TransportFailure? = nil
    ) {
        self.state = state
        self.cause = cause
        self.playWhenReady = playWhenReady
        self.suppression = suppression
        self.failure = failure
    }

    /// With `failed`: what went wrong and what to do next.
    package var message: String? { failure?.message }

    /// With `failed`: the session's code, where the session ended the transport; nil where the file did.
    package var errorCode: SessionError.Code? {
        guard case .session(let error)? = failure else { return nil }
        return error.code
    }
}

extension TransportStatus {
    /// A fade counts as what it leads to; a recording whose file is being completed counts as paused.
    init(_ state: TransportState, playWhenReady: Bool) {
        switch state {
        case .ready: self.init(.ready)
        case .playing, .fading(.closed): self.init(.playing)
        case .paused(let cause), .fading(.paused(let cause)): self.init(.paused, Cause(cause))
        case .suppressed(let suppression), .fading(.suppressed(let suppression)):
            self.init(.paused, Cause(suppression.pauseCause), suppression: suppression)
        case .finishing(.finished(let end)): self.init(.paused, Cause(end))
        case .finishing(.failed): self.init(.paused, .error)
        case .finished(let end): self.init(.finished, Cause(end))
        case .failed(let failure): self.init(.failed, .error, failure: failure)
        }
        self.playWhenReady = playWhenReady
    }
}

extension TransportStatus.Cause {
    package init(_ cause: PauseCause) {
        switch cause {
        case .oldDeviceUnavailable: self = .oldDeviceUnavailable
        case .newDeviceAvailable: self = .newDeviceAvailable
        case .noSuitableRoute: self = .noSuitableRoute
        case .user: self = .user
        case .interruption: self = .interruption
        case .deactivation: self = .deactivation
        case .refusal: self = .refusal
        }
    }

    fileprivate init(_ end: TransportEnd) {
        switch end {
        case .endOfFile: self = .endOfFile
        case .stopped(let cause): self.init(cause)
        }
    }
}

extension Suppression {
    /// Why a transport is paused that gives up what it was kept from.
    var pauseCause: PauseCause {
        switch self {
        case .interruption: .interruption
        case .noSuitableRoute: .noSuitableRoute
        }
    }
}
