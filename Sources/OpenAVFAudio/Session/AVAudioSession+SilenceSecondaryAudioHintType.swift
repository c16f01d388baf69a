extension AVAudioSession {
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
