internal import Synchronization
internal import Threading

/// A connection to a server, and the search for the next one after a loss.
///
/// Threads: the search runs on its own thread, from `beginSearch` on, and only that thread replaces a lost connection. All other
/// functions are for any thread, except `shutdown`.
package final class PipeWireReconnector<Connection: AnyObject & Sendable>: Sendable {
    private struct State {
        var current: Connection?
        var watch: PipeWireWatch?
        var thread: StartedThread?
        var isShutDown = false
    }

    package let remote: String?
    private let isLost: @Sendable (Connection) -> Bool
    private let connect: @Sendable (PipeWireReconnector) -> Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - remote: the server's socket as an absolute path; nil uses the environment.
    ///   - isLost: whether another server replaces the connection's.
    ///   - connect: connects to the next server; returns whether the search is over. Called on the search's thread.
    package init(
        remote: String?, isLost: @escaping @Sendable (Connection) -> Bool,
        connect: @escaping @Sendable (PipeWireReconnector) -> Bool
    ) {
        self.remote = remote
        self.isLost = isLost
        self.connect = connect
    }

    /// The newest connection, lost or not; nil before `adopt` and after `shutdown`.
    package var current: Connection? { state.withLock { $0.current } }

    package var isShutDown: Bool { state.withLock { $0.isShutDown } }

    /// Replaces the current connection.
    ///
    /// - Returns: false after `shutdown`, which has no use for the connection.
    @discardableResult
    package func adopt(_ connection: Connection) -> Bool {
        state.withLock { state in
            if !state.isShutDown { state.current = connection }
            return !state.isShutDown
        }
    }

    /// Makes the search possible even if the system has no descriptors left by then.
    ///
    /// - Returns: false if it has none left now.
    package func prepareSearch() -> Bool { state.withLock { makeWatch(&$0) != nil } }

    /// Replaces lost connections from now on; may be called again.
    ///
    /// If no thread or descriptor is available, a lost connection is not replaced.
    package func beginSearch() {
        let watch = state.withLock { state -> PipeWireWatch? in
            guard !state.isShutDown, let watch = makeWatch(&state) else { return nil }
            if state.thread == nil { state.thread = StartedThread(named: "oav-reconnect") { [self] in run(watch) } }
            return watch
        }
        watch?.wake()
    }

    private func makeWatch(_ state: inout State) -> PipeWireWatch? {
        if state.watch == nil { state.watch = PipeWireWatch(remote: remote) }
        return state.watch
    }

    /// Makes the search look at the connection.
    package func wake() { state.withLock { $0.watch }?.wake() }

    /// Waits until `wake`; for the search's thread, inside `connect`.
    ///
    /// - Parameter milliseconds: nil waits without a limit.
    package func wait(milliseconds: Int? = nil) { state.withLock { $0.watch }?.wait(milliseconds: milliseconds) }

    /// Ends the search.
    ///
    /// Must not be called on the search's thread, nor by what `connect` waits for.
    ///
    /// - Returns: the last connection.
    package func shutdown() -> Connection? {
        let (connection, watch, thread) = state.withLock { state in
            defer { (state.current, state.thread, state.isShutDown) = (nil, nil, true) }
            return (state.current, state.watch, state.thread)
        }
        watch?.wake()
        thread?.join()
        state.withLock { $0.watch = nil }
        return connection
    }

    private func run(_ watch: PipeWireWatch) {
        while !isShutDown {
            if let current, isLost(current) {
                watch.search { isShutDown || connect(self) || isShutDown }
            } else {
                watch.wait()
            }
        }
    }
}
