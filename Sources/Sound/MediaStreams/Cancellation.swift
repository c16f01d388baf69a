import Synchronization

/// Ends waits for a server before their time.
///
/// Any thread.
package final class Cancellation: Sendable {
    private enum State: UInt8, AtomicRepresentable {
        /// Legal exits: interrupted, cancelled.
        case waiting
        /// Waits end until `resume`; legal exits: waiting, cancelled.
        case interrupted
        /// For good.
        case cancelled
    }

    private let state = Atomic(State.waiting)

    package init() {}

    package func cancel() { state.store(.cancelled, ordering: .relaxed) }

    func interrupt() { _ = state.compareExchange(expected: .waiting, desired: .interrupted, ordering: .relaxed) }

    func resume() { _ = state.compareExchange(expected: .interrupted, desired: .waiting, ordering: .relaxed) }

    /// Whether a wait ends now.
    package var endsWaits: Bool { state.load(ordering: .relaxed) != .waiting }
}
