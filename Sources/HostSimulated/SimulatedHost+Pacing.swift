/// Real time, for demonstrations where no server runs.
extension SimulatedHost {
    /// Starts a thread that advances by one quantum per quantum of real time, until `stopRunning`.
    ///
    /// Idempotent.
    ///
    /// Meanwhile `advance` is refused. The thread is an ordinary one; a late quantum is caught up, but at most four are.
    /// Returns false if the system gives no thread.
    @discardableResult
    package func runInRealTime() -> Bool {
        let pacer = Pacer()
        let isNew = state.withLock { state in
            if let old = state.pacer, !old.hasEnded { return false }
            state.pacer = pacer
            return true
        }
        guard isNew else { return true }
        if pacer.run(machine, app: app, sampleRate: sampleRate) { return true }
        state.withLock { $0.pacer = nil }
        return false
    }

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

    /// Advances by one quantum, for the pacer; returns the virtual time that has passed, in nanoseconds.
    func advanceOneQuantum() -> Range<UInt64> {
        let start = now()
        advance(frames: quantum)
        return start.nanoseconds..<now().nanoseconds
    }
}
