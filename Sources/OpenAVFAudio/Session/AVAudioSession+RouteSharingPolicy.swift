extension AVAudioSession {
    /// Whether the app shares its route with other apps' long-form sound.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum RouteSharingPolicy: UInt, Sendable {
        case `default` = 0
        case longFormAudio = 1
        /// Set by the system only.
        case independent = 2
        case longFormVideo = 3

        /// The older name of ``longFormAudio``.
        @available(*, deprecated, renamed: "longFormAudio")
        public static var longForm: RouteSharingPolicy { .longFormAudio }
    }
}
