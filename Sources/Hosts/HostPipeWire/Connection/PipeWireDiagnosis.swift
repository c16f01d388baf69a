/// What `doctor` shows about the server, and about this process as its client.
///
/// The texts are untrusted.
package struct PipeWireDiagnosis: Hashable, Sendable {
    /// How the rendering thread is scheduled.
    package enum DataThread: Hashable, Sendable {
        /// No stream has run yet.
        case notSeen
        /// Real-time, with this priority.
        case realtime(priority: Int)
        /// Like any other thread: under load there will be gaps, because rtkit or an rtprio limit is missing.
        case ordinary
    }

    /// Whether the machine announces sleep and waits until sessions are silent.
    package enum SleepWatch: Hashable, Sendable {
        case on
        case off(reason: String)
    }

    package var libraryVersion: String
    package var serverVersion: String
    package var serverName: String
    /// The program that chooses defaults and sets up ports; nil if no session manager runs.
    ///
    /// Session managers do not publish their version.
    package var sessionManager: String?
    /// Whether streams can make their own links; "no frame reaches the speaker" depends on this.
    package var mayLink: Bool
    /// The smallest cycle that the server allows, in frames; nil if the server has not reported it.
    package var smallestQuantum: Int?
    package var sleepWatch: SleepWatch
    /// The client configuration that decides whether the data thread asks for real-time scheduling.
    package var clientConfiguration: String
    package var dataThread: DataThread
}
