package import AudioModel

/// A past-tense fact: all that a `TransportMachine` ever learns.
package enum TransportEvent: Hashable, Sendable {
    // From the app.

    /// The user wants it to play; the session answers with `started`, `suppressed` or `paused`, or refuses.
    ///
    /// `startTime`: from when it is to sound; nil: at once. A time that is past is given as nil.
    case playRequested(startTime: HostTime? = nil, remaining: SourceRemainder = .more)
    /// The session has refused the request with an error and says nothing else.
    case playRefused
    case seekRequested(toSeconds: Double, remaining: SourceRemainder = .more)
    /// The app is done with the player or the recorder.
    case closeRequested
    /// An engine is rendered by the app's own calls: the session has no part in that.
    case manualRenderingStarted
    case manualRenderingPaused
    /// The app has stopped the engine and all its streams are closed.
    case stopped

    // From the session and its streams.

    case streamOpened(PortDirection)
    case streamClosed(PortDirection)
    case started(PortDirection)
    case paused(PortDirection, PauseCause)
    case suppressed(PortDirection, Suppression)
    case failed(SessionError)
    /// The device under an engine has another rate or another number of channels than the one that it was started for.
    case deviceShapeChanged
    /// An engine's graph uses its output, or does not any more.
    case outputUseChanged(OutputUse)
    /// All effects of one of the session's events are carried out.
    case sessionEventApplied

    // From the source and the file.

    case fadeFinished
    /// The last frame has been played, or the recording has its length; or the file has failed.
    ///
    /// `generation` is that of the last seek that the source had carried out by then: an end of before a later seek is
    /// stale.
    case sourceEnded(SourceEnd, generation: UInt64)
    /// The recorder's file is closed; with the reason where it is not complete.
    case fileClosed(failure: String?)
}

/// What is left to play.
package enum SourceRemainder: Hashable, Sendable {
    case nothing
    /// Not more than a fade takes.
    case lessThanFade
    case more
}

package enum SourceEnd: Hashable, Sendable {
    case complete
    /// In words.
    case failed(String)
}
