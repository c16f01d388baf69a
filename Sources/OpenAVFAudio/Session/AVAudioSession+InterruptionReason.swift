internal import SessionCore

extension AVAudioSession {
    /// Why the system interrupted the session.
    ///
    /// 3 (visionOS) and 5 (declared, but available nowhere) are missing.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum InterruptionReason: UInt, Sendable {
        /// Another session, a call, a policy of the session manager, or sleep.
        case `default` = 0
        /// Never posted here, nor on iOS since 16.
        case appWasSuspended = 1
        /// Never posted here: PipeWire does not tell of a microphone's mute switch.
        case builtInMicMuted = 2
        /// The route went away while the session played: this interruption has no end.
        case routeDisconnected = 4
    }
}

extension AVAudioSession.InterruptionReason {
    init(_ reason: SessionCore.InterruptionReason) {
        switch reason {
        case .default: self = .default
        case .routeDisconnected: self = .routeDisconnected
        }
    }
}
