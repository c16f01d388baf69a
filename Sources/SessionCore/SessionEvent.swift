package import AudioModel

/// A past-tense fact with its time: all that a `SessionMachine` ever learns.
package struct SessionEvent: Hashable, Sendable {
    package var time: HostTime
    package var fact: SessionFact

    package init(time: HostTime, fact: SessionFact) {
        self.time = time
        self.fact = fact
    }
}

/// Names one API call that waits for a reply.
package struct CallID: Hashable, Sendable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
}

package enum SessionFact: Hashable, Sendable {
    // From the app. Each with a `CallID` is answered by exactly one `SessionEffect.reply`.
    case configurationRequested(CallID, SessionConfiguration)
    case activationRequested(CallID)
    case deactivationRequested(CallID, notifyOthers: Bool)
    case outputOverrideRequested(CallID, OutputOverride)
    case streamOpened(StreamID, StreamPolicy)
    case streamPolicyChanged(StreamID, StreamPolicy)
    case streamClosed(StreamID)

    // From the host.
    case inventoryChanged(Inventory)
    case outputChosenByUser(uid: String?)
    /// The host took the stream off that port; an `inventoryChanged` follows, also where the port is still there.
    case streamSilenced(StreamID, lostPortUID: String)
    case streamFailed(StreamID, SessionError)
    case connectionLost
    case connectionRestored
    case claimGranted(ClaimID)
    case claimRefused(ClaimID, SessionError)
}

package enum OutputOverride: Hashable, Sendable { case none, speaker }

/// What a player wants of the session.
package struct StreamPolicy: Hashable, Sendable {
    package var target: StreamTarget
    package var onDeviceLoss: DeviceLossPolicy

    package init(target: StreamTarget = .sessionRoute, onDeviceLoss: DeviceLossPolicy = .pause) {
        self.target = target
        self.onDeviceLoss = onDeviceLoss
    }
}

package enum StreamTarget: Hashable, Sendable {
    /// Follows the session's route.
    case sessionRoute
    /// Bound to one port: when it leaves, the stream ends with an error and is never re-routed.
    case port(uid: String)
}

package enum DeviceLossPolicy: Hashable, Sendable {
    /// Pause when the device in use goes away (Apple's rule).
    case pause
    /// Play on over the new route.
    case `continue`
}
