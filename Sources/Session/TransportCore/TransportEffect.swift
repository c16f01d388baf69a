package import AudioModel

/// An imperative: what the owner of the streams must do, in order.
package enum TransportEffect: Hashable, Sendable {
    /// Let the thread work that reads ahead, feeds or writes.
    case startFeeding
    /// Let the source sound from this instant on; nil: at once.
    case playSource(at: HostTime?)
    case startStream(PortDirection)
    /// Slide to silence; `TransportEvent.fadeFinished` says when that is over.
    case beginFade
    /// Hand over no further frame; a fade that is under way ends here.
    case cut
    case stopStream(PortDirection)
    /// The device that the engine's players sounded on is gone: each waits for its own `play`.
    case pausePlayers
    /// Hand over, or write, what was captured until now.
    case drainCapture
    /// Count the repetitions from their beginning.
    case restartLoops
    /// Continue at another place; the end of the source carries this generation from then on.
    case seek(toSeconds: Double, generation: UInt64)
    case report(TransportStatus)
    /// The transport stopped by itself: the session must not start it again.
    case tellSessionStopped(PortDirection)
    /// Write what was captured, complete the file and say so with `TransportEvent.fileClosed`.
    case closeFile
    case closeStream(PortDirection)
    /// Why nothing came of the last start, for the call that asked for it.
    case refuse(TransportRefusal)
    case postConfigurationChange
}

package enum TransportRefusal: Hashable, Sendable {
    case suppressed(PortDirection, Suppression)
    case failed(SessionError)
}
