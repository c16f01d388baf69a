package import AudioModel

/// What a session remembers of one open stream.
package struct StreamRecord: Hashable, Sendable {
    package let id: StreamID
    package internal(set) var policy: StreamPolicy
    /// The ports it was last linked to; empty while it is unlinked.
    package internal(set) var ports: [Port] = []
    /// Something outside has stopped it, although its ports are there.
    package internal(set) var isHeld = false
    package internal(set) var playback = Playback.resting
    /// It may not sound on every output of the route (`StreamPolicy.continuesPrivately`).
    var awaitsPrivateOutput: Bool
    /// The part of its own volume that it plays at.
    package internal(set) var gain: Float = 1
    /// It sounded when the host reported its port lost; the inventory that says what is left has not come yet.
    var wasCutOff = false

    init(id: StreamID, policy: StreamPolicy) {
        self.id = id
        self.policy = policy
        awaitsPrivateOutput = policy.continuesPrivately && policy.target == .sessionRoute
    }

    /// What its user wants, and what has become of it; every state but `resting` is meant to play.
    ///
    /// From each state it comes to rest when its user pauses it, when it stops by itself, and when the session pauses it for
    /// good.
    package enum Playback: Hashable, Sendable {
        /// Not meant to play, for whatever reason.
        ///
        /// Legal exits: waiting (asked to play).
        case resting
        /// Nothing keeps it silent but that the session's claim is under way.
        ///
        /// Legal exits: started (the session is active), interrupted, withoutRoute.
        case waiting
        /// Its player has been told to sound, and nothing else since.
        ///
        /// Legal exits: interrupted, withoutRoute.
        case started
        /// By an interruption or a hold, which may last as long as it likes.
        ///
        /// Legal exits: started, withoutRoute.
        case interrupted
        /// From the deadline on the want of a route is an error; nil where it waits for a private output.
        ///
        /// Legal exits: started, interrupted.
        case withoutRoute(deadline: HostTime?)
    }

    package var playWhenReady: Bool { playback != .resting }
    /// It sounds, as far as the session knows.
    package var isStarted: Bool { playback == .started }

    /// Interruptions and deactivations concern it.
    var followsSession: Bool { policy.onInterruption != .ignore }
    /// The loss of an output of the session's route concerns it, linked or not; what continues the sound of a lost server has
    /// a rule of its own.
    var isPausedByRouteLoss: Bool {
        policy.isPausedByRouteLoss && !awaitsPrivateOutput
    }
    /// Starts again by itself after an interruption.
    var resumes: Bool { policy.onInterruption == .pauseAndResume }
}
