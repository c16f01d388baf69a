extension AVAudioSession {
    /// The type of an interruption notification: its start or its end.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum InterruptionType: UInt, Sendable {
        case ended = 0
        /// The session is inactive already, and its players are silent.
        case began = 1
    }
}
