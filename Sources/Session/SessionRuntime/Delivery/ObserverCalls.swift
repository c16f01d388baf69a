internal import Threading

/// The calls of one observer of the app's on a thread of ours, which its owner can end.
///
/// Producers: any thread.
package final class ObserverCalls: Sendable {
    private enum State {
        /// Exits: a call begins -> `calling`, the owner ends it -> `ended`.
        case idle
        /// Exits: the call returns -> `idle`, or `ended` where the owner has ended it meanwhile.
        case calling(ThreadID, isEnded: Bool)
        case ended
    }

    private let thread: DeliveryThread
    private let state = Monitor(State.idle)

    /// - Parameter thread: calls the observer.
    package init(on thread: DeliveryThread) { self.thread = thread }

    /// Has the thread run a call; dropped after `end`.
    package func enqueue(_ call: @escaping @Sendable () -> Void) {
        thread.enqueue { self.run(call) }
    }

    private func run(_ call: () -> Void) {
        let begins = state.withLock { state in
            guard case .idle = state else { return false }
            state = .calling(.current, isEnded: false)
            return true
        }
        guard begins else { return }
        call()
        state.update { if case .calling(_, isEnded: false) = $0 { $0 = .idle } else { $0 = .ended } }
    }

    /// Drops what waits, and waits for a call that runs; not in one of the observer's own calls.
    package func end() {
        state.withLock { state in
            if case .calling(let thread, _) = state { state = .calling(thread, isEnded: true) } else { state = .ended }
        }
        state.wait { state in
            if case .calling(let thread, _) = state { thread != .current } else { false }
        }
    }
}
