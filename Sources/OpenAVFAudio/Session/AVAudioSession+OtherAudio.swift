internal import SessionCore

// What other programs do, and what an interruption may come from. Getters read a snapshot and wait for nobody.
extension AVAudioSession {
    /// Whether another program plays: a session that is active and sounds, mixable or not, or a stream of a program that
    /// knows nothing of sessions.
    ///
    /// Source: Apple documentation, "isOtherAudioPlaying".
    public var isOtherAudioPlaying: Bool { runtime.state.isOtherAudioPlaying }

    /// Whether another program's main sound plays: a session that does not mix, or a stream whose role says so.
    ///
    /// Source: Apple documentation, "secondaryAudioShouldBeSilencedHint".
    public var secondaryAudioShouldBeSilencedHint: Bool { runtime.state.secondaryAudioShouldBeSilenced }

    /// Says whether the loss of the port in use is an interruption too, and not only a route change.
    ///
    /// It is one only for a session that is active, plays on that port, has the category `.playback` and does not mix.
    /// Such an interruption has no end.
    ///
    /// - Throws: the ``ErrorCode`` that the session answers with.
    public func setPrefersInterruptionOnRouteDisconnect(_ inValue: Bool) throws {
        try perform { call, _ in .routeDisconnectPreferenceRequested(call, prefersInterruption: inValue) }
    }

    /// True until it is set.
    public var prefersInterruptionOnRouteDisconnect: Bool { runtime.state.prefersInterruptionOnRouteDisconnect }
}
