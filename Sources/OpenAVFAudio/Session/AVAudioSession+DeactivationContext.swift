public import Foundation

extension AVAudioSession {
    /// Why the session became inactive: a snapshot.
    ///
    /// Two contexts are equal if their contents are equal. Only the session creates them.
    ///
    /// Source: Apple documentation, "AVAudioSession.DeactivationContext" (iOS 27).
    public final class DeactivationContext: NSObject, Sendable {
        public let source: DeactivationSource
        /// Nil if the app deactivated the session.
        public let interruptionContext: InterruptionContext?

        /// - Parameter interruptionContext: nil says that the app did it.
        package init(interruptionContext: InterruptionContext?) {
            source = interruptionContext == nil ? .app : .system
            self.interruptionContext = interruptionContext
            super.init()
        }

        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? DeactivationContext else { return false }
            return source == other.source && interruptionContext == other.interruptionContext
        }

        public override var hash: Int {
            var hasher = Hasher()
            hasher.combine(source)
            hasher.combine(interruptionContext)
            return hasher.finalize()
        }

        public override var description: String {
            "<AVAudioSessionDeactivationContext: source = \(source); interruptionContext = "
                + "\(interruptionContext?.description ?? "(null)")>"
        }
    }
}
