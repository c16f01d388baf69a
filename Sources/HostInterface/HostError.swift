/// Why a host could not do what was asked.
package enum HostError: Error, Hashable, Sendable {
    /// No server answers, or this build has no client for one. The text says what was tried and what to do.
    case unreachable(String)
    /// The server said no (permissions, limits). The text carries its words.
    case refused(String)
    /// The port is not there (any more).
    case noSuchPort(uid: String)
    /// The connection was lost; nothing works until `HostEvent.connectionRestored`.
    case connectionLost
}
