import Glibc

/// A thread for a test.
///
/// On a machine with few cores, a dispatch queue may have no free thread while others block.
package final class TestThread {
    private var handle = pthread_t()
    private var isJoined = false

    /// Carries the closure through a C pointer.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    package init(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        let code = pthread_create(
            &handle, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, body)
        precondition(code == 0, "the system created no thread: error \(code)")
    }

    deinit { if !isJoined { pthread_detach(handle) } }

    /// Waits until the closure has returned; call it once.
    package func join() {
        pthread_join(handle, nil)
        isJoined = true
    }

    /// Runs the closure on several threads at once, with their numbers, and waits for all.
    package static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let threads = (0..<count).map { number in TestThread { body(number) } }
        for thread in threads { thread.join() }
    }
}

/// Runs each closure on its own thread until all have returned.
package func together(_ bodies: [@Sendable () -> Void]) async {
    await withTaskGroup(of: Void.self) { group in
        for body in bodies {
            group.addTask {
                await withCheckedContinuation { continuation in
                    _ = TestThread {
                        body()
                        continuation.resume()
                    }
                }
            }
        }
    }
}

/// Runs two closures on their own threads until both have returned.
package func together(_ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void) async {
    await together([first, second])
}
