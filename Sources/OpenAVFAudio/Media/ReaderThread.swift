import Foundation

/// A thread that works at an interval while there is something to do, and sleeps without waking while there is not.
final class ReaderThread: @unchecked Sendable {
    // @unchecked: the three flags are touched only while `condition` is locked.
    private let condition = NSCondition()
    private var isStarted = false
    private var isWoken = false
    private var isEnded = false

    enum Next { case soon, whenWoken, ended }

    /// Starts the thread, or wakes the one there is.
    ///
    /// `work` runs on it and says when it wants to run again.
    func start(every intervalSeconds: Double, _ work: @escaping @Sendable () -> Next) {
        condition.lock()
        defer { condition.unlock() }
        isWoken = true
        condition.signal()
        guard !isStarted else { return }
        isStarted = true
        let thread = Thread { [self] in
            while true {
                let next = work()
                condition.lock()
                switch next {
                case .soon:
                    if !isEnded { _ = condition.wait(until: Date(timeIntervalSinceNow: intervalSeconds)) }
                case .whenWoken:
                    while !isWoken, !isEnded { condition.wait() }
                case .ended:
                    isEnded = true
                }
                isWoken = false
                let mustEnd = isEnded
                condition.unlock()
                if mustEnd { return }
            }
        }
        thread.name = "oav-reader"
        thread.start()
    }

    /// Lets a thread that was started work now.
    func wake() {
        condition.lock()
        isWoken = true
        condition.signal()
        condition.unlock()
    }

    /// The thread ends after the work it is at.
    ///
    /// Any thread.
    func end() {
        condition.lock()
        isEnded = true
        condition.broadcast()
        condition.unlock()
    }
}
