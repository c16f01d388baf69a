/// What `doctor` shows about the server and this process' place in it.
///
/// Texts come from outside.
package struct PipeWireDiagnosis: Hashable, Sendable {
    /// How the thread that renders is scheduled.
    package enum DataThread: Hashable, Sendable {
        /// No stream has run yet.
        case notSeen
        /// Real-time, with this priority.
        case realtime(priority: Int)
        /// Like any other thread: under load there will be gaps (rtkit, or a limit for rtprio, is missing).
        case ordinary
    }

    /// Whether the machine says that it goes to sleep, and waits until sessions are silent.
    package enum SleepWatch: Hashable, Sendable {
        case on
        case off(reason: String)
    }

    package var libraryVersion: String
    package var serverVersion: String
    package var serverName: String
    /// Who chooses defaults and sets up ports; nil without a session manager.
    ///
    /// Session managers do not publish their version.
    package var sessionManager: String?
    /// Streams can make their own links, on which "no frame reaches the speaker" rests.
    package var mayLink: Bool
    /// The smallest cycle that the server allows, in frames; nil where it has not said.
    package var smallestQuantum: Int?
    package var sleepWatch: SleepWatch
    /// The client configuration that decides whether the data thread asks for real-time scheduling.
    package var clientConfiguration: String
    package var dataThread: DataThread
}
