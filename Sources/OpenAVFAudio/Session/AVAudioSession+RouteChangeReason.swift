extension AVAudioSession {
    /// Why the route changed.
    ///
    /// The value 5 does not exist.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum RouteChangeReason: UInt, Sendable {
        case unknown = 0
        /// A device appeared and is used now.
        case newDeviceAvailable = 1
        /// The device in use left; an app that plays should pause.
        case oldDeviceUnavailable = 2
        case categoryChange = 3
        /// The output was overridden, or the override was removed.
        case override = 4
        case wakeFromSleep = 6
        /// No port is left for a direction that the category needs.
        case noSuitableRouteForCategory = 7
        /// The ports are the same, but a property of them changed.
        case routeConfigurationChange = 8
    }
}
