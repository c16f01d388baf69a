/// A thread that the system may refuse, and whose end can be waited for.
///
/// `@unchecked`: a constant, which is a pointer in some C libraries.
package struct StartedThread: @unchecked Sendable {
    private let thread: pthread_t

    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// - Parameter body: what it captures lives until the thread ends.
    /// - Returns: nil if the system has no more threads.
    package init?(_ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(
            &thread, nil,
            { argument in
                let argument: UnsafeMutableRawPointer? = argument  // Optional with glibc only.
                if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, start.toOpaque())
        let started: pthread_t? = thread
        guard code == 0, let started else {
            start.release()
            return nil
        }
        self.thread = started
    }

    /// Waits for the thread's end; this or `detach` must be called, once, and not on the thread itself.
    package func join() { pthread_join(thread, nil) }

    /// Nothing waits for the thread's end.
    package func detach() { pthread_detach(thread) }
}
