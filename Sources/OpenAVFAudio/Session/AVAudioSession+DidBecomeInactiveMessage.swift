public import Foundation

extension AVAudioSession {
    /// The session has become inactive; ``didBecomeInactiveNotification`` as a message.
    ///
    /// Source: Apple documentation, "AVAudioSession.DidBecomeInactiveMessage" (iOS 27).
    public struct DidBecomeInactiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AVAudioSession

        public let deactivationResult: DeactivationResult

        package init(deactivationResult: DeactivationResult) { self.deactivationResult = deactivationResult }
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.DidBecomeInactiveMessage> {
    /// Identifies ``AVAudioSession/DidBecomeInactiveMessage``.
    public static var didBecomeInactive: Self { .init() }
}
