public import Foundation

extension AVAudioSession {
    /// The session could be active again; ``resumptionRecommendationNotification`` as a message.
    ///
    /// Source: Apple documentation, "AVAudioSession.ResumptionRecommendationMessage" (iOS 27); the property has the
    /// name that existing code uses.
    public struct ResumptionRecommendationMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AVAudioSession

        public let recommendation: ResumptionRecommendation

        package init(recommendation: ResumptionRecommendation) { self.recommendation = recommendation }
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.ResumptionRecommendationMessage> {
    /// Identifies ``AVAudioSession/ResumptionRecommendationMessage``.
    public static var resumptionRecommendation: Self { .init() }
}
