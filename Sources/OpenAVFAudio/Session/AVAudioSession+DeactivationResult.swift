extension AVAudioSession {
    /// How the session became inactive.
    ///
    /// Source: Apple documentation, "AVAudioSession.DeactivationResult" (iOS 27).
    @nonexhaustive public enum DeactivationResult: Hashable, Sendable {
        case appDeactivated
        case systemInterruption(AVAudioSession.InterruptionContext)
    }
}
