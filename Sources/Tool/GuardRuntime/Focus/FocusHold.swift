package import AudioModel
package import GuardCore
internal import HostPipeWire
internal import Threading

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// This process' hold of the focus: a claim on the server, which every guard and session sees, and which ends with the
/// process.
///
/// If the server ends, the hold waits for the next server and claims the focus again.
package final class FocusHold: Sendable {
    package typealias Request = FocusRequest

    private struct State {
        /// Of a claim for the focus, which owns no server.
        var claims = GuardClaims()
        var isSettled = false

        var isKnown: Bool { claims.own != nil && isSettled }
    }

    /// How long the server may take to report its state.
    private static let settleSeconds = 3.0

    private let request: Request
    private let reconnector = PipeWireReconnector<PipeWireFocusConnection>(remote: nil)
    private let state = Monitor(State())

    /// Holds the focus on the PipeWire server that the environment names.
    package init(_ request: FocusRequest) { self.request = request }

    deinit { shutdown() }

    /// The name of the parent process; nil if the system does not report it.
    package static var parentName: String? { ProcessTree.name(of: UInt32(getppid())) }

    /// Claims the focus, and waits at most `settleSeconds` for the server to report its state.
    package func start() throws(HostError) {
        let deliver: @Sendable (GuardFact) -> Void = { [weak self] in self?.note($0) }
        try reconnector.start { [request, reconnector] () throws(HostError) in
            try PipeWireFocusConnection(
                remote: reconnector.remote, request: request, deliver: deliver,
                onLost: { [weak reconnector] in reconnector?.wake() })
        }
        state.wait(atMostSeconds: Self.settleSeconds) { !$0.isKnown }
    }

    /// Whether a guard is on the server.
    package var hasGuard: Bool { state.withLock { $0.claims.hasRivals } }

    /// Waits until a guard has held or lowered the other programs.
    ///
    /// - Returns: whether a guard has done so.
    package func waitUntilObeyed(timeoutSeconds: Double) -> Bool {
        state.wait(atMostSeconds: timeoutSeconds) { !$0.claims.isAnswered }
    }

    package func shutdown() { reconnector.shutdown()?.close() }

    private func note(_ fact: GuardFact) {
        state.update { state in
            switch fact {
            case .guardsChanged(let change): state.claims.apply(change)
            case .settled: state.isSettled = true
            case .connectionLost: state = State()
            default: break
            }
        }
    }
}
