// Correct code that ThreadSanitizer misreports: threads that wait for the same Mutex. See dev/test --lane thread.
import Foundation
import Synchronization

final class Counter: Sendable {
    let count = Mutex(0)
}

let counter = Counter()
let threads = (0..<4).map { _ in
    Thread {
        // A thread that sleeps with the lock makes the other ones wait.
        for _ in 0..<100 {
            counter.count.withLock {
                $0 += 1
                Thread.sleep(forTimeInterval: 0.0001)
            }
        }
    }
}
for thread in threads { thread.start() }
while counter.count.withLock({ $0 }) < 400 { Thread.sleep(forTimeInterval: 0.001) }
