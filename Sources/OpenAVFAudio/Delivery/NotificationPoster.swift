internal import Foundation
package import SessionCore
internal import Synchronization

/// Delivers the session's news, each kind where Apple's documentation says and in machine order.
///
/// - **Route and available inputs**: on a thread of the poster's own.
/// - **Interruptions, the hint, media services, and what iOS 27 has for them**: on the main thread, that is on
///   `OperationQueue.main`. Neither thread waits for the other: across the two no order is promised.
///
/// It is the only caller of `NotificationCenter.post`, which returns only when every observer has run, and with
/// `queue: .main` waits for the main thread; whoever posted from the session thread would hand that wait to every API
/// call. The session thread only enqueues here and never waits. An observer may call back into the session.
///
/// Neither queue has a limit: to drop a route change would break the chain of previous routes, and events come from
/// hands on plugs, not from the render thread.
package final class NotificationPoster: Sendable {
    /// The route change whose notification is being delivered to the calling observer; nil outside of one.
    ///
    /// `currentRoute` is the newest route, which may be that of a later change already.
    @TaskLocal package static var delivered: RouteChange?

    private struct Subject {
        weak var session: AVAudioSession?
    }

    private let thread = DeliveryThread(name: "avfaudio-poster")
    private let mainThread = MainThreadDelivery()
    /// Pieces of work ever enqueued, on either thread.
    private let count = Atomic<UInt64>(0)
    private let subject = Mutex(Subject())
    private let callbackThreads = Mutex<[CallbackThread]>([])

    private struct CallbackThread {
        weak var thread: DeliveryThread?
    }

    package init() {}

    deinit { shutdown() }

    /// Makes `session` the `object` of the notifications.
    ///
    /// The poster does not keep it alive; once it is gone, so is everyone who could have observed it, and nothing is
    /// posted.
    package func bind(to session: AVAudioSession) {
        subject.withLock { subject in
            precondition(subject.session == nil, "an SessionRuntime has one AVAudioSession; this one has it already")
            subject.session = session
        }
    }

    /// Any thread; does not wait.
    package func postRouteChange(_ change: RouteChange) {
        enqueue {
            Self.$delivered.withValue(change) {
                self.withSession {
                    $0.post(AVAudioSession.routeChangeNotification, userInfo: AVAudioSession.userInfo(for: change))
                }
            }
        }
    }

    /// Any thread; does not wait.
    package func postAvailableInputsChange() {
        enqueue { self.withSession { $0.post(AVAudioSession.availableInputsChangeNotification) } }
    }

    /// An engine has stopped itself; posted in order with the news of routes.
    ///
    /// Any thread; does not wait.
    func postConfigurationChange(of subject: WeakBox<AVAudioEngine>) {
        enqueue {
            self.withSession { _ in
                // Held for the time of the post: a handler may drop the app's last reference, and the engine then ends
                // here, where it may wait for the session thread.
                guard let engine = subject.object else { return }
                NotificationCenter.default.post(name: .AVAudioEngineConfigurationChange, object: engine)
            }
        }
    }

    /// Runs `work` on the poster thread, in order with the notifications there.
    ///
    /// Any thread; does not wait.
    package func enqueue(_ work: @escaping @Sendable () -> Void) {
        count.add(1, ordering: .relaxed)
        thread.enqueue(work)
    }

    /// Runs `work` on the main thread, in order with the notifications there; not at all once the session is gone.
    ///
    /// Any thread; does not wait.
    func enqueueOnMainThread(_ work: @escaping @MainActor @Sendable (AVAudioSession) -> Void) {
        count.add(1, ordering: .relaxed)
        mainThread.enqueue { self.withSession { session in MainActor.assumeIsolated { work(session) } } }
    }

    /// Has `settle` wait for a further thread, one that calls an app's closures.
    ///
    /// Any thread.
    func include(_ thread: DeliveryThread) {
        callbackThreads.withLock {
            $0.removeAll { $0.thread == nil }
            $0.append(CallbackThread(thread: thread))
        }
    }

    /// A closure that waits for the caller of `settle` would wait for ever.
    private static let callbackSeconds = 10.0

    /// Whether there was anything to wait for, and it has ended.
    private func settleCallbacks() -> Bool {
        let threads = callbackThreads.withLock { $0.compactMap(\.thread) }
        return threads.count { $0.settle(atMostSeconds: Self.callbackSeconds) == .delivered } > 0
    }

    /// Waits until nothing is queued and no observer is running, on either thread; what waits for the main thread is
    /// delivered by this call if that is the main thread's.
    ///
    /// Application threads and the main thread. An observer must not call this: it would wait for itself (a precondition
    /// checks it). Nor may the main thread while an observer with `queue: .main` is registered for news of the poster
    /// thread; in a program with an async `main`, for any news. From another thread it returns only if the main thread
    /// serves its queue.
    package func settle() {
        // An observer on one thread may cause news for the other: until a round in which there was none.
        var settled: UInt64
        var hadCallbacks: Bool
        repeat {
            settled = count.load(ordering: .acquiring)
            thread.settle()
            mainThread.settle()
            hadCallbacks = settleCallbacks()
        } while hadCallbacks || count.load(ordering: .acquiring) != settled
    }

    /// Delivers what is queued; what comes later is dropped.
    ///
    /// Does not wait. Idempotent.
    package func shutdown() {
        thread.close()
        mainThread.close()
    }

    private func withSession(_ body: (AVAudioSession) -> Void) {
        guard let session = subject.withLock({ $0.session }) else { return }
        // Handlers commonly ask sharedInstance() for the new route: let it be the session that the news is from.
        AVAudioSession.$taskSession.withValue(session) { body(session) }
    }
}

extension AVAudioSession {
    /// The poster's threads only.
    func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }

    /// Linux' Foundation does not turn a notification into a message, nor back: both are posted.
    @MainActor func post<Message: NotificationCenter.MainActorMessage>(_ message: Message)
    where Message.Subject == AVAudioSession {
        NotificationCenter.default.post(message, subject: self)
    }
}
