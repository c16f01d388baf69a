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

    /// Runs `work`, and again as long as handlers that it made due may have scheduled more.
    ///
    /// - Returns: false where one took too long; what it schedules is for the next call.
    @discardableResult
    func drain(_ work: () -> Void) -> Bool {
        for _ in 0..<Self.mostRounds {
            work()
            var wasIdle = true
            for thread in [completions, taps] {
                switch thread.drain(atMostSeconds: Self.handlerSeconds) {
                case .idle: break
                case .delivered: wasIdle = false
                case .timedOut: return false
                }
            }
            if wasIdle { return true }
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
