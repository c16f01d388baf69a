package import AudioModel

/// A past-tense fact with its time: all that a `SessionMachine` ever learns.
package struct SessionEvent: Hashable, Sendable, Codable {
    package var time: HostTime
    package var fact: SessionFact

    package init(time: HostTime, fact: SessionFact) {
        self.time = time
        self.fact = fact
    }
}

/// Names one API call that waits for a reply.
package struct CallID: Hashable, Sendable, Codable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
}

package enum SessionFact: Hashable, Sendable, Codable {
    // From the app. Each with a `CallID` is answered by exactly one `SessionEffect.reply`.
    case configurationRequested(CallID, SessionConfiguration)
    case activationRequested(CallID)
    /// `isSuperseded`: the app has asked for an activation since, so that this one changes nothing.
    case deactivationRequested(CallID, notifyOthers: Bool, isSuperseded: Bool = false)
    case outputOverrideRequested(CallID, OutputOverride)
    case streamOpened(StreamID, StreamPolicy)
    case streamPolicyChanged(StreamID, StreamPolicy)
    case streamClosed(StreamID)
    /// A player is to play. `generation` is `SessionState.generation` when its user asked: a request from before the newest
    /// interruption or deactivation is out of date. `knownLosses` is `SessionState.outputLosses` then; nil: all of them.
    case playRequested(CallID, StreamID, generation: UInt64, knownLosses: UInt64? = nil)
    /// The user pauses the player.
    case pauseRequested(StreamID)
    /// The player came to its end, or failed, by itself.
    case playerStopped(StreamID)
    case routeDisconnectPreferenceRequested(CallID, prefersInterruption: Bool)
    case channelCountPreferred(CallID, PortDirection, Int)
    case preferencesStated(CallID, PreferredSettings)
    case inputGainRequested(CallID, Float)
    case outputMuteRequested(CallID, Bool)
    case inputMuteRequested(CallID, Bool)
    /// Nil: the app leaves the input to the host again.
    case inputPreferred(CallID, uid: String?)
    case outputChosenByApp(CallID, OutputChoice)

    case host(HostEvent)
}

package enum OutputOverride: Hashable, Sendable, Codable { case none, speaker }

/// What a player, or a recorder, wants of the session.
package struct StreamPolicy: Hashable, Sendable, Codable {
    /// An input stream follows the route's inputs.
    package var direction: PortDirection
    package var target: StreamTarget
    package var onDeviceLoss: DeviceLossPolicy
    package var onInterruption: InterruptionPolicy
    /// The stream continues what a lost server played: until it sounds, it uses only the outputs that played then, private
    /// outputs, and an output that was chosen, and waits for one of these without a limit.
    package var continuesPrivately: Bool
    /// While it sounds, a session that mixes with others lowers them.
    package var ducksOthers: Bool

    package init(
        direction: PortDirection = .output, target: StreamTarget = .sessionRoute,
        onDeviceLoss: DeviceLossPolicy = .pause, onInterruption: InterruptionPolicy = .pause,
        continuesPrivately: Bool = false, ducksOthers: Bool = false
    ) {
        self.direction = direction
        self.target = target
        self.onDeviceLoss = onDeviceLoss
        self.onInterruption = onInterruption
        self.continuesPrivately = continuesPrivately
        self.ducksOthers = ducksOthers
    }

    /// The loss of an output of the session's route pauses the stream, linked or not.
    package var isPausedByRouteLoss: Bool { direction == .output && target == .sessionRoute && onDeviceLoss == .pause }
}

extension StreamPolicy {
    /// The trace of an older version lacks what was added since.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            direction: try values.decode(PortDirection.self, forKey: .direction),
            target: try values.decode(StreamTarget.self, forKey: .target),
            onDeviceLoss: try values.decode(DeviceLossPolicy.self, forKey: .onDeviceLoss),
            onInterruption: try values.decode(InterruptionPolicy.self, forKey: .onInterruption),
            continuesPrivately: try values.decode(Bool.self, forKey: .continuesPrivately),
            ducksOthers: try values.decodeIfPresent(Bool.self, forKey: .ducksOthers) ?? false)
    }
}

package enum StreamTarget: Hashable, Sendable, Codable {
    /// Follows the session's route.
    case sessionRoute
    /// Bound to one port: when it leaves, the stream ends with an error and is never re-routed.
    case port(uid: String)
    /// On those of these ports that are there and that the category can use, channel by channel in this order; comes back
    /// to the others as they do. While none is there it waits, as a stream waits for a route.
    case ports(uids: [String])
}

package enum DeviceLossPolicy: Hashable, Sendable, Codable {
    /// Pause when the device in use goes away; an input stream also when any device comes into the route or leaves it, be
    /// it an output (Apple's rules for players and recorders).
    case pause
    /// Play on over the new route.
    case `continue`
}

/// What an interruption means to a player or a recorder; all but `ignore` ask for an activation before they sound, and are
/// ducked.
package enum InterruptionPolicy: Hashable, Sendable, Codable {
    /// Pause until the app plays it again, which takes the sound from the other program (`AVAudioPlayer`,
    /// `AVAudioRecorder`, engines).
    case pause
    /// Pause, and start again when the interruption ends with the advice to resume or the app activates the session. To
    /// play under an interruption is an intent and no more (`AVPlayer`, `audiosession play`).
    case pauseAndResume
    /// Play on whatever other sessions want, and without an activation.
    case ignore
}
