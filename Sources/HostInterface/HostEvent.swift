package import AudioModel

/// A fact that a host reports, in the past tense; the session decides what it means.
///
/// A host delivers events one after the other, never before `start` has returned and never from the render thread.
package enum HostEvent: Hashable, Sendable {
    /// Ports came, went or changed, or the host's default moved. Carries the whole new state.
    case inventoryChanged(Inventory)
    /// The user moved our streams in a mixer (PipeWire: `target.object` metadata); nil lifts that choice.
    case outputChosen(uid: String?)
    /// A stream's port went away and the host has silenced that stream already: its gate is closed and it is unlinked.
    ///
    /// An `inventoryChanged` always follows and says whether the port is gone or only the link was cut; it may equal the
    /// one before.
    case streamSilenced(StreamID, lostPortUID: String)
    /// The stream has failed for good and renders no more.
    case streamFailed(StreamID, HostError)
    /// The server went away: every stream is dead. The text carries the server's words.
    case connectionLost(String)
    case connectionRestored
    case claimGranted(ClaimID)
    case claimRefused(ClaimID, HostError)
}
