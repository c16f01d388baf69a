/// What a client learns about the sound server.
struct ServerFacts: Hashable, Sendable {
    enum Server: Hashable, Sendable {
        /// "PipeWire 1.0.5".
        case reachable(String)
        /// In the client library's words.
        case unreachable(String)
    }

    enum RealTime: Hashable, Sendable {
        case granted(priority: Int)
        case denied
        case unknown
    }

    /// "1.0.5"; nil in a build without PipeWire.
    var clientLibrary: String?
    var server: Server
    /// "WirePlumber 0.4.13"; nil when none is connected.
    var sessionManager: String?
    var outputCount: Int
    /// Why the default output may go on sounding elsewhere after an unplug; nil where it does not.
    var defaultOutputCaveat: String?
    /// What the data thread got.
    var realTime: RealTime
    /// Whether this client may make links itself: what "zero frames on the speaker" rests on.
    ///
    /// nil: not known.
    var mayLink: Bool?
    /// Why sessions do not hear that the machine is about to sleep; nil where they do.
    var sleepCaveat: String?
}
