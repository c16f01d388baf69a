public import Testing

/// Gives each test its own simulator: `@Test(.simulated(.phone))`, then `AudioSimulator.current`.
///
/// With `.simulated`, `AVAudioSession.sharedInstance()` is the simulator's session within the test's task and its child tasks,
/// and `NotificationCenter.notifications(named:)` and observers with a selector or a block leave out what other machines post.
/// Observers that a library adds without an object receive the notifications of all tests, and code in `Task.detached`, a
/// thread or a `DispatchQueue` loses the session, which fails the test: such code needs `alone: true`.
///
/// An observer hears only what is caused after it was added: what a call has caused before is not on its way to it any more.
///
/// With `alone: true`, `sharedInstance()` is the simulator's session on every thread and queue. Such a test runs when no
/// other test with this trait runs, so that observers without an object hear this machine only.
public struct SimulatorTrait: TestTrait, SuiteTrait, TestScoping {
    let machine: AudioSimulator.Machine
    let kind: SimulatorGate.Kind
    let strictness: AudioSimulator.Strictness
    /// True: on a suite, the trait gives each test of the suite its own machine.
    public var isRecursive: Bool { true }

    /// Creates the machine, runs one test case with it, and ends it; called by Swift Testing.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // This is also called for suites. Only a test case gets a machine.
        guard testCase != nil else { return try await function() }
        try await SimulatorGate.shared.pass(kind, at: test.sourceLocation) {
            try await AudioSimulator(machine).use(alone: kind == .process) { phone in
                phone.strictness = strictness
                defer { for text in phone.mistakes { Issue.record("\(text)", sourceLocation: test.sourceLocation) } }
                try await function()
            }
        }
    }
}

extension Trait where Self == SimulatorTrait {
    /// A simulated machine for each test.
    ///
    /// - Parameters:
    ///   - machine: the built-in devices.
    ///   - strict: what the test also fails for; see ``AudioSimulator/Strictness``.
    ///   - alone: the machine is that of every thread and queue, and the tests run one at a time.
    public static func simulated(
        _ machine: AudioSimulator.Machine = .phone, strict: AudioSimulator.Strictness = false, alone: Bool = false
    ) -> SimulatorTrait {
        SimulatorTrait(machine: machine, kind: alone ? .process : .ownMachine, strictness: strict)
    }

    /// The same as `.simulated(machine, alone: true)`.
    public static func simulatedProcess(_ machine: AudioSimulator.Machine = .phone) -> SimulatorTrait {
        simulated(machine, alone: true)
    }
}
