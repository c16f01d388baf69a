extension AVAudioSession {
    /// The cause of a deactivation: the app or the system.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 27).
    @nonexhaustive public enum DeactivationSource: Int, Sendable {
        case app = 1
        case system = 2
    }
}
