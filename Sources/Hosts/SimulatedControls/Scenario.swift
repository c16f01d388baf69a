package import HostSimulated
internal import Threading

/// The steps of a test with their times: each step runs at its exact frame, between two cycles.
///
///     let scenario = Scenario()
///         .at(1) { $0.plug(.wiredHeadphones) }
///         .at(2.5) { $0.unplug(.wiredHeadphones) }
package struct Scenario: Sendable {
    package struct Step: Sendable {
        /// From the moment the scenario is scheduled.
        package var seconds: Double
        /// Runs on the thread that advances time; it may do anything to the machine except advance it.
        package var action: @Sendable (SimulatedHost) -> Void
    }

    package private(set) var steps: [Step] = []

    package init() {}

    /// This scenario with one more step.
    ///
    /// Steps of the same instant run in the order in which they were added.
    package func at(_ seconds: Double, _ action: @escaping @Sendable (SimulatedHost) -> Void) -> Scenario {
        var longer = self
        longer.steps.append(Step(seconds: seconds, action: action))
        return longer
    }
}

extension SimulatedHost {
    /// Adds the scenario's steps, counted from now, to those that are waiting.
    package func schedule(_ scenario: Scenario) {
        state.withLock { state in
            for step in scenario.steps {
                guard let frames = state.frames(step.seconds, "a step at \(step.seconds) s") else { continue }
                state.add(ScheduledStep(frame: state.frame + frames, app: app, action: step.action))
            }
        }
    }
}
