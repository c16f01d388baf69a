internal import CPipeWireShims
internal import Threading

/// A thread whose end can be waited for.
///
/// It keeps the values that `body` captures alive until it ends.
package struct PipeWireThread: Sendable {
    private let thread: pthread_t

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// - Parameter name: at most 15 characters.
    /// - Returns: nil if the system has no more threads.
    package init?(named name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                oav_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard result == 0 else {
            start.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for the thread's end; must be called exactly once, and not on the thread itself.
    package func join() { pthread_join(thread, nil) }
}
