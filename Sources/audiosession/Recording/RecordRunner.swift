import AudioRuntime
import Foundation
import OpenAVFAudio
import SessionCore

/// Records one file and tells the story to a display.
///
/// The verb's thread.
final class RecordRunner {
    /// What reaches a recording from outside.
    enum Input: Sendable {
        case recorder(FileRecorder.Status, time: Double)
        case studio(StudioEvent, time: Double)
        case key(Key)
        case signal(Signals.Event)
    }

    private let studio: any Studio
    private let plan: RecordPlan
    private let display: any Display
    private let stopwatch: Stopwatch
    private let deliver: @Sendable (Input) -> Void

    private var recorder: (any Recorder)?
    private var lastTime = 0.0

    private(set) var isDone = false
    /// There is no recording, or not all of it.
    private(set) var hasFailed = false

    /// - Parameter deliver: called on other threads; brings the input to `handle` on the verb's thread.
    init(
        studio: any Studio, plan: RecordPlan, display: any Display, stopwatch: Stopwatch,
        deliver: @escaping @Sendable (Input) -> Void
    ) {
        self.studio = studio
        self.plan = plan
        self.display = display
        self.stopwatch = stopwatch
        self.deliver = deliver
    }

    func begin() {
        studio.observe { [stopwatch, deliver] event in deliver(.studio(event, time: stopwatch.seconds)) }
        let start = Event.Start(
            version: Version.current, host: studio.hostName, clock: stopwatch.zero, files: [plan.path],
            currentRoute: studio.currentRoute)
        display.show(Event(time: 0, fact: .started(start)))
        do throws(StudioError) {
            try checkBeforeAnyFile()
            let recorder = try studio.makeRecorder(path: plan.path) { [stopwatch, deliver] status in
                deliver(.recorder(status, time: stopwatch.seconds))
            }
            self.recorder = recorder
            try record()
        } catch {
            fail(error)
        }
    }

    /// A recording that cannot begin leaves every file as it was.
    private func checkBeforeAnyFile() throws(StudioError) {
        guard plan.overwrites || !FileManager.default.fileExists(atPath: plan.path) else {
            throw StudioError(
                code: "fileExists",
                message: "there is a file '\(plan.path.printable)' already; name another one, or use --overwrite.")
        }
        guard !studio.currentRoute.inputs.isEmpty else {
            throw StudioError(
                code: "noInput",
                message: "no input is connected; connect a microphone and record again; 'audiosession route' lists "
                    + "what there is.")
        }
    }

    func handle(_ input: Input) {
        guard !isDone else { return }
        switch input {
        case .recorder(let status, let time): follow(status, time)
        case .studio(let event, let time): show(event.fact, time: time)
        case .key(.character("q")), .key(.character("Q")), .signal(.leave): recorder?.stop()
        case .key(.character(" ")): pressSpace()
        case .key, .signal(.resize), .signal(.stop), .signal(.continue): break
        }
        // Nobody reads the story any more: the recording is complete as far as it went.
        if display.isClosed {
            recorder?.stop()
            isDone = true
        }
    }

    /// Gives the sound back to whom it was taken from.
    func close() {
        isDone = true
        recorder?.stop()
        studio.deactivate()
    }

    /// What a moving display shows now; nil without a recording.
    func nowRecording() -> NowRecording? {
        guard let recorder else { return nil }
        let status = recorder.status
        return NowRecording(
            state: status.state, duration: status.duration,
            input: studio.currentRoute.inputs.map(\.label).joined(separator: " + "),
            levels: recorder.takeMeasures().map { status.state == .recording ? $0.peak : 0 })
    }

    // MARK: Inside

    private func record() throws(StudioError) {
        guard let recorder else { return }
        let done = recorder.status.duration
        do {
            try recorder.record(forSeconds: plan.duration.map { max(0, $0 - done) })
        } catch {
            throw StudioError(code: "\(error.code)", message: error.message)
        }
    }

    private func pressSpace() {
        guard let recorder else { return }
        if recorder.status.state == .recording { return recorder.pause() }
        do throws(StudioError) {
            if studio.interruption != nil { try studio.activate() }
            try record()
        } catch {
            show(.error(code: error.code, message: error.message, file: plan.path), time: stopwatch.seconds)
        }
    }

    private func follow(_ status: FileRecorder.Status, _ time: Double) {
        show(.recorder(status, file: plan.path), time: time)
        switch status.state {
        case .ready, .recording, .paused: break
        case .finished: isDone = true
        case .failed:
            fail(
                StudioError(
                    code: "recordingFailed",
                    message: status.message
                        ?? "the recording to \(plan.path.printable) broke off; what came before is in the file."))
        }
    }

    private func fail(_ error: StudioError) {
        hasFailed = true
        isDone = true
        show(.error(code: error.code, message: error.message, file: plan.path), time: stopwatch.seconds)
    }

    private func show(_ fact: Event.Fact, time: Double) {
        lastTime = max(lastTime, time)
        display.show(Event(time: lastTime, fact: fact))
    }
}
