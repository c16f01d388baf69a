package import AudioModel
package import GuardCore
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

    private let host: any GuardHost
    private let state = Mutex(State())
    private let isKnown = Latch()
    private let isObeyed = Latch()

    /// - Parameter host: a host whose role is to claim the focus.
    init(host: any GuardHost) { self.host = host }

    /// Holds the focus on the PipeWire server that the environment names.
    package convenience init(_ request: FocusRequest) { self.init(host: PipeWireGuardHost(role: .holding(request))) }

    /// The name of the parent process; nil if the system does not report it.
    package static var parentName: String? { ProcessTree.name(of: UInt32(getppid())) }

    /// Claims the focus, and waits at most `settleSeconds` for the server to report its state.
    package func start() throws(HostError) {
        try host.start { [weak self] in self?.note($0) }
        isKnown.wait(timeoutSeconds: Self.settleSeconds)
    }

    /// Whether a guard is on the server.
    package var hasGuard: Bool { state.withLock { !$0.guards.isEmpty } }

    /// Waits until a guard has held or lowered the other programs.
    ///
    /// - Returns: whether a guard has done so.
    package func waitUntilObeyed(timeoutSeconds: Double) -> Bool { isObeyed.wait(timeoutSeconds: timeoutSeconds) }

    package func shutdown() { host.shutdown() }

    private func note(_ fact: GuardFact) {
        switch fact {
        case .guardsChanged(let change):
            state.withLock { state in
                switch change {
                case .granted(let serial): state.serial = serial
                case .rivalChanged(let rival): state.guards[rival.serial] = rival
                case .rivalLeft(let serial): state.guards[serial] = nil
                case .failed: state.serial = nil
                }
            }
        case .settled: state.withLock { $0.isSettled = true }
        case .connectionLost: state.withLock { $0 = State() }
        case .serverNamed, .outputsChanged, .surroundingsChanged, .streamChanged, .streamEnded, .managerChanged,
            .timeReached, .holderChanged, .holderLeft, .captureChanged, .captureEnded, .holdSinkLost, .duckReady,
            .descriptorsRanOut:
            return
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
