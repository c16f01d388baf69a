import Dispatch
import Foundation
import Synchronization

/// The thread that runs a command, so that the main thread is free for the session's notifications.
enum CommandThread {
    /// Runs `body` on its own thread.
    ///
    /// Until it returns, the main thread delivers its notifications: interruptions, hints, and the loss and return of the
    /// sound server. Main thread. Call `Signals.listen` before: new threads inherit the mask that blocks the signals.
    static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = Mutex<Result<Value, Failure>?>(nil)
        let thread = Thread {
            let result = Result { () throws(Failure) in try body() }
            outcome.withLock { $0 = result }
            // Ends the run loop's wait: it returns after each block.
            DispatchQueue.main.async {}
        }
        thread.name = "audiosession"
        thread.start()
        while true {
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            _ = RunLoop.main.run(mode: .default, before: .distantFuture)
        }
    }
}
