import AVFoundation

/// A view model that follows the session by the messages of iOS 27.
@MainActor final class SessionModel {
    private(set) var story: [String] = []
    private var tokens: [NotificationCenter.ObservationToken] = []

    func follow(_ session: AVAudioSession) {
        let center = NotificationCenter.default
        tokens = [
            center.addObserver(of: session, for: .didBecomeActive) { [weak self] _ in
                self?.story.append("active")
            },
            center.addObserver(of: session, for: AVAudioSession.DidBecomeInactiveMessage.self) { [weak self] message in
                switch message.deactivationResult {
                case .appDeactivated:
                    self?.story.append("inactive: by the app")
                case .systemInterruption(let context):
                    self?.story.append("inactive: interrupted (\(context.reason))")
                @unknown default:
                    break
                }
            },
            center.addObserver(of: session, for: .resumptionRecommendation) { [weak self] message in
                self?.story.append(message.recommendation == .shouldResume ? "resume" : "do not resume")
            },
        ]
    }
}
