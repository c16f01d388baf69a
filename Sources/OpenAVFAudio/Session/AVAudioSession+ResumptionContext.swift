public import Foundation

extension AVAudioSession {
    /// A snapshot of the system's recommendation when the session could be active again.
    ///
    /// Two contexts are equal if their recommendations are equal. Only the session creates them.
    ///
    /// Source: Apple documentation, "AVAudioSession.ResumptionContext" (iOS 27).
    public final class ResumptionContext: NSObject, Sendable {
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
}
