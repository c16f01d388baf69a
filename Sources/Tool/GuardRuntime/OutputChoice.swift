package import AudioModel
package import GuardCore
internal import Threading

/// The data from which the session manager chooses the output.
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
    /// How long to wait for the server; a server that reported nothing by then will not.
    private static let settleSeconds = 5.0

    /// - Parameter host: a host that claims nothing; nil means the environment's server.
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

    /// The current state without the guards' sinks; nil if no session manager runs.
    package var outputs: GuardOutputs? {
        state.withLock { state in
            var outputs = state.outputs
            outputs.outputs.removeAll { PipeWireParking.isTarget($0.sink) }
            return state.hasManager ? outputs : nil
        }
    }

    /// Makes the session manager forget its user's choice; 0.4 keeps the choices before the last one.
    ///
    /// Waits at most one second for the new output.
    ///
    /// - Returns: the state after the change; nil if the server has not confirmed the change in time.
    package func forget() -> Outputs? {
        guard let ranking = outputs?.ranking.forgotten else { return nil }
        host.perform { host.apply(.configureSink(nil)) }
        guard state.wait(atMostSeconds: Self.settleSeconds, while: { $0.outputs.ranking.configured != nil }),
            var outputs
        else { return nil }
        // The session manager stores its choices one second later, so the expected ranking is used here.
        outputs.ranking = ranking
        let next = OutputOrder(outputs).places.first { $0.output != nil }
        state.wait(atMostSeconds: 1) { state in next.map { state.outputs.defaultSink != .sink($0.sink) } ?? false }
        outputs.defaultSink = self.outputs?.defaultSink ?? .none
        return outputs
    }
}
