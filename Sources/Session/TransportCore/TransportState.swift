package import AudioModel

/// What a player, a recorder or an engine does with its sound.
///
/// The intent is not part of it: see `TransportMachine.playWhenReady`.
package enum TransportState: Hashable, Sendable {
    /// Nothing sounds; nothing has sounded since the transport was made or, for an engine, since it was stopped.
    ///
    /// Legal exits: playing (started), suppressed, paused (refused), finishing (recorder), failed.
    case ready
    /// It sounds, or captures. The output of an engine whose device is gone is stopped (`TransportMachine.restsOutput`).
    ///
    /// Legal exits: fading (paused or suppressed with a fade, about to close), suppressed, paused (cut, or nothing to
    /// fade), finishing (recorder), finished (player), failed, ready (engine).
    case playing
    /// The slide to silence is under way.
    ///
    /// Legal exits: the state it leads to (fade finished, cut or closed), fading to another one, playing (started again),
    /// suppressed, finished (its source ended while it was about to close, or was played out and it starts again), failed,
    /// ready (engine).
    case fading(FadeTarget)
    /// The user wants it to play, and this keeps it silent; it starts by itself when the obstacle is gone.
    ///
    /// Legal exits: playing, fading or suppressed for another reason, paused, finishing (recorder), finished (player that was
    /// played out when it was told to be silent, and starts again), failed. An engine is never in it.
    case suppressed(Suppression)
    /// It is silent until it is asked to play again.
    ///
    /// Legal exits: playing, suppressed, paused for another cause, finishing (recorder), finished (as suppressed), failed,
    /// ready (engine).
    case paused(PauseCause)
    /// A recording is over; its file is being completed.
    ///
    /// Legal exits: finished, failed. Recorders only.
    case finishing(TransportOutcome)
    /// It is over.
    ///
    /// Legal exits of a player: playing and suppressed (asked to play again), paused (sought), failed. A recorder has
    /// none.
    case finished(TransportEnd)
    /// It never plays again.
    ///
    /// No exits.
    case failed(TransportFailure)
}

/// What a fade leads to.
package enum FadeTarget: Hashable, Sendable {
    case paused(PauseCause)
    case suppressed(Suppression)
    /// The stream is closed when the fade has been heard; until then the player counts as playing.
    case closed
}

/// Why a transport is over without a fault.
package enum TransportEnd: Hashable, Sendable {
    /// A player has played its last frame; a recorder has its length.
    case endOfFile
    case stopped(PauseCause)
}

package enum TransportFailure: Hashable, Sendable {
    /// The session ended it.
    case session(SessionError)
    /// The file could not be read or written; in words.
    case file(String)

    /// In words.
    package var message: String {
        switch self {
        case .session(let error): error.message
        case .file(let message): message
        }
    }
}

package enum TransportOutcome: Hashable, Sendable {
    case finished(TransportEnd)
    case failed(TransportFailure)
}

/// One of a transport's streams.
package enum StreamState: Hashable, Sendable {
    /// Not opened yet, or closed.
    case absent
    case stopped
    /// Told to start, and not told to stop since.
    case running
}

/// Whether a stream's sound comes out of a device.
package enum OutputUse: Hashable, Sendable {
    case heard
    /// An engine that only listens, or that records where nothing may sound.
    case unheard
}

/// Whether an engine that has stopped by itself has a notice for its app.
package enum ConfigurationChangeNotice: Hashable, Sendable {
    case none
    /// It is posted when the session's event has been carried out.
    case pending
}
