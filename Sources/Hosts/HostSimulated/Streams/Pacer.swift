internal import Threading

/// A thread that advances a machine by one quantum per quantum of the monotonic clock.
///
/// Deadlines are absolute, so that no error adds up. A thread that comes late catches up by at most a few quanta; what is
/// beyond is dropped, as by a server that had an under-run. The machine is held weakly, and only while it advances.
package final class Pacer: Sendable {
    private struct State: Sendable {
        var isStopping = false
        var hasEnded = false
        var thread: ThreadID?
    }

    private static let mostQuantaBehind: UInt64 = 4

    private let state = Monitor(State())

    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Returns false if the system gives no thread.
    func run(_ machine: SharedMachine, app: AppID, sampleRate: Double) -> Bool {
        // Weakly, so that an unused machine is released.
        let started = StartedThread { [self, weak machine] in
            loop {
                machine.map { SimulatedHost(machine: $0, app: app, sampleRate: sampleRate).advanceOneQuantum() }
            }
        }
        started?.detach()
        if started == nil { state.update { $0.hasEnded = true } }
        return started != nil
    }

    func requestStop() { state.update { $0.isStopping = true } }

    /// Ends the thread and waits for its end, except on the pacer's own thread.
    package func stop() {
        requestStop()
        if state.withLock({ $0.thread }) == ThreadID.current { return }
        state.wait { !$0.hasEnded }
    }

    /// `advance` returns the virtual time that has passed, in nanoseconds; nil ends the thread.
    private func loop(_ advance: () -> Range<UInt64>?) {
        state.withLock { $0.thread = .current }
        var (realOrigin, virtualOrigin) = (monotonicNanoseconds(), UInt64?.none)
        while !state.withLock({ $0.isStopping }), let quantum = advance() {
            let origin = virtualOrigin ?? quantum.lowerBound
            virtualOrigin = origin
            var deadline = realOrigin + (quantum.upperBound - origin)
            let latest = deadline + UInt64(quantum.count) * Self.mostQuantaBehind
            let now = monotonicNanoseconds()
            if now > latest {
                realOrigin += now - latest
                deadline += now - latest
            }
            state.wait(untilNanoseconds: deadline) { !$0.isStopping }
        }
        state.update { $0.hasEnded = true }
    }
}

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

    package var timePassesByItself: Bool { state.withLock { $0.pacer.map { !$0.hasEnded } ?? false } }

    /// Advances by one quantum, for the pacer; returns the virtual time that has passed, in nanoseconds.
    func advanceOneQuantum() -> Range<UInt64> {
        // A test's `advance` may be under way.
        state.wait(while: { $0.advancer != nil || !$0.lenders.isEmpty }) { $0.advancer = .current }
        let start = now()
        run(frames: state.withLock { $0.quantum })
        state.update { $0.advancer = nil }
        return start.nanoseconds..<now().nanoseconds
    }
}
