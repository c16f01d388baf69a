public import Foundation

extension AVAudioSession {
    /// Why the session became inactive: a snapshot.
    ///
    /// Two contexts are equal if their contents are equal. Only the session creates them.
    ///
    /// Source: Apple documentation, "AVAudioSession.DeactivationContext" (iOS 27).
    public final class DeactivationContext: NSObject, Sendable {
        /// Who deactivated the session.
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

        public override var hash: Int { combinedHash(source, interruptionContext) }

        public override var description: String {
            "<AVAudioSessionDeactivationContext: source = \(source); interruptionContext = "
                + "\(interruptionContext?.description ?? "(null)")>"
        }
    }

    /// The cause of a deactivation: the app or the system.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 27).
    @nonexhaustive public enum DeactivationSource: Int, Sendable {
        /// The app called `setActive(false)` or `deactivate`.
        case app = 1
        /// An interruption made the session inactive.
        case system = 2
    }

    /// How the session became inactive.
    ///
    /// Source: Apple documentation, "AVAudioSession.DeactivationResult" (iOS 27).
    @nonexhaustive public enum DeactivationResult: Hashable, Sendable {
        /// The app called `setActive(false)` or `deactivate`.
        case appDeactivated
        /// An interruption made the session inactive; the context has its reason.
        case systemInterruption(AVAudioSession.InterruptionContext)
    }

    /// The session has become active; ``didBecomeActiveNotification`` as a message.
    ///
    /// Source: Apple documentation, "AVAudioSession.DidBecomeActiveMessage" (iOS 27).
    public struct DidBecomeActiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AVAudioSession

        package init() {}
    }

    /// The session has become inactive; ``didBecomeInactiveNotification`` as a message.
    ///
    /// Source: Apple documentation, "AVAudioSession.DidBecomeInactiveMessage" (iOS 27).
    public struct DidBecomeInactiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AVAudioSession

        /// Who made the session inactive.
        public let deactivationResult: DeactivationResult

        package init(deactivationResult: DeactivationResult) { self.deactivationResult = deactivationResult }
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.DidBecomeActiveMessage> {
    /// Identifies ``AVAudioSession/DidBecomeActiveMessage``.
    public static var didBecomeActive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.DidBecomeInactiveMessage> {
    /// Identifies ``AVAudioSession/DidBecomeInactiveMessage``.
    public static var didBecomeInactive: Self { .init() }
}
