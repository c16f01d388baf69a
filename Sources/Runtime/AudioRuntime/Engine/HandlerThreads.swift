internal import SessionRuntime

/// The threads that call an engine's handlers and blocks.
struct HandlerThreads: Sendable {
    /// Calls completion handlers.
    let completions = DeliveryThread(name: "oav-completions")
    /// Calls the blocks of taps and sinks.
    let taps = DeliveryThread(name: "oav-taps")

    /// Handlers that answer each other for ever end a test, not hang it.
    private static let mostRounds = 100
    /// A handler that waits for the thread that advances time would wait for ever.
    private static let handlerSeconds = 2.0

    /// Runs `work`, and again as long as it has more, or handlers that it made due may have scheduled more.
    ///
    /// - Parameter work: returns whether it has more.
    /// - Returns: false where a handler took too long; what it schedules is for the next call.
    @discardableResult
    func drain(_ work: () -> Bool) -> Bool {
        var rounds = 0
        while rounds < Self.mostRounds {
            let hasMore = work()
            var wasIdle = true
            for thread in [completions, taps] {
                switch thread.drain(atMostSeconds: Self.handlerSeconds) {
                case .idle: break
                case .delivered: wasIdle = false
                case .timedOut:
                    if hasMore { while work() {} }
                    return false
                }
            }
            if wasIdle, !hasMore { return true }
            if !wasIdle { rounds += 1 }
        }
        return true
    }

    func include(in notices: NoticeQueue) {
        notices.include(completions)
        notices.include(taps)
    }

    func close() {
        completions.close()
        taps.close()
    }
}
