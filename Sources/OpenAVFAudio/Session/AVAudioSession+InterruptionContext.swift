public import Foundation

extension AVAudioSession {
    /// A snapshot of how the system interrupted the session.
    ///
    /// Two contexts are equal if their reasons are equal. Only the session creates them.
    ///
    /// Source: Apple documentation, "AVAudioSession.InterruptionContext" (iOS 27).
    public final class InterruptionContext: NSObject, Sendable {
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
