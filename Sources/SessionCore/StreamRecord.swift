package import AudioModel

/// What a session remembers of one open stream.
///
/// What its user wants and what keeps it from sounding are kept apart: `playWhenReady` changes with the user's play and
/// pause and when the session pauses the player for good, `suppression` comes and goes by itself.
package struct StreamRecord: Hashable, Sendable {
    package let id: StreamID
    package internal(set) var policy: StreamPolicy
    /// The ports it was last linked to; empty while it is unlinked.
    package internal(set) var ports: [Port] = []
    /// Something outside has stopped it, although its ports are there.
    package internal(set) var isHeld = false

    package internal(set) var playWhenReady = false
    /// What keeps it silent although it is meant to play; nil also while it waits for the session's first claim.
    package internal(set) var suppression: Suppression?
    /// Its player has been told to sound, and nothing else since.
    package internal(set) var isStarted = false
    /// It may not sound on every output of the route (`StreamPolicy.continuesPrivately`).
    var awaitsPrivateOutput: Bool
    /// The part of its own volume that it plays at.
    package internal(set) var gain: Float = 1
    /// It sounded when the host reported its port lost; the inventory that says what is left has not come yet.
    var wasCutOff = false
    /// When a suppression for want of a route becomes an error.
    var deadline: HostTime?

    init(id: StreamID, policy: StreamPolicy) {
        self.id = id
        self.policy = policy
        awaitsPrivateOutput = policy.continuesPrivately && policy.target == .sessionRoute
    }

    /// Not meant to play any more, for whatever reason.
    mutating func rest() {
        playWhenReady = false
        suppression = nil
        isStarted = false
        deadline = nil
    }

    /// Sounds, as far as the session knows.
    var isSounding: Bool { isStarted && playWhenReady }
    /// Interruptions and deactivations concern it.
    var followsSession: Bool { policy.onInterruption != .ignore }
    /// Starts again by itself after an interruption.
    var resumes: Bool { policy.onInterruption == .pauseAndResume }
}
