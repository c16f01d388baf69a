package import AudioModel

/// One thing that happened to a simulated machine, with the frame of virtual time at which it did.
package struct TimelineEntry: Hashable, Sendable, CustomStringConvertible {
    /// Frames at the machine's rate since it was made.
    package var frame: Int
    /// Whose session did it; empty for the machine's own doing, and for an app without a name.
    package var app: String
    package var fact: TimelineFact

    package init(_ frame: Int, app: String = "", _ fact: TimelineFact) {
        self.frame = frame
        self.app = app
        self.fact = fact
    }

    package var description: String { app.isEmpty ? "\(frame): \(fact)" : "\(frame): \(app) \(fact)" }
}

package enum TimelineFact: Hashable, Sendable {
    // The machine. Devices and ports are named by uid.
    case plugged(String)
    case unplugged(String)
    case defaultOutputChanged(String?)
    case defaultInputChanged(String?)
    case outputChosen(String?)
    case sampleRateChanged(String, Double)
    case availabilityReported(String, PortAvailability)
    case linksCut(StreamID)
    case serverCrashed
    case serverRestarted
    case sleepAnnounced
    case fellAsleep
    case wokeUp
    /// Programs without a session: the stream's id and role.
    case foreignStreamStarted(UInt64, String?)
    case foreignStreamStopped(UInt64)

    // A session.
    case connected
    case disconnected
    case claimGranted(ClaimID)
    case claimRefused(ClaimID)
    case claimSuspended(ClaimID)
    case claimReleased(ClaimID)
    case streamOpened(StreamID)
    case streamLinked(StreamID, [String])
    /// The gate was closed and the links were removed, by the session or by another program.
    case streamGated(StreamID)
    case streamStarted(StreamID)
    case streamStopped(StreamID)
    case streamFailed(StreamID)
    case streamClosed(StreamID)
    case streamHeld(StreamID)
    case streamReleased(StreamID)
    case sleepAllowed
    /// As with kill -9.
    case killed
}
