public import Foundation

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

        package init(recommendation: ResumptionRecommendation) { self.recommendation = recommendation }
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.ResumptionRecommendationMessage> {
    /// Identifies ``AVAudioSession/ResumptionRecommendationMessage``.
    public static var resumptionRecommendation: Self { .init() }
}
