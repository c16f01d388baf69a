public import Foundation

extension AVAudioSession {
    /// How the system interrupted the session: a snapshot.
    ///
    /// Equal to another when the reasons are. Made by the session only.
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
