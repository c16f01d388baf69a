public import Foundation

// What iOS 27 has in place of the interruption notification. Both families come from the same facts and tell the same
// story; both are posted, on the main thread. Each of these is also a message of the same name, for
// `NotificationCenter.default.addObserver(of:for:)`. Source: Apple documentation; SDK header AVAudioSession.h (iOS 27).
extension AVAudioSession {
    /// The session has become active.
    ///
    /// No `userInfo`.
    public static let didBecomeActiveNotification = NSNotification.Name("AVAudioSessionDidBecomeActiveNotification")

    /// The session has become inactive: the app deactivated it, another session interrupted it, or the server ended.
    ///
    /// `userInfo`: ``deactivationContextKey``.
    public static let didBecomeInactiveNotification = NSNotification.Name("AVAudioSessionDidBecomeInactiveNotification")

    /// An interruption has ended, or an activation that was refused may succeed now.
    ///
    /// It is not guaranteed to come, like `ended` of the older notifications.
    ///
    /// `userInfo`: ``resumptionContextKey``.
    public static let resumptionRecommendationNotification = NSNotification.Name(
        "AVAudioSessionResumptionRecommendationNotification")

    /// Key of a ``DeactivationContext``.
    public static let deactivationContextKey: String = "AVAudioSessionDeactivationContextKey"

    /// Key of a ``ResumptionContext``.
    public static let resumptionContextKey: String = "AVAudioSessionResumptionContextKey"
}
