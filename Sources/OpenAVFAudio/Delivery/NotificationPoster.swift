internal import Foundation
package import SessionCore

/// Delivers the session's news, one after the other and in machine order, on a thread of its own.
///
/// It is the only caller of `NotificationCenter.post`, which returns only when every observer has run, and with
/// `queue: .main` waits for the main thread; whoever posted from the session thread would hand that wait to every API
/// call. The session thread only enqueues here and never waits. An observer may call back into the session.
///
/// Producers: any thread. Consumer: the poster thread. The queue has no limit: to drop a route change would break the
/// chain of previous routes, and events come from hands on plugs, not from the render thread.
package final class NotificationPoster: Sendable {
    private let deliveries = DeliveryQueue()

    package init() {}

    /// Ends the thread once what was enqueued has been delivered.
    deinit { deliveries.close() }

    /// Makes `session` the `object` of the notifications.
    ///
    /// The poster does not keep it alive; once it is gone, so is everyone who could have observed it, and nothing is
    /// posted.
    package func bind(to session: AVAudioSession) { deliveries.bind(to: session) }

    package func postRouteChange(_ change: RouteChange) { deliveries.enqueue(.routeChange(change)) }

    package func postAvailableInputsChange() { deliveries.enqueue(.availableInputsChange) }

    /// Runs `work` on the poster thread, in order with the notifications.
    package func enqueue(_ work: @escaping @Sendable () -> Void) { deliveries.enqueue(.work(work)) }

    /// Waits until nothing is queued and no observer is running.
    ///
    /// Application threads only. The poster thread would wait for itself, so that an observer must not call this (a
    /// precondition checks it); nor may the main thread while an observer with `queue: .main` is registered.
    package func settle() { deliveries.settle() }

    /// Delivers what is queued, then ends the thread; what comes later is dropped.
    ///
    /// Does not wait. Idempotent.
    package func shutdown() { deliveries.close() }
}
