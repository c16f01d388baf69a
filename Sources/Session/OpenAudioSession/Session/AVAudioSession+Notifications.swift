public import Foundation
package import SessionCore

// Posted on `NotificationCenter.default` with the session as `object`, after the state they tell of can be read. A
// handler may call back into the session. Source: Apple documentation; SDK header AVAudioSession.h (iOS 18.0).
//
// Two threads post: what tells of ports, a thread of the library; all else, the main thread, that is whatever serves
// `OperationQueue.main`, `DispatchQueue.main` and `MainActor`. Each posts in the order in which the changes happened;
// between the two no order is promised. A program whose main thread serves none of these (it neither has an async
// `main`, nor calls `dispatchMain`, nor runs `RunLoop.main`) never gets the latter, as on iOS.
extension AVAudioSession {
    // MARK: On a thread of the library: never the main thread and never one that the session itself waits for

    /// The route has changed; ``currentRoute`` already returns the new route.
    ///
    /// `userInfo`: ``AVAudioSessionRouteChangeReasonKey``, ``AVAudioSessionRouteChangePreviousRouteKey``.
    public static let routeChangeNotification = NSNotification.Name("AVAudioSessionRouteChangeNotification")

    /// ``availableInputs`` has changed.
    ///
    /// No `userInfo`.
    public static let availableInputsChangeNotification = NSNotification.Name(
        "AVAudioSessionAvailableInputsChangeNotification")

    // MARK: On the main thread

    /// The system has made the session inactive, or the cause of this has ended.
    ///
    /// On `began` the session is inactive and its players are silent already. `ended` is not guaranteed to come: there
    /// is none after a loss of the route, or if the app has activated the session in the meantime. Do
    /// not wait for it: ``setActive(_:options:)`` with `true` may be called at any time. Rules: docs/behaviours.md, 23, 31,
    /// 35 and 89.
    ///
    /// `userInfo`: ``AVAudioSessionInterruptionTypeKey``; with `began` ``AVAudioSessionInterruptionReasonKey``; with
    /// `ended` ``AVAudioSessionInterruptionOptionKey``, also when no option is set.
    public static let interruptionNotification = NSNotification.Name("AVAudioSessionInterruptionNotification")

    /// Another app's main sound starts or stops, and this app's secondary sound should stop or may start.
    ///
    /// Only while the session is active. ``secondaryAudioShouldBeSilencedHint`` always has the newest value. Rules:
    /// docs/behaviours.md, 50 and 51.
    ///
    /// `userInfo`: ``AVAudioSessionSilenceSecondaryAudioHintTypeKey``.
    public static let silenceSecondaryAudioHintNotification = NSNotification.Name(
        "AVAudioSessionSilenceSecondaryAudioHintNotification")

    /// The sound server has ended; all sound stops, and every call throws `mediaServicesFailed` until the reset.
    ///
    /// No `userInfo`.
    public static let mediaServicesWereLostNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereLostNotification")

    /// A sound server is available again.
    ///
    /// The session is inactive, and its category, mode and options are the defaults. Existing players no longer work:
    /// they throw, or do nothing. Create new ones. Observers stay registered. Nothing plays until the app starts it.
    /// Rules: docs/behaviours.md, 56 and 57.
    ///
    /// No `userInfo`.
    public static let mediaServicesWereResetNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereResetNotification")

    // MARK: userInfo
    // The numbers are `NSNumber`s, so that `as? UInt` and `as? NSNumber` both work.

    package static func userInfo(for change: RouteChange) -> [AnyHashable: Any] {
        [
            AVAudioSessionRouteChangeReasonKey: NSNumber(value: change.reason.rawValue),
            AVAudioSessionRouteChangePreviousRouteKey: AVAudioSessionRouteDescription(change.previous),
        ]
    }

    package static func userInfo(forInterruptionBegan reason: InterruptionReason) -> [AnyHashable: Any] {
        [
            AVAudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.began.rawValue),
            AVAudioSessionInterruptionReasonKey: NSNumber(value: reason.rawValue),
        ]
    }

    /// The options are there even when they are empty: code in use unwraps them by force.
    package static func userInfo(forInterruptionEnded options: InterruptionOptions) -> [AnyHashable: Any] {
        [
            AVAudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.ended.rawValue),
            AVAudioSessionInterruptionOptionKey: NSNumber(value: options.rawValue),
        ]
    }

    package static func userInfo(forHint type: SilenceSecondaryAudioHintType) -> [AnyHashable: Any] {
        [AVAudioSessionSilenceSecondaryAudioHintTypeKey: NSNumber(value: type.rawValue)]
    }
}

/// Key of an `NSNumber`: the raw value of an `AVAudioSession.RouteChangeReason`.
public let AVAudioSessionRouteChangeReasonKey: String = "AVAudioSessionRouteChangeReasonKey"

/// Key of an ``AVAudioSessionRouteDescription``: the route before the change.
///
/// A snapshot. Rule: docs/behaviours.md, 14.
public let AVAudioSessionRouteChangePreviousRouteKey: String = "AVAudioSessionRouteChangePreviousRouteKey"

/// Key of an `NSNumber`: the raw value of an `AVAudioSession.InterruptionType`.
public let AVAudioSessionInterruptionTypeKey: String = "AVAudioSessionInterruptionTypeKey"

/// Key of an `NSNumber`, with `ended`: the raw value of `AVAudioSession.InterruptionOptions`.
public let AVAudioSessionInterruptionOptionKey: String = "AVAudioSessionInterruptionOptionKey"

/// Key of an `NSNumber`, with `began`: the raw value of an `AVAudioSession.InterruptionReason`.
public let AVAudioSessionInterruptionReasonKey: String = "AVAudioSessionInterruptionReasonKey"

/// Key of an `NSNumber`: the raw value of an `AVAudioSession.SilenceSecondaryAudioHintType`.
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey: String = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"

/// Key of an `NSNumber` with a Bool; never there, as on iOS since 16.
public let AVAudioSessionInterruptionWasSuspendedKey: String = "AVAudioSessionInterruptionWasSuspendedKey"

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
    /// It is not guaranteed to come, like `ended` of the older notifications. Rule: docs/behaviours.md, 43.
    ///
    /// `userInfo`: ``resumptionContextKey``.
    public static let resumptionRecommendationNotification = NSNotification.Name(
        "AVAudioSessionResumptionRecommendationNotification")

    /// Key of a ``DeactivationContext``.
    public static let deactivationContextKey: String = "AVAudioSessionDeactivationContextKey"

    /// Key of a ``ResumptionContext``.
    public static let resumptionContextKey: String = "AVAudioSessionResumptionContextKey"
}

extension AVAudioSession {
    /// Why the route changed.
    ///
    /// The value 5 does not exist.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum RouteChangeReason: UInt, Sendable {
        /// Never posted here.
        case unknown = 0
        /// A device appeared and is used now.
        case newDeviceAvailable = 1
        /// The device in use left; an app that plays should pause.
        case oldDeviceUnavailable = 2
        /// Another category or other options need other ports.
        case categoryChange = 3
        /// The output was overridden, or the override was removed.
        case override = 4
        /// The machine woke up; its devices may differ.
        case wakeFromSleep = 6
        /// No port is left for a direction that the category needs.
        case noSuitableRouteForCategory = 7
        /// The ports are the same, but a property of them changed.
        case routeConfigurationChange = 8
    }
}
