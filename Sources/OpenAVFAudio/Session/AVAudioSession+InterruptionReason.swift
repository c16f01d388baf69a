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
        /// Never posted here: PipeWire does not report the mute switch of a microphone.
        case builtInMicMuted = 2
        /// The output left while the session was playing. This interruption has no end.
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
