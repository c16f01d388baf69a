import AVFoundation

/// Follows the route as an iOS app would: by the async sequence, and by a block for code without tasks.
///
/// The imports and the calls are those of an app for iOS. A survey of public repositories shows what apps do here: they
/// decode with `as? UInt`, and look for `headphones` in the current and in the previous route.
final class RouteChangeObserver: Sendable {
    /// What one notification told.
    struct Change: Equatable, Sendable {
        var reason: AVAudioSession.RouteChangeReason
        var hadHeadphones: Bool
        var hasHeadphones: Bool
        var previousOutputs: [String]
    }

    private let session: AVAudioSession
    private let notifications: NotificationCenter.Notifications

    init() {
        session = AVAudioSession.sharedInstance()
        notifications = NotificationCenter.default.notifications(
            named: AVAudioSession.routeChangeNotification, object: session)
    }

    /// Calls `handler` with each change since this object was made, until the task is cancelled.
    func followRouteChanges(_ handler: @Sendable (Change) -> Void) async {
        for await notification in notifications {
            if let change = decode(notification) { handler(change) }
        }
    }

    /// Calls `handler` with each change, on the thread that posts; give the token to `removeObserver` to stop.
    func observeRouteChanges(_ handler: @escaping @Sendable (Change) -> Void) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
        ) { [self] notification in
            if let change = decode(notification) { handler(change) }
        }
    }

    private func decode(_ notification: Notification) -> Change? {
        guard let userInfo = notification.userInfo,
            let reasonValue = userInfo[AVAudioSessionRouteChangeReasonKey] as? UInt,
            let reason = AVAudioSession.RouteChangeReason(rawValue: reasonValue)
        else { return nil }
        let previousRoute = userInfo[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
        return Change(
            reason: reason,
            hadHeadphones: previousRoute?.hasHeadphones ?? false,
            hasHeadphones: session.currentRoute.hasHeadphones,
            previousOutputs: previousRoute?.outputs.map { $0.portType.rawValue } ?? [])
    }
}
