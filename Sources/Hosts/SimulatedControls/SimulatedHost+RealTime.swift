package import HostSimulated
internal import Threading

/// The end of real time. Any thread.
extension SimulatedHost {
    /// Ends the thread; when this returns, time stands still.
    ///
    /// Called on that thread itself (from a scenario's step), it ends with the current quantum. Idempotent.
    package func stopRunning() {
        guard let pacer = state.withLock({ $0.pacer }) else { return }
        pacer.stop()
        state.withLock { state in
            if state.pacer === pacer, pacer.hasEnded { state.pacer = nil }
        }
    }
}
