internal import Foundation
package import SessionCore
internal import Synchronization

/// Delivers the session's news, one after the other and in machine order, on a thread of its own.
///
/// It is the only caller of `NotificationCenter.post`, which returns only when every observer has run, and with
/// `queue: .main` waits for the main thread; whoever posted from the session thread would hand that wait to every API
/// call. The session thread only enqueues here and never waits. An observer may call back into the session.
///
/// The queue has no limit: to drop a route change would break the chain of previous routes, and events come from hands
/// on plugs, not from the render thread.
package final class NotificationPoster: Sendable {
    /// The route change whose notification is being delivered to the calling observer; nil outside of one.
    ///
    /// `currentRoute` is the newest route, which may be that of a later change already.
    @TaskLocal package static var delivered: RouteChange?

    private struct Subject {
        weak var session: AVAudioSession?
    }

    private let thread = DeliveryThread(name: "avfaudio-poster")
    private let subject = Mutex(Subject())

    package init() {}

    deinit { thread.close() }

    /// Makes `session` the `object` of the notifications.
    ///
    /// The poster does not keep it alive; once it is gone, so is everyone who could have observed it, and nothing is
    /// posted.
    package func bind(to session: AVAudioSession) {
        subject.withLock { subject in
            precondition(subject.session == nil, "an AudioProcess has one AVAudioSession; this one has it already")
            subject.session = session
        }
    }

    /// Any thread; does not wait.
    package func postRouteChange(_ change: RouteChange) {
        thread.enqueue {
            Self.$delivered.withValue(change) {
                self.post(AVAudioSession.routeChangeNotification, userInfo: AVAudioSession.userInfo(for: change))
            }
        }
    }

    /// Any thread; does not wait.
    package func postAvailableInputsChange() {
        thread.enqueue { self.post(AVAudioSession.availableInputsChangeNotification, userInfo: nil) }
    }

    /// Runs `work` on the poster thread, in order with the notifications.
    ///
    /// Any thread; does not wait.
    package func enqueue(_ work: @escaping @Sendable () -> Void) { thread.enqueue(work) }

    /// Waits until nothing is queued and no observer is running.
    ///
    /// Application threads only. The poster thread would wait for itself, so that an observer must not call this (a
    /// precondition checks it); nor may the main thread while an observer with `queue: .main` is registered.
    package func settle() { thread.settle() }

    /// Delivers what is queued, then ends the thread; what comes later is dropped.
    ///
    /// Does not wait. Idempotent.
    package func shutdown() { thread.close() }

    private func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]?) {
        guard let session = subject.withLock({ $0.session }) else { return }
        // Handlers commonly ask sharedInstance() for the new route: let it be the session that the news is from.
        AVAudioSession.$taskSession.withValue(session) {
            NotificationCenter.default.post(name: name, object: session, userInfo: userInfo)
        }
    }
}
