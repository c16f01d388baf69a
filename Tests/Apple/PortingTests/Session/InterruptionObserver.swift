import AVFoundation

/// A player's controller as the article on interruptions has it: pause at the beginning, play on at the end if told so.
///
/// The imports and the calls are those of an app for iOS, unchanged.
final class InterruptionObserver: @unchecked Sendable {
    // @unchecked: touched on the main thread only, where the session posts.
    private(set) var isPlaying = false
    private(set) var log: [String] = []
    private var wasPlaying = false
    private var token: (any NSObjectProtocol)?
    private let session = AVAudioSession.sharedInstance()

    func start() throws {
        try session.setCategory(.playback, mode: .default)
        setupNotifications()
        try play()
    }

    private func setupNotifications() {
        let nc = NotificationCenter.default
        token = nc.addObserver(
            forName: AVAudioSession.interruptionNotification, object: session, queue: .main
        ) { [weak self] notification in
            self?.handleInterruption(notification)
        }
    }

    private func play() throws {
        try session.setActive(true)
        isPlaying = true
    }

    private func handleInterruption(_ notification: Notification) {
        guard let userInfo = notification.userInfo,
            let typeValue = userInfo[AVAudioSessionInterruptionTypeKey] as? UInt,
            let type = AVAudioSession.InterruptionType(rawValue: typeValue)
        else { return }

        switch type {
        case .began:
            let reasonValue = userInfo[AVAudioSessionInterruptionReasonKey] as? UInt ?? 0
            let reason = AVAudioSession.InterruptionReason(rawValue: reasonValue)
            log.append("began, reason \(reason.map { "\($0)" } ?? "none")")
            wasPlaying = isPlaying
            isPlaying = false

        case .ended:
            guard let optionsValue = userInfo[AVAudioSessionInterruptionOptionKey] as? UInt else { return }
            let options = AVAudioSession.InterruptionOptions(rawValue: optionsValue)
            if options.contains(.shouldResume) {
                do {
                    try play()
                    log.append("ended, plays on")
                } catch {
                    log.append("ended, \(error.localizedDescription)")
                }
            } else {
                log.append("ended, stays paused")
            }

        @unknown default: break
        }
    }
}

/// What a podcast app does with the same notification: every value by force.
func describeByForce(_ notification: Notification) -> String {
    let type = notification.userInfo![AVAudioSessionInterruptionTypeKey] as! NSNumber
    if type.uintValue == AVAudioSession.InterruptionType.ended.rawValue {
        let option = notification.userInfo![AVAudioSessionInterruptionOptionKey] as! NSNumber
        return option.uintValue == AVAudioSession.InterruptionOptions.shouldResume.rawValue ? "resume" : "stay"
    }
    return "stop"
}
