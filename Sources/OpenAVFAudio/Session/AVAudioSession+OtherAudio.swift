internal import SessionCore

// What other programs do, and what an interruption may come from. Getters read a snapshot and never wait.
extension AVAudioSession {
    /// Whether another program plays: an active session that is playing, mixable or not, or a stream of a program
    /// without a session.
    ///
    /// Source: Apple documentation, "isOtherAudioPlaying".
    public var isOtherAudioPlaying: Bool { runtime.state.isOtherAudioPlaying }

    /// Whether another program's main sound plays: a session that does not mix, or a stream with such a role.
    ///
    /// Source: Apple documentation, "secondaryAudioShouldBeSilencedHint".
    public var secondaryAudioShouldBeSilencedHint: Bool { runtime.state.secondaryAudioShouldBeSilenced }

    /// Sets whether the loss of the port in use is also an interruption, not only a route change.
    ///
    /// It is an interruption only for an active session with the category `.playback` that does not mix and plays on
    /// that port. Such an interruption has no end.
    ///
    /// - Throws: the ``ErrorCode`` of the session.
    public func setPrefersInterruptionOnRouteDisconnect(_ inValue: Bool) throws {
        try perform { call, _ in .routeDisconnectPreferenceRequested(call, prefersInterruption: inValue) }
    }

    /// True until it is set.
    public var prefersInterruptionOnRouteDisconnect: Bool { runtime.state.prefersInterruptionOnRouteDisconnect }

    /// What to do with sound that is not an app's main one: a game's music, say.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum SilenceSecondaryAudioHintType: UInt, Sendable {
        /// Secondary sound may play again.
        case end = 0
        /// Secondary sound should be silent, because another app's main sound plays.
        case begin = 1
    }
}
