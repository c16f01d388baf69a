/// Names one output stream within a process; ids come from a counter and are never used again.
package struct StreamID: Hashable, Sendable, Codable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
}

/// Names one activation; a later activation of the same session has a new one.
package struct ClaimID: Hashable, Sendable, Codable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
}

/// Why the session paused a player or a recorder.
package enum PauseCause: Hashable, Sendable, CaseIterable, Codable {
    /// The device is gone: the sound ends at once.
    case oldDeviceUnavailable
    /// For recorders: another device has come into the route.
    case newDeviceAvailable
    /// No port is left that the category can use: the sound ends at once.
    case noSuitableRoute
    /// The user's own pause, with a fade.
    case user
    /// The session is interrupted, or was and may not resume; with a fade.
    case interruption
    /// The app deactivated the session; with a fade.
    case deactivation
    /// The player was not allowed to start; nothing has sounded.
    case refusal
}

/// Why a player with `playWhenReady` is silent.
package enum Suppression: Hashable, Sendable, CaseIterable, Codable {
    case interruption
    /// There is no port that the category can use.
    case noSuitableRoute
}
