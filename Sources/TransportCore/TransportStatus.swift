package import AudioModel

/// What a transport says about itself to its owner.
package struct TransportStatus: Hashable, Sendable {
    package enum Phase: Hashable, Sendable { case ready, playing, paused, finished, failed }

    /// Why it is in its phase.
    package enum Cause: Hashable, Sendable {
        case session(PauseCause)
        case endOfSource
        case error
    }

    package var phase: Phase
    /// The user's in `ready` and `playing`.
    package var cause: Cause
    /// The user wants it to play: it does, or will when the obstacle is gone.
    package var playWhenReady: Bool
    /// With `paused` and `playWhenReady`: the obstacle.
    package var suppression: Suppression?
    /// With `failed`.
    package var failure: TransportFailure?

    package init(
        _ phase: Phase, _ cause: Cause = .session(.user), playWhenReady: Bool = false, suppression: Suppression? = nil,
        failure: TransportFailure? = nil
    ) {
        self.phase = phase
        self.cause = cause
        self.playWhenReady = playWhenReady
        self.suppression = suppression
        self.failure = failure
    }
}

extension TransportStatus {
    /// A fade counts as what it leads to; a recording whose file is being completed counts as paused.
    init(_ state: TransportState, playWhenReady: Bool) {
        switch state {
        case .ready: self.init(.ready)
        case .playing, .fading(.closed): self.init(.playing)
        case .paused(let cause), .fading(.paused(let cause)): self.init(.paused, .session(cause))
        case .suppressed(let suppression), .fading(.suppressed(let suppression)):
            self.init(.paused, .session(suppression.pauseCause), suppression: suppression)
        case .finishing(.finished(let end)): self.init(.paused, Cause(end))
        case .finishing(.failed): self.init(.paused, .error)
        case .finished(let end): self.init(.finished, Cause(end))
        case .failed(let failure): self.init(.failed, .error, failure: failure)
        }
        self.playWhenReady = playWhenReady
    }
}

extension TransportStatus.Cause {
    fileprivate init(_ end: TransportEnd) {
        switch end {
        case .endOfSource: self = .endOfSource
        case .stopped(let cause): self = .session(cause)
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
