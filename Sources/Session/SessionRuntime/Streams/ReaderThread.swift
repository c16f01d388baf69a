import Foundation
internal import Threading

/// A thread that works now and then while there is something to do, and sleeps without waking while there is not.
package final class ReaderThread: Sendable {
    private struct State {
        var isStarted = false
        var isWoken = false
        var isEnded = false
    }

    private let state = Monitor(State())

    package init() {}

    package enum Next {
        /// After so many seconds, or when it is woken before.
        case after(Double)
        case whenWoken
        case ended
    }

    /// Starts the thread, or wakes the one there is.
    ///
    /// `work` runs on it and says when it wants to run again.
    package func start(_ work: @escaping @Sendable () -> Next) {
        let isFirst = state.update { state in
            defer { (state.isWoken, state.isStarted) = (true, true) }
            return !state.isStarted
        }
        guard isFirst else { return }
        let thread = Thread { [self] in while goOn(after: work()) {} }
        thread.name = "oav-reader"
        thread.start()
    }

    /// Lets a thread that was started work now.
    ///
    /// Any thread.
    package func wake() { state.update { $0.isWoken = true } }

    /// The thread ends after the work it is at.
    ///
    /// Any thread.
    package func end() { state.update { $0.isEnded = true } }

    /// False when the thread is to end.
    private func goOn(after next: Next) -> Bool {
        switch next {
        // Not when it was woken during its work: what that was for may have come too late for it.
        case .after(let seconds): state.wait(atMostSeconds: seconds) { !$0.isWoken && !$0.isEnded }
        case .whenWoken: state.wait { !$0.isWoken && !$0.isEnded }
        case .ended: end()
        }
        return state.withLock { state in
            state.isWoken = false
            return !state.isEnded
        }
    }
}
