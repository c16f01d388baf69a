import SessionCore
import Synchronization

@testable import audiosession

/// A run over the fake library, driven by hand.
final class PlayRunnerRig {
    let studio: FakeStudio
    let output = CapturedOutput()
    let errors = CapturedOutput()
    let runner: PlayRunner
    private let inbox = Inbox<PlayRunner.Input>()

    init(
        _ files: [String: Double], play names: [String], isSimulated: Bool = false, volume: Float = 1,
        policy: StreamPolicy = StreamPolicy(), style: LineDisplay.Style = .text(arrow: "->"),
        isInteractive: Bool = false, onServerLoss: PlayPlan.ServerLoss? = nil, refusedBy call: StudioError? = nil,
        change: (inout PlayPlan) -> Void = { _ in }
    ) {
        studio = FakeStudio(files: files, isSimulated: isSimulated)
        studio.refuse(call)
        var plan = PlayPlan(
            items: PlayPlan.items(names), policy: policy, volume: volume, onServerLoss: onServerLoss,
            isInteractive: isInteractive)
        change(&plan)
        // The fake takes every configuration; only this one shows.
        if plan.configuration.category == .multiRoute { try? studio.configure(plan.configuration) }
        runner = PlayRunner(
            studio: studio, plan: plan,
            display: LineDisplay(output: output, errors: errors, style: style), stopwatch: Stopwatch(),
            deliver: { [inbox] in inbox.post($0) })
        runner.begin()
        settle()
    }

    func settle() {
        while true {
            let inputs = inbox.take()
            if inputs.isEmpty { return }
            for input in inputs { runner.handle(input) }
        }
    }

    func press(_ keys: Key...) {
        for key in keys {
            runner.handle(.key(key))
            settle()
        }
    }

    func run(seconds: Double) {
        studio.players.last?.run(seconds: seconds)
        settle()
    }

    func unplug() {
        studio.setHeadphones(false)
        settle()
    }

    func plug() {
        studio.setHeadphones(true)
        settle()
    }

    func interrupt() {
        studio.interrupt()
        settle()
    }

    func endInterruption(shouldResume: Bool) {
        studio.endInterruption(shouldResume: shouldResume)
        settle()
    }

    /// The lines without their times, which are the wall clock's.
    var story: [String] { output.lines.map { String($0.drop { $0 != "]" }.dropFirst(2)) } }
}

/// Carries what other threads would deliver to a runner, until a test hands it over.
final class Inbox<Input: Sendable>: Sendable {
    private let inputs = Mutex<[Input]>([])
    func post(_ input: Input) { inputs.withLock { $0.append(input) } }
    func take() -> [Input] {
        inputs.withLock { inputs in
            defer { inputs = [] }
            return inputs
        }
    }
}
