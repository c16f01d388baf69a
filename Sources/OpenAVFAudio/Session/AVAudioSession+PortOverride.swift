internal import SessionCore

extension AVAudioSession {
    /// An override of the output, independent of the connected devices.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum PortOverride: UInt, Sendable {
        /// Removes the override; the category and the devices decide.
        case none = 0
        /// The four characters 'spkr'.
        case speaker = 1_936_747_378
    }
}

extension OutputOverride {
    init(_ portOverride: AVAudioSession.PortOverride) {
        switch portOverride {
        case .none: self = .none
        case .speaker: self = .speaker
        }
    }
}
