import Glibc

/// A thread of its own: on a machine with few cores, a dispatch queue may have none free while others block.
final class TestThread {
    private var handle = pthread_t()

    /// Carries the closure through a C pointer.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    init(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        let code = pthread_create(
            &handle, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, body)
        precondition(code == 0, "the system gives no thread: error \(code)")
    }

    /// Waits until the closure has returned.
    func join() { pthread_join(handle, nil) }

    /// Runs the closure on several threads at once, with their numbers, and waits for all.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let threads = (0..<count).map { number in TestThread { body(number) } }
        for thread in threads { thread.join() }
    }
}
