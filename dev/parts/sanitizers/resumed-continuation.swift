// Correct code that ThreadSanitizer misreports: another thread resumes a continuation before its task awaits it. See
// dev/test --lane thread.
import Foundation

final class Value: @unchecked Sendable {
    var number = 0
}

@concurrent func value() async -> Int {
    let value: Value = await withCheckedContinuation { continuation in
        Thread {
            let value = Value()
            value.number = 1
            continuation.resume(returning: value)
        }.start()
        // A wait that does not order the threads.
        Thread.sleep(forTimeInterval: 0.2)
    }
    return value.number
}

print(await value())
