/// The machine behind the hosts of all its apps; it lives as long as one of them.
final class SharedMachine: Sendable {
    /// Threads wait on it until another has left the renderer, `deliver` or `advance`.
    let state: Monitor<MachineState>

    init(_ state: MachineState) { self.state = Monitor(state) }

    deinit { state.withLock { $0.pacer }?.requestStop() }
}
