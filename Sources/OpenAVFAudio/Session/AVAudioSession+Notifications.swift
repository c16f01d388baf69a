public import Foundation
package import SessionCore

// Posted on `NotificationCenter.default` with the session as `object`, on the poster's thread: never the main thread
// and never one that the session itself waits for. Source: Apple documentation; SDK header AVAudioSession.h (iOS 18.0).
extension AVAudioSession {
    /// The route has changed; ``currentRoute`` is the new one already.
    ///
    /// `userInfo`: ``AVAudioSessionRouteChangeReasonKey``, ``AVAudioSessionRouteChangePreviousRouteKey``.
    public static let routeChangeNotification = NSNotification.Name("AVAudioSessionRouteChangeNotification")

    /// ``availableInputs`` has changed.
    ///
    /// No `userInfo`.
    public static let availableInputsChangeNotification = NSNotification.Name(
        "AVAudioSessionAvailableInputsChangeNotification")

    /// The `userInfo` of a route change.
    ///
    /// The number is an `NSNumber`, so that `as? UInt` and `as? NSNumber` both work.
    package static func userInfo(for change: RouteChange) -> [AnyHashable: Any] {
        [
            AVAudioSessionRouteChangeReasonKey: NSNumber(value: RouteChangeReason(change.reason).rawValue),
            AVAudioSessionRouteChangePreviousRouteKey: AVAudioSessionRouteDescription(change.previous),
        ]
    }
}

/// Key of an `NSNumber`: the raw value of an `AVAudioSession.RouteChangeReason`.
public let AVAudioSessionRouteChangeReasonKey: String = "AVAudioSessionRouteChangeReasonKey"

/// Key of an ``AVAudioSessionRouteDescription``: the route before the change.
public let AVAudioSessionRouteChangePreviousRouteKey: String = "AVAudioSessionRouteChangePreviousRouteKey"
