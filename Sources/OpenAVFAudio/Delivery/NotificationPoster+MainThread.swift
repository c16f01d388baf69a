internal import Foundation
package import SessionCore

// One effect, both families: the notification of iOS 6 to 26, and with it what iOS 27 posts for the same fact, as a
// notification and as a message. (On Linux the two do not know of each other: a message observer hears messages only.)
//
// Any thread; does not wait.
extension NotificationPoster {
    package func postInterruptionBegan(_ reason: SessionCore.InterruptionReason) {
        let reason = AVAudioSession.InterruptionReason(reason)
        enqueueOnMainThread { session in
            session.post(
                AVAudioSession.interruptionNotification, userInfo: AVAudioSession.userInfo(forInterruptionBegan: reason)
            )
            session.postBecameInactive(AVAudioSession.InterruptionContext(reason: reason))
        }
    }

    package func postInterruptionEnded(shouldResume: Bool) {
        enqueueOnMainThread { session in
            session.post(
                AVAudioSession.interruptionNotification,
                userInfo: AVAudioSession.userInfo(forInterruptionEnded: shouldResume ? .shouldResume : []))
            session.postResumptionRecommendation(shouldResume ? .shouldResume : .shouldNotResume)
        }
    }

    package func postBecameActive() {
        enqueueOnMainThread { session in
            session.post(AVAudioSession.didBecomeActiveNotification)
            session.post(AVAudioSession.DidBecomeActiveMessage())
        }
    }

    /// The app made the session inactive.
    package func postBecameInactive() {
        enqueueOnMainThread { $0.postBecameInactive(nil) }
    }

    package func postResumptionRecommendation() {
        enqueueOnMainThread { $0.postResumptionRecommendation(.shouldResume) }
    }

    package func postSilenceSecondaryAudioHint(begins: Bool) {
        enqueueOnMainThread {
            $0.post(
                AVAudioSession.silenceSecondaryAudioHintNotification,
                userInfo: AVAudioSession.userInfo(forHint: begins ? .begin : .end))
        }
    }

    /// - Parameter endedActivation: the session was active until then.
    package func postMediaServicesLost(endedActivation: Bool) {
        enqueueOnMainThread { session in
            session.post(AVAudioSession.mediaServicesWereLostNotification)
            // Apple names no reason for a lost server: the default one.
            if endedActivation { session.postBecameInactive(AVAudioSession.InterruptionContext(reason: .default)) }
        }
    }

    package func postMediaServicesReset() {
        enqueueOnMainThread { $0.post(AVAudioSession.mediaServicesWereResetNotification) }
    }
}

extension AVAudioSession {
    /// - Parameter interruption: what the system made it inactive with; nil where the app did.
    @MainActor fileprivate func postBecameInactive(_ interruption: InterruptionContext?) {
        post(
            Self.didBecomeInactiveNotification,
            userInfo: [Self.deactivationContextKey: DeactivationContext(interruptionContext: interruption)])
        post(
            DidBecomeInactiveMessage(
                deactivationResult: interruption.map { .systemInterruption($0) } ?? .appDeactivated))
    }

    @MainActor fileprivate func postResumptionRecommendation(_ recommendation: ResumptionRecommendation) {
        let context = ResumptionContext(recommendation: recommendation)
        post(Self.resumptionRecommendationNotification, userInfo: [Self.resumptionContextKey: context])
        post(ResumptionRecommendationMessage(recommendation: recommendation))
    }
}
