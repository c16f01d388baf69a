package import AudioModel
package import GuardCore
internal import HostPipeWire

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

        init(_ mode: GuardController.Mode, _ scope: GuardOptions.Scope) {
            self =
                switch (mode, scope) {
                case (.dryRun, _): .dryRun
                case (.acting, .everything), (.acting, .off): .guarding
                case (.acting, .focus): .serving
                case (.acting, .keeping): .keeping
                }
        }

        var makesSinks: Bool { self == .guarding || self == .serving || self == .keeping }

        /// Whether the host serves a guard that claims the server and decides about streams.
        var guards: Bool { makesSinks || self == .dryRun }

        /// The mode of its claim; nil for an ordinary guard.
        var claimMode: String? {
            switch self {
            case .serving: GuardRival.Purpose.focusMode
            case .keeping: GuardRival.Purpose.keepMode
            case .guarding, .dryRun, .observing: nil
            }
        }
    }

    private let role: Role
    private let reconnector: PipeWireReconnector<PipeWireGuardConnection>

    /// - Parameter remote: the server's socket as an absolute path; nil uses the environment.
    package init(remote: String? = nil, role: Role = .guarding) {
        self.role = role
        reconnector = PipeWireReconnector(remote: remote)
    }

    deinit { shutdown() }

    package func start(deliver: @escaping @Sendable (GuardFact) -> Void) throws(HostError) {
        try reconnector.start { [role, reconnector] () throws(HostError) in
            try PipeWireGuardConnection(
                remote: reconnector.remote, role: role, deliver: deliver,
                onLost: { [weak reconnector] in reconnector?.wake() })
        }
    }

    package func perform<R>(_ body: () -> R) -> R {
        guard let connection = reconnector.current else { return body() }
        return connection.withLoopLocked(body)
    }

    package func apply(_ command: GuardCommand) { reconnector.current?.apply(command) }

    package func now() -> HostTime { .monotonic }

    package func shutdown() {
        reconnector.current?.flush()
        reconnector.shutdown()?.close()
    }
}
