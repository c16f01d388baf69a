package import AudioModel
package import HostInterface

/// What feeds a stream, as the session sees it.
///
/// Called on the session thread; must not wait.
package protocol StreamOwner: AnyObject, Sendable {
    /// The stream is open; the session links it next.
    func opened(_ stream: any HostStream)
    /// The stream is about to be linked to these ports: from the next cycle on it has their channels.
    func willLink(to ports: [Port])
    /// Sound: the user wants it and nothing is in the way.
    func start()
    /// For the causes of a lost device it hands over no further frame; for the others it fades.
    func pause(_ cause: PauseCause)
    /// Silence, with a fade, although the user wants it to play.
    func suppress(_ suppression: Suppression)
    /// 0...1, linear amplitude, beside the player's own volume; the change is a ramp. An input stream is muted at 0.
    func setGain(_ gain: Float)
    func fail(_ error: SessionError)
    /// All effects of an event are carried out; what the owner has to say about them may be said now.
    func eventApplied()
}
