package import AudioModel
package import SessionCore

/// What feeds a stream, as the session sees it.
///
/// Called on the session thread; must not wait.
package protocol StreamOwner: AnyObject, Sendable {
    /// The stream is about to be linked to these ports: from the next cycle on it has their channels.
    func willLink(to ports: [Port])
    /// The device is gone: not one frame more, without a fade.
    func pause(_ cause: PauseCause)
    func fail(_ error: SessionError)
}
