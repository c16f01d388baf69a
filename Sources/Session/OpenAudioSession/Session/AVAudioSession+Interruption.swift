public import Foundation
internal import SessionCore
internal import SessionRuntime

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
        ///
        /// It is not set where an output has left during the interruption: the sound would be heard on another one (decision 60).
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

extension AVAudioSession {
    /// Whether an app that was playing may resume.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 27).
    @nonexhaustive public enum ResumptionRecommendation: Int, Sendable {
        /// The app should stay silent until the user plays.
        case shouldNotResume = 0
        /// An app that played before may play again.
        case shouldResume = 1
    }

    /// A snapshot of the system's recommendation when the session could be active again.
    ///
    /// Two contexts are equal if their recommendations are equal. Only the session creates them.
    ///
    /// Source: Apple documentation, "AVAudioSession.ResumptionContext" (iOS 27).
    public final class ResumptionContext: NSObject, Sendable {
        /// Whether an app that was playing may resume.
        public let recommendation: ResumptionRecommendation

        package init(recommendation: ResumptionRecommendation) {
            self.recommendation = recommendation
            super.init()
        }

        public override func isEqual(_ object: Any?) -> Bool {
            (object as? ResumptionContext)?.recommendation == recommendation
        }

        public override var hash: Int { recommendation.hashValue }

        public override var description: String {
            "<AVAudioSessionResumptionContext: recommendation = \(recommendation)>"
        }
    }

    /// The session could be active again; ``resumptionRecommendationNotification`` as a message.
    ///
    /// Source: Apple documentation, "AVAudioSession.ResumptionRecommendationMessage" (iOS 27); the property has the
    /// name that existing code uses.
    public struct ResumptionRecommendationMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AVAudioSession

        /// Whether an app that was playing may resume.
        public let recommendation: ResumptionRecommendation
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.ResumptionRecommendationMessage> {
    /// Identifies ``AVAudioSession/ResumptionRecommendationMessage``.
    public static var resumptionRecommendation: Self { .init() }
}

// What other programs do, and what an interruption may come from. Getters read a snapshot and never wait.
extension AVAudioSession {
    /// Whether another program plays: an active session that is playing, mixable or not, or a stream of a program
    /// without a session.
    ///
    /// Source: Apple documentation, "isOtherAudioPlaying".
    public var isOtherAudioPlaying: Bool { runtime.state.isOtherAudioPlaying }

    /// Whether another program's main sound plays: a session that does not mix, or a stream with such a role.
    ///
    /// Source: Apple documentation, "secondaryAudioShouldBeSilencedHint".
    public var secondaryAudioShouldBeSilencedHint: Bool { runtime.state.secondaryAudioShouldBeSilenced }

    /// Sets whether the loss of the port in use is also an interruption, not only a route change.
    ///
    /// It is an interruption only for an active session with the category `.playback` that does not mix and plays on
    /// that port. Such an interruption has no end. Rules: docs/behaviours.md, 35 and 36.
    ///
    /// - Throws: the ``ErrorCode`` of the session.
    public func setPrefersInterruptionOnRouteDisconnect(_ inValue: Bool) throws {
        try perform { call, _ in .routeDisconnectPreferenceRequested(call, prefersInterruption: inValue) }
    }

    /// True until it is set.
    public var prefersInterruptionOnRouteDisconnect: Bool { runtime.state.prefersInterruptionOnRouteDisconnect }

    /// What to do with sound that is not an app's main one: a game's music, say.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum SilenceSecondaryAudioHintType: UInt, Sendable {
        /// Secondary sound may play again.
        case end = 0
        /// Secondary sound should be silent, because another app's main sound plays.
        case begin = 1
    }
}
