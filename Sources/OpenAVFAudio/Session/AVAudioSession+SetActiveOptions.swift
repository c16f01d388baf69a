extension AVAudioSession {
    /// Options of `setActive(_:options:)`.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    public struct SetActiveOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Notifies the sessions that this one interrupted that they may resume.
        ///
        /// For deactivation only.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }
}
