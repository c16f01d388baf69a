package import Threading

/// A server that takes its time for activations and deactivations, in virtual time. Any thread.
extension SimulatedHost {
    /// How long another thread than the test's waits in real time, while time stands, before it moves time itself.
    ///
    /// The test may be waiting for it; but this is far longer than a test waits for a processor.
    private static let patienceSeconds = 60.0

    package var answersSlowly: Bool { state.withLock { $0.activationFrames > 0 || $0.slowAnswers > 0 } }

    package func delayDeactivation(_ carryOut: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { $0.answerLate(for: app) { _ in carryOut() } }
    }

    /// The task that has moved time last moves it here too, as it could not go on; for another one the test does.
    package func passTime(
        movesTime: Bool, mayWait: Bool, until isOver: (_ seconds: Double) -> Bool, afterEvents: () -> Void
    ) {
        let thread = ThreadID.current
        let movesTime = movesTime || state.withLock { $0.driver == .current }
        guard movesTime || mayWait else { return }
        var isAlone = movesTime
        while !isOver(0) {
            let (before, isSlow, passer) = state.withLock { ($0.frame, $0.slowAnswers > 0, $0.timePasser) }
            if !isSlow || timePassesByItself {
                // The answer is on its way.
                _ = isOver(0.01)
                continue
            }
            if !isAlone, isOver(Self.patienceSeconds) || frame != before { continue }
            isAlone = true
            state.withLock { $0.borrowers.append(thread) }
            if movesTime, let passer {
                passer({ isOver(0) }, afterEvents)
            } else {
                advance(frames: Int(sampleRate), afterEvents: afterEvents, until: { isOver(0) })
            }
            state.update { state in
                if let index = state.borrowers.lastIndex(of: thread) { state.borrowers.remove(at: index) }
            }
        }
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

/// Who moves the time of a machine: a task, or a thread without one.
package enum TimeDriver: Hashable, Sendable {
    case task(Int)
    case thread(ThreadID)

    package static var current: TimeDriver {
        withUnsafeCurrentTask { task in task.map { .task($0.hashValue) } ?? .thread(.current) }
    }
}
