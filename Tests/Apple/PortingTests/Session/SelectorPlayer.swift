import AVFoundation

/// A player's controller with the registration that most iOS apps use; only `Selector` differs from `#selector`.
@MainActor final class SelectorPlayer: NSObject {
    private(set) var log: [String] = []
    private let session = AVAudioSession.sharedInstance()

    func start() throws {
        try session.setCategory(.playback, mode: .default)
        let center = NotificationCenter.default
        center.addObserver(
            self, selector: Selector(SelectorPlayer.handleInterruption),
            name: AVAudioSession.interruptionNotification, object: session)
        center.addObserver(
            self, selector: Selector(SelectorPlayer.becameActive), name: AVAudioSession.didBecomeActiveNotification,
            object: session)
        center.addObserver(
            self, selector: Selector(SelectorPlayer.handleRouteChange),
            name: AVAudioSession.routeChangeNotification, object: session)
        try session.setActive(true)
    }

    func stop() { NotificationCenter.default.removeObserver(self) }

    func stopFollowingInterruptions() {
        NotificationCenter.default.removeObserver(
            self, name: AVAudioSession.interruptionNotification, object: nil)
    }

    private func handleInterruption(_ notification: Notification) {
        let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
        log.append(type == AVAudioSession.InterruptionType.began.rawValue ? "began" : "ended")
    }

    private func handleRouteChange(_ notification: NSNotification) {
        MainActor.assertIsolated()
        log.append("route change \(notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt ?? 0)")
    }

    private func becameActive() { log.append("active") }
}

/// The same without an actor: handlers run on the thread that posts.
final class RouteHistory: @unchecked Sendable {
    // @unchecked: `reasons` is read and written under `lock`.
    private let lock = NSLock()
    private var reasons: [UInt] = []

    var entries: [UInt] { lock.withLock { reasons } }

    init(_ session: AVAudioSession) {
        NotificationCenter.default.addObserver(
            self, selector: Selector(RouteHistory.routeChanged), name: AVAudioSession.routeChangeNotification,
            object: session)
    }

    deinit { NotificationCenter.default.removeObserver(self) }

    private func routeChanged(_ notification: Notification) {
        let reason = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt ?? 0
        lock.withLock { reasons.append(reason) }
    }
}
