extension AVAudioSession {
    /// Whether an app that was playing may resume.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 27).
    @nonexhaustive public enum ResumptionRecommendation: Int, Sendable {
        case shouldNotResume = 0
        case shouldResume = 1
    }
}
