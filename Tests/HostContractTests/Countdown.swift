import Synchronization

/// Lets a task wait until something has happened so many times.
final class Countdown: Sendable {
    private struct State {
        var left: Int
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(left: count)) }

    /// Any thread.
    func signal() {
        let waiter = state.withLock { state in
            state.left -= 1
            defer { if state.left == 0 { state.waiter = nil } }
            return state.left == 0 ? state.waiter : nil
        }
        waiter?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.left > 0 { state.waiter = continuation }
                return state.left <= 0
            }
            if isOver { continuation.resume() }
        }
    }
}
