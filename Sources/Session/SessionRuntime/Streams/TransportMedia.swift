package import AudioModel
package import TransportCore

/// What a `StreamController` plays or records: the source, the file, or an engine's graph.
///
/// The session thread calls it unless a member says otherwise; it must not wait. The defaults do nothing: a recorder has no
/// source to seek, a player no capture to drain.
package protocol TransportMedia: AnyObject, Sendable {
    /// The stream is about to be linked to these ports: from the next cycle on it has their channels.
    func willLink(_ direction: PortDirection, to ports: [Port])
    /// The stream is about to start: for the first time, or again.
    func willStart(_ direction: PortDirection)
    /// Lets the thread work that reads ahead, feeds or writes.
    func startFeeding()
    /// Lets the source sound from this instant on; nil: at once.
    func playSource(at time: HostTime?)
    /// Slides to silence; then calls `StreamController.fadeEnded()`.
    func beginFade()
    /// Hands over no further frame; a fade that is under way ends here.
    func cut()
    /// The device that the engine's players sounded on is gone: each waits for its own `play`.
    func pausePlayers()
    /// Hands over, or writes, what was captured until now.
    func drainCapture()
    /// Counts the repetitions from their beginning.
    func restartLoops()
    /// - Parameter generation: the end of the source carries it from then on.
    func seek(toSeconds seconds: Double, generation: UInt64)
    /// How much is left to play.
    var remainder: SourceRemainder { get }
    /// 0...1, linear amplitude, beside the player's own volume; the change is a ramp.
    func setGain(_ gain: Float)
    /// Captures silence in place of the input.
    func setInputMuted(_ isMuted: Bool)
    /// Tells the owner, in order; any thread.
    func report(_ status: TransportStatus)
    /// Writes what was captured, completes the file, then calls `StreamController.fileClosed(failure:)`; any thread.
    func closeFile()
    /// Why the last start had no effect.
    func refuse(_ refusal: TransportRefusal)
    /// An engine stopped by itself; its app is to be told.
    func postConfigurationChange()
    /// All effects of a session's event are carried out, but for the transport's own answer to that.
    func sessionEventApplied()
}

extension TransportMedia {
    package func willLink(_ direction: PortDirection, to ports: [Port]) {}
    package func willStart(_ direction: PortDirection) {}
    package func playSource(at time: HostTime?) {}
    package func beginFade() {}
    package func cut() {}
    package func pausePlayers() {}
    package func drainCapture() {}
    package func restartLoops() {}
    package func seek(toSeconds seconds: Double, generation: UInt64) {}
    package var remainder: SourceRemainder { .more }
    package func setGain(_ gain: Float) {}
    package func setInputMuted(_ isMuted: Bool) {}
    package func report(_ status: TransportStatus) {}
    package func closeFile() {}
    package func refuse(_ refusal: TransportRefusal) {}
    package func postConfigurationChange() {}
    package func sessionEventApplied() {}
}
