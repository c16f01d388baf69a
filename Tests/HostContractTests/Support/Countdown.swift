import Synchronization

/// Lets a task wait until something has happened so many times.
final class Countdown: Sendable {
    private struct State {
        var left: Int
        var waiter: CheckedContinuation<Void, any Error>?
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

    struct TimedOut: Error, CustomStringConvertible {
        var left: Int
        var description: String { "waited 20 s for \(left) more" }
    }

    /// Fails after 20 s of wall clock.
    func wait() async throws {
        let patience = Task {
            try await Task.sleep(for: .seconds(20))
            giveUp()
        }
        defer { patience.cancel() }
        try await withCheckedThrowingContinuation { continuation in
            let isOver = state.withLock { state in
                if state.left > 0 { state.waiter = continuation }
                return state.left <= 0
            }
            if isOver { continuation.resume() }
        }
    }

    private func giveUp() {
        let (waiter, left) = state.withLock { state in
            defer { state.waiter = nil }
            return (state.waiter, state.left)
        }
        waiter?.resume(throwing: TimedOut(left: left))
    }
}
