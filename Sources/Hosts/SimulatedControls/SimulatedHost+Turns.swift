package import HostSimulated
internal import Threading

/// Virtual time. One thread at a time advances; others wait for their turn.
extension SimulatedHost {
    /// Moves time on by whole cycles of one quantum, and a shorter one at the end or where a scenario's step is due.
    ///
    /// For the parameters see `run`.
    package func advance(
        frames: Int, afterEvents: () -> Void = {}, isBusy: () -> Bool = { false }, until isOver: () -> Bool = { false }
    ) {
        guard frames >= 0 else {
            state.withLock { $0.object("script: advance by \(frames) frames; allowed are 0 and more") }
            return
        }
        guard takeTurn() else { return }
        run(frames: frames, afterEvents: afterEvents, isBusy: isBusy, until: isOver) { [self] in lendTurn(for: $0) }
        giveUpTurn()
    }

    /// Waits until no other thread advances.
    ///
    /// False if this thread may not: it is advancing already, or a pacer does.
    private func takeTurn() -> Bool {
        let thread = ThreadID.current
        while true {
            let turn = state.withLock { state -> Turn in
                if state.pacer.map({ !$0.hasEnded }) ?? false {
                    state.object("script: advance while the machine runs in real time; call stopRunning first")
                    return .refused
                }
                let isBorrower = state.turns.borrowers.contains(thread)
                if state.advancer == thread || (state.lenders.contains(thread) && !isBorrower) {
                    state.object("script: advance was called from inside advance (a step, a renderer or a callback)")
                    return .refused
                }
                if state.deliverer?.thread == thread {
                    state.object("advance was called from inside deliver; deliver may only enqueue and return", to: app)
                    return .refused
                }
                if state.mustWaitForTurn(isBorrower) { return .wait(isBorrower) }
                state.advancer = thread
                if !isBorrower { state.turns.driver = .current }
                return .taken
            }
            switch turn {
            case .taken: return true
            case .refused: return false
            case .wait(let isBorrower): state.wait { $0.mustWaitForTurn(isBorrower) }
            }
        }
    }

    private enum Turn: Sendable { case taken, wait(_ isBorrower: Bool), refused }

    private func giveUpTurn() { state.update { $0.advancer = nil } }

    /// Runs code of others, which may wait for a slow server and move time meanwhile.
    private func lendTurn(for body: () -> Void) {
        let thread = ThreadID.current
        state.update { state in
            state.advancer = nil
            state.lenders.append(thread)
        }
        body()
        state.wait(while: { $0.advancer != nil }) { state in
            state.advancer = thread
            if let index = state.lenders.lastIndex(of: thread) { state.lenders.remove(at: index) }
        }
    }
}

/// Who moves the time of a machine; also for calls that wait for a slow server.
struct Turns: TimeMover {
    /// Those that wait for a slow server and move time meanwhile.
    var borrowers: [ThreadID] = []
    /// The task or thread that has moved time last.
    var driver: TimeDriver?
    /// Moves time by a piece for one that waits for a slow server; nil where nothing but time has to be moved.
    var passer: (@Sendable (_ isOver: () -> Bool, _ afterEvents: () -> Void) -> Void)?

    /// How long another thread than the test's waits in real time, while time stands, before it moves time itself.
    ///
    /// The test may be waiting for it; but this is far longer than a test waits for a processor.
    private static let patienceSeconds = 60.0

    /// The task that has moved time last moves it here too, as it could not go on; for another one the test does.
    func passTime(
        of host: SimulatedHost, movesTime: Bool, mayWait: Bool, until isOver: (_ seconds: Double) -> Bool,
        afterEvents: () -> Void
    ) {
        let thread = ThreadID.current
        let movesTime = movesTime || host.state.withLock { $0.turns.driver == .current }
        guard movesTime || mayWait else { return }
        var isAlone = movesTime
        while !isOver(0) {
            let (before, isSlow, passer) = host.state.withLock { ($0.frame, $0.slowAnswers > 0, $0.turns.passer) }
            if !isSlow || host.timePassesByItself {
                // The answer is on its way.
                _ = isOver(0.01)
                continue
            }
            if !isAlone, isOver(Self.patienceSeconds) || host.frame != before { continue }
            isAlone = true
            host.state.withLock { $0.turns.borrowers.append(thread) }
            if movesTime, let passer {
                passer({ isOver(0) }, afterEvents)
            } else {
                host.advance(frames: Int(host.sampleRate), afterEvents: afterEvents, until: { isOver(0) })
            }
            host.state.update { state in
                guard let index = state.turns.borrowers.lastIndex(of: thread) else { return }
                state.turns.borrowers.remove(at: index)
            }
        }
    }
}

extension MachineState {
    var turns: Turns {
        get { timeMover as? Turns ?? Turns() }
        set { timeMover = newValue }
    }

    fileprivate func mustWaitForTurn(_ isBorrower: Bool) -> Bool {
        advancer != nil || (!isBorrower && !lenders.isEmpty)
    }
}

/// Who moves the time of a machine: a task, or a thread without one.
enum TimeDriver: Hashable, Sendable {
    case task(Int)
    case thread(ThreadID)

    static var current: TimeDriver {
        withUnsafeCurrentTask { task in task.map { .task($0.hashValue) } ?? .thread(.current) }
    }
}
