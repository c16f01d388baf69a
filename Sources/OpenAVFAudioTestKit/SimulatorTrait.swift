public import Testing

/// Gives each test its own simulator: `@Test(.simulated(.phone))`, then `AudioSimulator.current`.
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
        try await AudioSimulator.run(machine) { _ in try await function() }
    }
}

extension Trait where Self == SimulatorTrait {
    /// A simulated machine for each test.
    public static func simulated(_ machine: AudioSimulator.Machine = .phone) -> SimulatorTrait {
        SimulatorTrait(machine: machine)
    }
}
