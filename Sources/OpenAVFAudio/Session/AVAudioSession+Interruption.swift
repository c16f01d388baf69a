public import Foundation
internal import SessionCore

extension AVAudioSession {
    /// The type of an interruption notification: its start or its end.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum InterruptionType: UInt, Sendable {
        /// The cause is over; whether the app may resume is in `AVAudioSessionInterruptionOptionKey`.
        case ended = 0
        /// The session is inactive already, and its players are silent.
        case began = 1
    }

    /// Why the system interrupted the session.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum InterruptionReason: UInt, Sendable {
        /// Another session, a call, a policy of the session manager, or sleep.
        case `default` = 0
        /// Never posted here, nor on iOS since 16.
        case appWasSuspended = 1
        /// Never posted here: a muted source delivers silence, and the session goes on.
        case builtInMicMuted = 2
        /// Posted on visionOS only.
        case sceneWasBackgrounded = 3
        /// The output left while the session was playing. This interruption has no end.
        case routeDisconnected = 4
        /// Posted nowhere; Apple declares it as unavailable.
        case deviceUnauthenticated = 5
    }

    /// Options at the end of an interruption.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    public struct InterruptionOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// An app that was playing may resume.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// A snapshot of how the system interrupted the session.
    ///
    /// Two contexts are equal if their reasons are equal. Only the session creates them.
    ///
    /// Source: Apple documentation, "AVAudioSession.InterruptionContext" (iOS 27).
    public final class InterruptionContext: NSObject, Sendable {
        /// Why the system interrupted the session.
        public let reason: InterruptionReason

        package init(reason: InterruptionReason) {
            self.reason = reason
            super.init()
        }

        public override func isEqual(_ object: Any?) -> Bool {
            (object as? InterruptionContext)?.reason == reason
        }

        public override var hash: Int { reason.hashValue }
        public override var description: String { "<AVAudioSessionInterruptionContext: reason = \(reason)>" }
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
