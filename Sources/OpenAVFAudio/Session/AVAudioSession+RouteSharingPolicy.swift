extension AVAudioSession {
    /// Whether the app shares its route with other apps' long-form sound.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum RouteSharingPolicy: UInt, Sendable {
        /// The app follows the route that its category needs; the only policy with an effect here.
        case `default` = 0
        /// For music and podcasts on iOS; checked against the category and kept, changes no route.
        case longFormAudio = 1
        /// Set by the system only.
        case independent = 2
        /// For films on iOS; checked against the category and kept, changes no route.
        case longFormVideo = 3

        /// The older name of ``longFormAudio``.
        @available(*, deprecated, renamed: "longFormAudio")
        public static var longForm: RouteSharingPolicy { .longFormAudio }
    }
}
