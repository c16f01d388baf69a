package import AudioModel
package import GuardCore
internal import HostPipeWire
internal import Synchronization
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
        var serial: UInt64?
        var guards: [UInt64: GuardRival] = [:]
        var isSettled = false
    }

    /// How long the server may take to report its state.
    private static let settleSeconds = 3.0

    private let request: Request
    private let reconnector = PipeWireReconnector<PipeWireFocusConnection>(remote: nil)
    private let state = Mutex(State())
    private let isKnown = Latch()
    private let isObeyed = Latch()

    /// Holds the focus on the PipeWire server that the environment names.
    package init(_ request: FocusRequest) { self.request = request }

    deinit { shutdown() }

    /// The name of the parent process; nil if the system does not report it.
    package static var parentName: String? { ProcessTree.name(of: UInt32(getppid())) }

    /// Claims the focus, and waits at most `settleSeconds` for the server to report its state.
    package func start() throws(HostError) {
        let deliver: @Sendable (PipeWireFocusConnection.Fact) -> Void = { [weak self] in self?.note($0) }
        try reconnector.start { [request, reconnector] () throws(HostError) in
            try PipeWireFocusConnection(
                remote: reconnector.remote, request: request, deliver: deliver,
                onLost: { [weak reconnector] in reconnector?.wake() })
        }
        isKnown.wait(timeoutSeconds: Self.settleSeconds)
    }

    /// Whether a guard is on the server.
    package var hasGuard: Bool { state.withLock { !$0.guards.isEmpty } }

    /// Waits until a guard has held or lowered the other programs.
    ///
    /// - Returns: whether a guard has done so.
    package func waitUntilObeyed(timeoutSeconds: Double) -> Bool { isObeyed.wait(timeoutSeconds: timeoutSeconds) }

    package func shutdown() { reconnector.shutdown()?.close() }

    private func note(_ fact: PipeWireFocusConnection.Fact) {
        state.withLock { state in
            switch fact {
            case .claimsChanged(.granted(let serial)): state.serial = serial
            case .claimsChanged(.rivalChanged(let rival)): state.guards[rival.serial] = rival
            case .claimsChanged(.rivalLeft(let serial)): state.guards[serial] = nil
            case .claimsChanged(.failed): state.serial = nil
            case .settled: state.isSettled = true
            case .connectionLost: state = State()
            }
        }
        let (isComplete, isHeard) = state.withLock { state in
            (
                state.serial != nil && state.isSettled,
                state.guards.values.contains { guardian in
                    state.serial.map(guardian.obeyed.contains) == true
                }
            )
        }
        if isComplete { isKnown.raise() }
        if isHeard { isObeyed.raise() }
    }
}
