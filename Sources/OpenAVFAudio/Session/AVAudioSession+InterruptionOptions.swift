extension AVAudioSession {
    /// Options at the end of an interruption.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    public struct InterruptionOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// An app that was playing may resume.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }
}
