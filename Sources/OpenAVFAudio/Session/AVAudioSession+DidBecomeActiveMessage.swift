public import Foundation

extension AVAudioSession {
    /// The session has become active; ``didBecomeActiveNotification`` as a message.
    ///
    /// Source: Apple documentation, "AVAudioSession.DidBecomeActiveMessage" (iOS 27).
    public struct DidBecomeActiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AVAudioSession

        package init() {}
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.DidBecomeActiveMessage> {
    /// Identifies ``AVAudioSession/DidBecomeActiveMessage``.
    public static var didBecomeActive: Self { .init() }
}
