import Dispatch
import Foundation
import Synchronization

/// The thread that a verb works and waits on, so that the main thread is free for the session's news.
enum VerbThread {
    /// Runs `body` on a thread of its own and, until it has returned, what is posted to the main thread: interruptions,
    /// hints, and the loss and return of the sound server.
    ///
    /// Main thread. Call `Signals.listen` before: threads inherit the mask that keeps signals away from them.
    static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = Outcome<Value, Failure>()
        let thread = Thread {
            outcome.set { () throws(Failure) in try body() }
            // Ends the run loop's wait: it returns after each piece of work.
            DispatchQueue.main.async {}
        }
        thread.name = "audiosession"
        thread.start()
        while true {
            if let result = outcome.value { return try result.get() }
            _ = RunLoop.main.run(mode: .default, before: .distantFuture)
        }
    }

    private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
        private let stored = Mutex<Result<Value, Failure>?>(nil)

        func set(_ body: () throws(Failure) -> Value) {
            let result = Result(catching: body)
            stored.withLock { $0 = result }
        }

        var value: Result<Value, Failure>? { stored.withLock { $0 } }
    }
}
