internal import AudioModel
internal import Synchronization
internal import Threading

/// Delivers events one after the other, from any of the host's threads.
///
/// If a thread brings an event while another thread delivers, the delivering thread takes it over: no thread waits.
final class PipeWireDelivery: Sendable {
    private struct State {
        var deliver: (@Sendable (HostEvent) -> Void)?
        var waiting: [HostEvent] = []
        var hasBegun = false
        var deliverer: ThreadID?
    }

    private let state = Mutex(State())

    func begin(_ deliver: @escaping @Sendable (HostEvent) -> Void) { state.withLock { $0.deliver = deliver } }

    /// Ends delivery; only an event that is being delivered at this moment is completed.
    func end() {
        state.withLock {
            $0.deliver = nil
            $0.waiting = []
        }
    }

    /// Whether the caller is inside a delivery.
    var isCalling: Bool { state.withLock { $0.deliverer == .current } }

    /// - Parameter mayBegin: whether these may be the first of all events; otherwise they wait for the first.
    func deliver(_ events: [HostEvent], mayBegin: Bool = true) {
        let isDeliverer = state.withLock { state in
            guard state.deliver != nil else { return false }
            // Events that waited for the first one come after it.
            if mayBegin, !state.hasBegun, !events.isEmpty {
                state.hasBegun = true
                state.waiting.insert(contentsOf: events, at: 0)
            } else {
                state.waiting += events
            }
            guard state.hasBegun, state.deliverer == nil else { return false }
            state.deliverer = .current
            return true
        }
        guard isDeliverer else { return }
        while let (event, deliver) = next() { deliver(event) }
    }

    private func next() -> (HostEvent, @Sendable (HostEvent) -> Void)? {
        state.withLock { state in
            guard let deliver = state.deliver, !state.waiting.isEmpty else {
                state.deliverer = nil
                return nil
            }
            return (state.waiting.removeFirst(), deliver)
        }
    }
}
