extension AVAudioSession {
    /// Why the route changed.
    ///
    /// The value 5 does not exist.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum RouteChangeReason: UInt, Sendable {
        /// The server moved the sound and did not say why.
        case unknown = 0
        /// A device appeared and is used now.
        case newDeviceAvailable = 1
        /// The device in use left; an app that plays should pause.
        case oldDeviceUnavailable = 2
        /// Another category or other options need other ports.
        case categoryChange = 3
        /// The output was overridden, or the override was removed.
        case override = 4
        /// The machine woke up; its devices may differ.
        case wakeFromSleep = 6
        /// No port is left for a direction that the category needs.
        case noSuitableRouteForCategory = 7
        /// The ports are the same, but a property of them changed.
        case routeConfigurationChange = 8
    }
}
