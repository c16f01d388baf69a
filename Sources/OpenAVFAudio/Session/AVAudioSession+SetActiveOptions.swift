extension AVAudioSession {
    /// What else `setActive(_:options:)` is to do.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    public struct SetActiveOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Tell the sessions that were interrupted by this one that they may go on.
        ///
        /// With deactivation only.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }
}
