extension AVAudioSession {
    /// What the end of an interruption advises.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    public struct InterruptionOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// An app that was playing may play on.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }
}
