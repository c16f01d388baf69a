public import Foundation

extension AVAudioSession {
    /// What the system advises now that the session could be active again: a snapshot.
    ///
    /// Equal to another when the recommendations are. Made by the session only.
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
