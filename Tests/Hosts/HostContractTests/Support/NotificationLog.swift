import Foundation
import TestSupport

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// What a session's observers are told on the main thread, with what they find there.
final class NotificationLog: Sendable {
    enum Kind: Equatable, Sendable {
        case began(AVAudioSession.InterruptionReason)
        case ended(AVAudioSession.InterruptionOptions)
        case hint(AVAudioSession.SilenceSecondaryAudioHintType)
        case lost, reset
        case didBecomeActive
        case didBecomeInactive(AVAudioSession.DeactivationSource, AVAudioSession.InterruptionReason?)
        case recommendation(AVAudioSession.ResumptionRecommendation)
        case unreadable(String)

        /// What iOS 27 has in place of interruptions.
        var isOfLifecycle: Bool {
            switch self {
            case .didBecomeActive, .didBecomeInactive, .recommendation: true
            case .began, .ended, .hint, .lost, .reset, .unreadable: false
            }
        }
    }

    struct Entry: Equatable, Sendable {
        var kind: Kind
        /// Where the session stands while the observer runs.
        var phase: Journal.Phase
        /// The players' states while the observer runs.
        var players: [FilePlayer.State] = []
        var isOnMainThread = true
        var hasPayload = true
    }

    private static let names = [
        AVAudioSession.interruptionNotification, AVAudioSession.silenceSecondaryAudioHintNotification,
        AVAudioSession.mediaServicesWereLostNotification, AVAudioSession.mediaServicesWereResetNotification,
        AVAudioSession.didBecomeActiveNotification, AVAudioSession.didBecomeInactiveNotification,
        AVAudioSession.resumptionRecommendationNotification,
    ]

    private let history: History<Entry>
    private let observers: [Observer]

    init(_ app: App, players: [FilePlayer] = []) {
        let (runtime, history) = (app.runtime, History<Entry>())
        self.history = history
        observers = Self.names.map { name in
            Observer(name, object: app.session) { notification in
                history.append(
                    Entry(
                        kind: Kind(notification), phase: Journal.Phase(runtime.state),
                        players: players.map(\.status.state), isOnMainThread: MainThread.isCurrent,
                        hasPayload: notification.userInfo != nil))
            }
        }
    }

    var all: [Entry] { history.entries }
    var kinds: [Kind] { all.map(\.kind) }
}

extension NotificationLog.Kind {
    fileprivate init(_ notification: Notification) {
        let info = notification.userInfo ?? [:]
        self =
            switch notification.name {
            case AVAudioSession.interruptionNotification: Self(interruption: info)
            case AVAudioSession.silenceSecondaryAudioHintNotification:
                (info[AVAudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt)
                    .flatMap(AVAudioSession.SilenceSecondaryAudioHintType.init).map(Self.hint)
                    ?? .unreadable("\(info)")
            case AVAudioSession.mediaServicesWereLostNotification: .lost
            case AVAudioSession.mediaServicesWereResetNotification: .reset
            case AVAudioSession.didBecomeActiveNotification: .didBecomeActive
            case AVAudioSession.didBecomeInactiveNotification:
                (info[AVAudioSession.deactivationContextKey] as? AVAudioSession.DeactivationContext)
                    .map { .didBecomeInactive($0.source, $0.interruptionContext?.reason) } ?? .unreadable("\(info)")
            case AVAudioSession.resumptionRecommendationNotification:
                (info[AVAudioSession.resumptionContextKey] as? AVAudioSession.ResumptionContext)
                    .map { .recommendation($0.recommendation) } ?? .unreadable("\(info)")
            default: .unreadable("\(notification.name)")
            }
    }

    private init(interruption info: [AnyHashable: Any]) {
        let type = (info[AVAudioSessionInterruptionTypeKey] as? UInt).flatMap(AVAudioSession.InterruptionType.init)
        let reason = (info[AVAudioSessionInterruptionReasonKey] as? UInt)
            .flatMap(AVAudioSession.InterruptionReason.init)
        let options = (info[AVAudioSessionInterruptionOptionKey] as? UInt)
            .map(AVAudioSession.InterruptionOptions.init(rawValue:))
        self =
            switch (type, reason, options) {
            case (.began, let reason?, nil): .began(reason)
            case (.ended, nil, let options?): .ended(options)
            default: .unreadable("\(info)")
            }
    }
}
