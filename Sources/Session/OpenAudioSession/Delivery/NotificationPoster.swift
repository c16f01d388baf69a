import AudioModel
package import Foundation
internal import SessionCore
package import SessionRuntime
internal import Threading

/// Turns a session's notices into notifications.
///
/// It is the only caller of `NotificationCenter.post`, which returns only when every observer has run, and with
/// `queue: .main` waits for the main thread. ``NoticeQueue`` therefore calls it on the poster thread and the main thread
/// only.
///
/// It does not keep the session alive; once the session is released, so is everyone who could have observed it, and
/// nothing is posted.
package final class NotificationPoster: SessionObserver {
    /// Calls `post` with the object of a notification, which calls the handlers; returns whether they dropped its last reference.
    package typealias StopWatch = @Sendable (_ subject: WeakBox<AnyObject>, _ post: (AnyObject) -> Void) -> Bool

    private let session = WeakBox<AVAudioSession>()
    private let stopWatch: StopWatch?

    /// - Parameter stopWatch: for engines that stop themselves, in strict tests.
    init(_ session: AVAudioSession, stopWatch: StopWatch?) {
        self.session.object = session
        self.stopWatch = stopWatch
    }

    package func perform(_ body: () -> Void) {
        guard let session = session.object else { return }
        AVAudioSession.$taskSession.withValue(session, operation: body)
    }

    /// Posts a notification of an object of the program, such as a player; called in work that `NoticeQueue` runs.
    @MainActor package static func post(_ name: Notification.Name, object: Any, userInfo: [AnyHashable: Any]? = nil) {
        postNumbered(name, object: object, userInfo: userInfo)
    }

    /// What the library posts at this moment on this thread; nil outside of it, and in real time.
    @TaskLocal static var posted: (name: Notification.Name, number: UInt64)?

    /// Runs a handler on the main queue, and waits for it.
    @TaskLocal package static var runOnMainQueue: @Sendable (@escaping @Sendable () -> Void) -> Void = { handler in
        let isDone = Latch()
        MainThreadDelivery.handlers.enqueue {
            handler()
            isDone.raise()
        }
        isDone.wait()
    }

    /// Poster thread and main thread.
    fileprivate static func postNumbered(_ name: Notification.Name, object: Any, userInfo: [AnyHashable: Any]?) {
        $posted.withValue(NoticeQueue.deliveredNumber.map { (name, $0) }) {
            NotificationCenter.default.post(name: name, object: object, userInfo: userInfo)
        }
    }

    private static func postStop(of engine: AnyObject) {
        guard let engine = engine as? any StoppableEngine else { return }
        postNumbered(engine.stopNotification, object: engine, userInfo: nil)
    }

    package func receive(_ notice: SessionNotice) {
        guard let session = session.object else { return }
        // Handlers commonly ask sharedInstance() for the new route: they get the session that posts.
        AVAudioSession.$taskSession.withValue(session) {
            switch notice {
            case .routeChanged(let change):
                session.post(
                    AVAudioSession.routeChangeNotification, userInfo: AVAudioSession.userInfo(for: change))
                let (old, new) = (
                    AVAudioSession.RenderingMode(change.previous), AVAudioSession.RenderingMode(change.current)
                )
                guard old != new else { return }
                session.post(
                    AVAudioSession.renderingModeChangeNotification,
                    userInfo: [AVAudioSessionRenderingModeNewRenderingModeKey: NSNumber(value: new.rawValue)])
            case .availableInputsChanged:
                session.post(AVAudioSession.availableInputsChangeNotification)
                session.tellDelegateOfInput()
            case .engineStopped(let subject):
                // Held for the time of the post: a handler may drop the app's last reference, and the engine then ends here,
                // where it may wait for the session thread.
                let host = session.runtime.host
                guard let stopWatch, host.isStrict else { return subject.object.map(Self.postStop) ?? () }
                if stopWatch(subject, Self.postStop) { host.note(.releasedEngine) }
            case .interruptionBegan, .interruptionEnded, .becameActive, .becameInactive, .resumptionRecommended,
                .secondaryAudioHint, .mediaServicesLost, .mediaServicesReset, .outputMuteChanged, .userIntendsToUnmute,
                .inputMuteChanged:
                MainActor.assumeIsolated { session.postOnMainThread(notice) }
            }
        }
    }
}

/// An engine that the notice `engineStopped` is about.
package protocol StoppableEngine: AnyObject {
    /// Posted for it when it has stopped itself.
    var stopNotification: Notification.Name { get }
}

extension AVAudioSession {
    fileprivate func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        NotificationPoster.postNumbered(name, object: self, userInfo: userInfo)
    }

    /// Linux' Foundation does not turn a notification into a message, nor back: both are posted.
    @MainActor private func post<Message: NotificationCenter.MainActorMessage>(_ message: Message)
    where Message.Subject == AVAudioSession {
        NotificationCenter.default.post(message, subject: self)
    }

    /// One notice, both families: the notification of iOS 6 to 26, and with it what iOS 27 posts for the same fact, as a
    /// notification and as a message.
    @MainActor fileprivate func postOnMainThread(_ notice: SessionNotice) {
        switch notice {
        case .interruptionBegan(let reason):
            let reason: InterruptionReason = reason == .routeDisconnected ? .routeDisconnected : .default
            post(Self.interruptionNotification, userInfo: Self.userInfo(forInterruptionBegan: reason))
            postBecameInactive(InterruptionContext(reason: reason))
            tellDelegate { $0.beginInterruption() }
        case .interruptionEnded(let shouldResume):
            post(
                Self.interruptionNotification,
                userInfo: Self.userInfo(forInterruptionEnded: shouldResume ? .shouldResume : []))
            postResumptionRecommendation(shouldResume ? .shouldResume : .shouldNotResume)
            tellDelegate {
                $0.endInterruption(withFlags: shouldResume ? AVAudioSessionInterruptionFlags_ShouldResume : 0)
            }
        case .becameActive:
            post(Self.didBecomeActiveNotification)
            post(DidBecomeActiveMessage())
        case .becameInactive:
            postBecameInactive(nil)
        case .resumptionRecommended:
            postResumptionRecommendation(.shouldResume)
        case .secondaryAudioHint(let begins):
            post(
                Self.silenceSecondaryAudioHintNotification, userInfo: Self.userInfo(forHint: begins ? .begin : .end))
        case .mediaServicesLost(let endedActivation):
            post(Self.mediaServicesWereLostNotification)
            // Apple names no reason for a lost server: the default one.
            if endedActivation { postBecameInactive(InterruptionContext(reason: .default)) }
        case .mediaServicesReset:
            post(Self.mediaServicesWereResetNotification)
        case .outputMuteChanged(let isMuted):
            post(Self.outputMuteStateChangeNotification, userInfo: [Self.muteStateKey: NSNumber(value: isMuted)])
        case .userIntendsToUnmute:
            post(Self.userIntentToUnmuteOutputNotification)
        case .inputMuteChanged(let isMuted):
            NotificationPoster.post(
                AVAudioApplication.inputMuteStateChangeNotification, object: AVAudioApplication.shared,
                userInfo: [AVAudioApplication.muteStateKey: NSNumber(value: isMuted)])
        case .routeChanged, .availableInputsChanged, .engineStopped:
            programmerError("the poster thread delivers \(notice)")
        }
    }

    private func tellDelegate(_ call: (any AVAudioSessionDelegate) -> Void) {
        (delegateBox.object as? any AVAudioSessionDelegate).map(call)
    }

    fileprivate func tellDelegateOfInput() {
        guard delegateBox.object != nil else { return }
        runtime.notices.enqueueOnMainThread { [self] in
            tellDelegate { $0.inputIsAvailableChanged(isInputAvailable) }
        }
    }

    /// - Parameter interruption: what the system made it inactive with; nil where the app did.
    @MainActor private func postBecameInactive(_ interruption: InterruptionContext?) {
        post(
            Self.didBecomeInactiveNotification,
            userInfo: [Self.deactivationContextKey: DeactivationContext(interruptionContext: interruption)])
        post(
            DidBecomeInactiveMessage(
                deactivationResult: interruption.map { .systemInterruption($0) } ?? .appDeactivated))
    }

    @MainActor private func postResumptionRecommendation(_ recommendation: ResumptionRecommendation) {
        let context = ResumptionContext(recommendation: recommendation)
        post(Self.resumptionRecommendationNotification, userInfo: [Self.resumptionContextKey: context])
        post(ResumptionRecommendationMessage(recommendation: recommendation))
    }
}
