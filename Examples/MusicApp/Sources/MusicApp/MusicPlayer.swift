import AVFAudio
import Foundation

/// A music player as it is in an iOS app: it knows nothing of Linux, nor of tests.
public final class MusicPlayer {
    private let player: AVAudioPlayer
    private var observers: [any NSObjectProtocol] = []
    private var resumesAfterInterruption = false

    public init(contentsOf url: URL) throws {
        player = try AVAudioPlayer(contentsOf: url)
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback)
        observe(AVAudioSession.interruptionNotification, of: session) { [weak self] in self?.interruption($0) }
        observe(AVAudioSession.routeChangeNotification, of: session) { [weak self] in self?.routeChange($0) }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    public func play() throws {
        try AVAudioSession.sharedInstance().setActive(true)
        player.play()
    }

    public func pause() { player.pause() }

    private func observe(
        _ name: Notification.Name, of session: AVAudioSession, _ handle: @escaping (Notification) -> Void
    ) {
        // The closure is called by one thread at a time.
        nonisolated(unsafe) let handle = handle
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { handle($0) })
    }

    private func interruption(_ notification: Notification) {
        let info = notification.userInfo ?? [:]
        let type = (info[AVAudioSessionInterruptionTypeKey] as? UInt).flatMap(AVAudioSession.InterruptionType.init)
        switch type {
        case .began: resumesAfterInterruption = true
        case .ended:
            let options = AVAudioSession.InterruptionOptions(
                rawValue: info[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0)
            if options.contains(.shouldResume), resumesAfterInterruption { try? play() }
            resumesAfterInterruption = false
        default: break
        }
    }

    private func routeChange(_ notification: Notification) {
        let reason = (notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt)
            .flatMap(AVAudioSession.RouteChangeReason.init)
        if reason == .oldDeviceUnavailable { pause() }
    }
}
