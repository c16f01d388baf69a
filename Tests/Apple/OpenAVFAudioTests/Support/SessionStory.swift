import Foundation
import OpenAudioSession
import TestSupport

/// All that a session posts on the main thread, in order, by family; any thread.
final class SessionStory: Sendable {
    /// Up to iOS 26.
    let older = History<String>()
    /// The notifications of iOS 27.
    let newer = History<String>()
    /// The messages of iOS 27.
    let messages = History<String>()

    private let observers: Kept

    private struct Kept: @unchecked Sendable {
        // @unchecked: kept and let go of, never looked at.
        let observers: [Observer]
        let tokens: [NotificationCenter.ObservationToken]
    }

    init(of session: AVAudioSession) async {
        let (older, newer, messages) = (older, newer, messages)
        let observers = [
            Observer(AVAudioSession.interruptionNotification, object: session) {
                older.append(Self.interruption($0.userInfo ?? [:]))
            },
            Observer(AVAudioSession.silenceSecondaryAudioHintNotification, object: session) {
                let raw = $0.userInfo?[AVAudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt
                let type = raw.flatMap(AVAudioSession.SilenceSecondaryAudioHintType.init)
                older.append("hint \(type.map { "\($0)" } ?? "?")")
            },
            Observer(AVAudioSession.mediaServicesWereLostNotification, object: session) {
                older.append("lost" + ($0.userInfo == nil ? "" : " with a payload"))
            },
            Observer(AVAudioSession.mediaServicesWereResetNotification, object: session) {
                older.append("reset" + ($0.userInfo == nil ? "" : " with a payload"))
            },
            Observer(AVAudioSession.didBecomeActiveNotification, object: session) {
                newer.append("active" + ($0.userInfo == nil ? "" : " with a payload"))
            },
            Observer(AVAudioSession.didBecomeInactiveNotification, object: session) {
                let context =
                    $0.userInfo?[AVAudioSession.deactivationContextKey] as? AVAudioSession.DeactivationContext
                newer.append(
                    "inactive \(context.map { "\($0.source)" } ?? "?")"
                        + (context?.interruptionContext.map { " \($0.reason)" } ?? ""))
            },
            Observer(AVAudioSession.resumptionRecommendationNotification, object: session) {
                let context = $0.userInfo?[AVAudioSession.resumptionContextKey] as? AVAudioSession.ResumptionContext
                newer.append(context.map { "\($0.recommendation)" } ?? "?")
            },
        ]
        let tokens = await MainActor.run {
            let center = NotificationCenter.default
            return [
                center.addObserver(of: session, for: .didBecomeActive) { (_: AVAudioSession.DidBecomeActiveMessage) in
                    messages.append("active")
                },
                center.addObserver(of: session, for: .didBecomeInactive) {
                    (message: AVAudioSession.DidBecomeInactiveMessage) in
                    switch message.deactivationResult {
                    case .appDeactivated: messages.append("inactive app")
                    case .systemInterruption(let context): messages.append("inactive system \(context.reason)")
                    }
                },
                center.addObserver(of: session, for: AVAudioSession.ResumptionRecommendationMessage.self) {
                    messages.append("\($0.recommendation)")
                },
            ]
        }
        self.observers = Kept(observers: observers, tokens: tokens)
    }

    /// Every key that is there, in a fixed order, decoded as code in use does.
    private static func interruption(_ info: [AnyHashable: Any]) -> String {
        let type = (info[AVAudioSessionInterruptionTypeKey] as? UInt).flatMap(AVAudioSession.InterruptionType.init)
        let reason = (info[AVAudioSessionInterruptionReasonKey] as? UInt)
            .flatMap(AVAudioSession.InterruptionReason.init)
        let options = info[AVAudioSessionInterruptionOptionKey] as? UInt
        var words = [type.map { "\($0)" } ?? "?"]
        if let reason { words.append("\(reason)") }
        if let options { words.append("options \(options)") }
        if info.count != words.count { words.append("with \(info.count) keys") }
        return words.joined(separator: " ")
    }
}
