import Foundation

/// A thread that works now and then while there is something to do, and sleeps without waking while there is not.
package final class ReaderThread: @unchecked Sendable {
    // @unchecked: the three flags are touched only while `condition` is locked.
    private let condition = NSCondition()
    private var isStarted = false
    private var isWoken = false
    private var isEnded = false

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
        condition.lock()
        defer { condition.unlock() }
        isWoken = true
        condition.signal()
        guard !isStarted else { return }
        isStarted = true
        let thread = Thread { [self] in while goOn(after: work()) {} }
        thread.name = "oav-reader"
        thread.start()
    }

    /// Lets a thread that was started work now.
    ///
    /// Any thread.
    package func wake() {
        condition.lock()
        isWoken = true
        condition.signal()
        condition.unlock()
    }

    /// The thread ends after the work it is at.
    ///
    /// Any thread.
    package func end() {
        condition.lock()
        isEnded = true
        condition.broadcast()
        condition.unlock()
    }

    /// False when the thread is to end.
    private func goOn(after next: Next) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        switch next {
        case .after(let seconds):
            // Not when it was woken during its work: what that was for may have come too late for it.
            if !isEnded, !isWoken { _ = condition.wait(until: Date(timeIntervalSinceNow: seconds)) }
        case .whenWoken:
            while !isWoken, !isEnded { condition.wait() }
        case .ended:
            isEnded = true
        }
        isWoken = false
        return !isEnded
    }
}
