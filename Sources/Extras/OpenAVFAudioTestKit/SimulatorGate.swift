internal import OpenAudioSession
internal import Synchronization
internal import Testing

/// Keeps tests that share the process apart: a test with a machine for the process runs alone, those with machines of their
/// own run side by side.
///
/// Any thread. A test waits without blocking a thread.
final class SimulatorGate: Sendable {
    enum Kind { case ownMachine, process }

    private struct State {
        var running: (kind: Kind, count: Int) = (.ownMachine, 0)
        var waiting: [(kind: Kind, continuation: CheckedContinuation<Void, Never>)] = []

        func admits(_ kind: Kind) -> Bool {
            running.count == 0 || kind == .ownMachine && running.kind == .ownMachine
        }

        mutating func admit(_ kind: Kind) { running = (kind, running.count + 1) }
    }

    static let shared: SimulatorGate = {
        let gate = SimulatorGate()
        AVAudioSession.strayCalls.withLock { $0 = .init(note: gate.noteStrayCall) }
        return gate
    }()
    /// A test with traits of its own in a suite with a trait is inside already.
    @TaskLocal private static var isInside = false

    private let state = Mutex(State())
    private let strayCalls = Atomic(0)

    /// Code has got the program's session: a test without a machine may, what has left its test's task may not.
    @Sendable func noteStrayCall() {
        if Test.current == nil { strayCalls.add(1, ordering: .relaxed) }
    }

    /// Runs `body` when it may, where `pass` does not wait; code that leaves a test's task is an issue at `location`.
    func pass(_ kind: Kind, at location: SourceLocation, _ body: () async throws -> Void) async throws {
        guard !Self.isInside else { return try await body() }
        await enter(kind)
        defer { leave() }
        let before = strayCalls.load(ordering: .relaxed)
        defer {
            if kind == .ownMachine, strayCalls.load(ordering: .relaxed) > before {
                Issue.record("\(Self.strayCall)", sourceLocation: location)
            }
        }
        try await Self.$isInside.withValue(true) { try await body() }
    }

    private static let strayCall =
        "Code in Task.detached, a thread or a queue, of this test or one beside it, got the program's audio session instead of the "
        + "simulated machine's. Give the test .simulated(.phone, alone: true) or .scene(…, alone: true): then it has the machine's."

    private func enter(_ kind: Kind) async {
        await withCheckedContinuation { continuation in
            let isAdmitted = state.withLock { state in
                guard state.admits(kind) else {
                    state.waiting.append((kind, continuation))
                    return false
                }
                state.admit(kind)
                return true
            }
            if isAdmitted { continuation.resume() }
        }
    }

    /// Admits those that wait, in their order; machines of their own are not kept waiting for a process.
    private func leave() {
        let admitted = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.running.count -= 1
            var admitted: [CheckedContinuation<Void, Never>] = []
            let waiting = state.waiting
            state.waiting = []
            for waiter in waiting {
                if state.admits(waiter.kind) {
                    state.admit(waiter.kind)
                    admitted.append(waiter.continuation)
                } else {
                    state.waiting.append(waiter)
                }
            }
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }
}
