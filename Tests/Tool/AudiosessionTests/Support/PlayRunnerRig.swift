import OpenAudioSession
import SessionCore
import Threading

@testable import audiosession

/// A run of `play` on a fake backend, which a test controls.
final class PlayRunnerRig {
    let backend: FakeBackend
    let output = CapturedOutput()
    let errors = CapturedOutput()
    let runner: PlayRunner
    private let inbox = Inbox<RunInput<PlayRunner.Report>>()

    init(
        _ files: [String: Double], play names: [String], isSimulated: Bool = false, volume: Float = 1,
        policy: StreamPolicy = StreamPolicy(onInterruption: .pauseAndResume), style: Display.Style = .text(arrow: "->"),
        isInteractive: Bool = false, onServerLoss: PlayPlan.ServerLoss? = nil, refusedBy call: BackendError? = nil,
        remote: (any RemoteControl)? = nil, hasOutput: Bool = true,
        change: (inout PlayPlan) -> Void = { _ in }
    ) {
        backend = FakeBackend(files: files, isSimulated: isSimulated, hasOutput: hasOutput)
        backend.refuse(call)
        var plan = PlayPlan(
            items: PlayPlan.items(names), policy: policy, volume: volume, onServerLoss: onServerLoss,
            isInteractive: isInteractive)
        change(&plan)
        // Of all configurations, only this one matters to the fake.
        if plan.settings.category == .multiRoute { try? backend.configure(plan.settings) }
        runner = PlayRunner(
            RunContext(
                backend: backend, log: EventLog(display: Display(output: output, errors: errors, style: style)),
                deliver: { [inbox] in inbox.post($0) }), plan: plan, remote: remote)
        runner.begin()
        settle()
    }

    /// Opens what is slow to open.
    func runAside() {
        for body in backend.aside.take() { body() }
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
        backend.players.last?.run(seconds: seconds)
        settle()
    }

    func unplug() {
        backend.setHeadphones(false)
        settle()
    }

    func plug() {
        backend.setHeadphones(true)
        settle()
    }

    func interrupt() {
        backend.interrupt()
        settle()
    }

    func endInterruption(shouldResume: Bool) {
        backend.endInterruption(shouldResume: shouldResume)
        settle()
    }

    /// The lines without their times, which are those of the wall clock.
    var story: [String] { output.lines.map { String($0.drop { $0 != "]" }.dropFirst(2)) } }
}

/// Stores what other threads would deliver to a runner, until a test passes it on.
final class Inbox<Input: Sendable>: Sendable {
    private let inputs = Monitor<[Input]>([])
    func post(_ input: Input) {
        inputs.withLock { $0.append(input) }
        inputs.notifyAll()
    }
    func wait(atMostSeconds seconds: Double) { inputs.wait(atMostSeconds: seconds) { $0.isEmpty } }
    func take() -> [Input] {
        inputs.withLock { inputs in
            defer { inputs = [] }
            return inputs
        }
    }
}

extension NowPlaying {
    /// The list of outputs, while it is open.
    var picker: DevicePicker.Content? { if case .outputs(let picker) = panel { picker } else { nil } }
    /// The list of files, while it is open.
    var songs: ListPicker.Content? { if case .songs(let songs) = panel { songs } else { nil } }
}
