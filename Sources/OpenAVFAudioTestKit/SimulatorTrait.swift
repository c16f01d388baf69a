public import Testing

/// Gives each test its own simulator: `@Test(.simulated(.phone))`, then `AudioSimulator.current`.
///
/// Within the test's task and its child tasks, `AVAudioSession.sharedInstance()` is the simulator's session, and
/// `NotificationCenter.notifications(named:)` and observers with a selector leave out what other machines post. Other
/// observers without an object receive the notifications of all tests, and code that hops to a `DispatchQueue` or a thread
/// loses the session: such code needs ``ProcessSimulatorTrait``.
public struct SimulatorTrait: TestTrait, SuiteTrait, TestScoping {
    let machine: AudioSimulator.Machine
    /// True: on a suite, the trait gives each test of the suite its own machine.
    public var isRecursive: Bool { true }

    /// Creates the machine, runs one test case with it, and ends it; called by Swift Testing.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // This is also called for suites. Only a test case gets a machine.
        guard testCase != nil else { return try await function() }
        try await SimulatorGate.shared.pass(.ownMachine) {
            try await AudioSimulator.run(machine) { _ in try await function() }
        }
    }
}

extension Trait where Self == SimulatorTrait {
    /// A simulated machine for each test.
    public static func simulated(_ machine: AudioSimulator.Machine = .phone) -> SimulatorTrait {
        SimulatorTrait(machine: machine)
    }
}

/// Gives each test a simulator for the whole process: `@Suite(.simulatedProcess(.phone))`, then `AudioSimulator.current`.
///
/// `AVAudioSession.sharedInstance()` is the simulator's session on every thread and queue. A test with this trait runs when no
/// other test with this trait or with ``SimulatorTrait`` runs, so that observers without an object hear this machine only.
public struct ProcessSimulatorTrait: TestTrait, SuiteTrait, TestScoping {
    let machine: AudioSimulator.Machine
    /// True: on a suite, the trait gives each test of the suite its own machine.
    public var isRecursive: Bool { true }

    /// Creates the machine, runs one test case alone with it, and ends it; called by Swift Testing.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await SimulatorGate.shared.pass(.process) {
            try await AudioSimulator.runInProcess(machine) { _ in try await function() }
        }
    }
}

extension Trait where Self == ProcessSimulatorTrait {
    /// One simulated machine for the whole process; the tests run one at a time.
    public static func simulatedProcess(_ machine: AudioSimulator.Machine = .phone) -> ProcessSimulatorTrait {
        ProcessSimulatorTrait(machine: machine)
    }
}
