package import AudioModel
package import GuardCore
internal import HostPipeWire
internal import Threading

/// What the session manager's choice of the output rests on.
///
/// Any thread.
package final class OutputChoice: Sendable {
    package typealias Outputs = GuardOutputs
    package typealias Output = GuardOutput
    package typealias Order = OutputOrder
    package typealias Rules = SinkRanking.Rules

    private struct State {
        var outputs = GuardOutputs()
        var hasManager = true
        var isSettled = false
    }

    private let host: any GuardHost
    private let state = Monitor(State())
    /// A server that tells nothing for so long will not.
    private static let settleSeconds = 5.0

    /// - Parameter host: one that claims nothing; nil is the server of the environment.
    package init(host: (any GuardHost)? = nil) throws(HostError) {
        self.host = host ?? PipeWireGuardHost(role: .observing)
        try self.host.start { [weak self] fact in
            self?.state.update { state in
                switch fact {
                case .outputsChanged(let outputs): state.outputs = outputs
                case .managerChanged(let isPresent): state.hasManager = isPresent
                case .settled, .connectionLost: state.isSettled = true
                default: break
                }
            }
        }
        state.wait(atMostSeconds: Self.settleSeconds) { !$0.isSettled }
    }

    deinit { host.shutdown() }

    /// What it knows now, without the sinks of guards; nil where no session manager runs.
    package var outputs: GuardOutputs? {
        state.withLock { state in
            var outputs = state.outputs
            outputs.outputs.removeAll { PipeWireParking.isTarget($0.sink) }
            return state.hasManager ? outputs : nil
        }
    }

    /// Has the session manager take back what its user has chosen; 0.4 keeps the choices before the last one.
    ///
    /// Waits for the output that follows, for a second at most.
    ///
    /// - Returns: what is known then; nil where the server has not told in time that it is so.
    package func forget() -> Outputs? {
        guard let ranking = outputs?.ranking.forgotten else { return nil }
        host.perform { host.apply(.configureSink(nil)) }
        guard state.wait(atMostSeconds: Self.settleSeconds, while: { $0.outputs.ranking.configured != nil }),
            var outputs
        else { return nil }
        // It stores its choices a second later.
        outputs.ranking = ranking
        let next = OutputOrder(outputs).places.first { $0.output != nil }
        state.wait(atMostSeconds: 1) { state in next.map { state.outputs.defaultSink != .sink($0.sink) } ?? false }
        outputs.defaultSink = self.outputs?.defaultSink ?? .none
        return outputs
    }
}
