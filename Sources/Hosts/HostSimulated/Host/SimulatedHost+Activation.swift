internal import Threading

/// A server that takes its time for activations and deactivations, in virtual time. Any thread.
extension SimulatedHost {
    package var answersSlowly: Bool { state.withLock { $0.activationFrames > 0 || $0.slowAnswers > 0 } }

    package func delayDeactivation(_ carryOut: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { $0.answerLate(for: app) { _ in carryOut() } }
    }

    package func passTime(
        movesTime: Bool, mayWait: Bool, until isOver: (_ seconds: Double) -> Bool, afterEvents: () -> Void
    ) {
        let mover = state.withLock { $0.timeMover }
        mover?.passTime(of: self, movesTime: movesTime, mayWait: mayWait, until: isOver, afterEvents: afterEvents)
    }
}

extension MachineState {
    /// Returns false where the server is not slow; `answer` is not called then.
    mutating func answerLate(for app: AppID, _ answer: @escaping @Sendable (SimulatedHost) -> Void) -> Bool {
        guard activationFrames > 0 else { return false }
        slowAnswers += 1
        add(
            ScheduledStep(frame: frame + activationFrames, app: app) { host in
                answer(host)
                host.state.withLock { state in
                    state.slowAnswers -= 1
                    // Time waits for it as for an event.
                    state.deliveredCount += 1
                }
            })
        return true
    }
}

/// Moves the time of a machine for those that wait for a slow server, where a test moves it.
package protocol TimeMover: Sendable {
    /// See `AudioHost.passTime`.
    func passTime(
        of host: SimulatedHost, movesTime: Bool, mayWait: Bool, until isOver: (_ seconds: Double) -> Bool,
        afterEvents: () -> Void)
}
