package import AudioModel
package import GuardCore
internal import HostPipeWire
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The guard's host on a PipeWire server, and on the servers that follow it.
///
/// Threads: facts are delivered on the connection's loop thread; commands are given there, or with that loop locked. A separate
/// thread searches for the next server after a loss.
package final class PipeWireGuardHost: GuardHost {
    /// Why the host is connected.
    package enum Role: Hashable, Sendable {
        case guarding
        /// As `guarding`, but ends with the last focus holder: another guard may wait for that.
        case serving
        /// As `guarding`, until another guard comes.
        case keeping
        /// Claims the server, but creates no sink to hold streams.
        case dryRun
        /// Claims nothing.
        case observing
        /// Claims the focus, which a guard obeys.
        case holding(FocusRequest)

        var makesSinks: Bool { self == .guarding || self == .serving || self == .keeping }

        /// Whether the host serves a guard that claims the server and decides about streams.
        var guards: Bool { makesSinks || self == .dryRun }

        /// The mode of its claim; nil for an ordinary guard.
        var claimMode: String? {
            switch self {
            case .serving: PipeWireGuardConnection.focusMode
            case .keeping: PipeWireGuardConnection.keepMode
            case .guarding, .dryRun, .observing, .holding: nil
            }
        }
    }

    private struct State {
        var connection: PipeWireGuardConnection?
        var deliver: (@Sendable (GuardFact) -> Void)?
        var search: PipeWireThread?
        var isShutDown = false
    }

    private let remote: String?
    private let role: Role
    private let state = Mutex(State())
    private let watch: PipeWireWatch?

    /// - Parameter remote: the server's socket as an absolute path; nil uses the environment.
    package init(remote: String? = nil, role: Role = .guarding) {
        self.remote = remote
        self.role = role
        watch = PipeWireWatch(remote: remote)
    }

    deinit { shutdown() }

    package func start(deliver: @escaping @Sendable (GuardFact) -> Void) throws(HostError) {
        guard let watch else { throw .refused("the system has no descriptors left; end other programs and try again") }
        let connection = try PipeWireGuardConnection(remote: remote, role: role, deliver: deliver) { watch.wake() }
        state.withLock { state in
            state.deliver = deliver
            state.connection = connection
            // If no thread is available, a lost connection is not replaced.
            state.search = PipeWireThread(named: "oav-reconnect") { [weak self, watch] in
                while self?.replaceLost(watch) == true {}
            }
        }
        connection.begin()
    }

    package func perform<R>(_ body: () -> R) -> R {
        guard let connection = state.withLock({ $0.connection }) else { return body() }
        return connection.withLoopLocked(body)
    }

    package func apply(_ command: GuardCommand) { state.withLock { $0.connection }?.apply(command) }

    package func now() -> HostTime { .monotonic }

    package func shutdown() {
        state.withLock { $0.connection }?.flush()
        let (connection, search) = state.withLock { state in
            defer { (state.connection, state.search, state.isShutDown) = (nil, nil, true) }
            return (state.connection, state.search)
        }
        watch?.wake()
        search?.join()
        connection?.close()
    }

    private var isShutDown: Bool { state.withLock { $0.isShutDown } }

    /// Waits for a loss, then for the next server.
    ///
    /// - Returns: false after `shutdown`.
    private func replaceLost(_ watch: PipeWireWatch) -> Bool {
        watch.wait()
        guard let lost = state.withLock({ $0.connection }), lost.isLost else { return !isShutDown }
        lost.close()
        state.withLock { $0.connection = nil }
        watch.search { isShutDown || connect(watch) }
        return !isShutDown
    }

    private func connect(_ watch: PipeWireWatch) -> Bool {
        guard let deliver = state.withLock({ $0.deliver }),
            let connection = try? PipeWireGuardConnection(
                remote: remote, role: role, deliver: deliver, onLost: { watch.wake() })
        else { return false }
        let isWanted = state.withLock { state in
            if !state.isShutDown { state.connection = connection }
            return !state.isShutDown
        }
        if isWanted { connection.begin() } else { connection.close() }
        return true
    }
}
