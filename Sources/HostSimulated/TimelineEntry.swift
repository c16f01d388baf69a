package import AudioModel

/// One thing that happened to a simulated machine, with the frame of virtual time at which it did.
package struct TimelineEntry: Hashable, Sendable, CustomStringConvertible {
    /// Frames at the machine's rate since it was made.
    package var frame: Int
    package var fact: TimelineFact

    package init(_ frame: Int, _ fact: TimelineFact) {
        self.frame = frame
        self.fact = fact
    }

    package var description: String { "\(frame): \(fact)" }
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

    // The session.
    case connected
    case disconnected
    case claimGranted(ClaimID)
    case claimRefused(ClaimID)
    case claimReleased(ClaimID)
    case streamOpened(StreamID)
    case streamLinked(StreamID, [String])
    /// The gate closed and the links went, whoever did it.
    case streamGated(StreamID)
    case streamStarted(StreamID)
    case streamStopped(StreamID)
    case streamFailed(StreamID)
    case streamClosed(StreamID)
}
