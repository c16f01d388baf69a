import AudioRuntime
import Foundation
import OpenAudioSession
import ProgramRuntime
import SessionRuntime

/// What to record, and how.
struct RecordPlan: Sendable {
    var path: String
    /// Seconds; nil records until it is stopped.
    var duration: Double?
    /// Whether an existing file may be replaced.
    var overwrites: Bool
    var format = RecordFormat()
    /// The uid or the name of the input; nil for the system's.
    var input: String?
}

/// Records one file and reports events to a display.
///
/// The command thread.
final class RecordRunner: Runner {
    let context: RunContext<FileRecorder.Status>
    private let plan: RecordPlan
    private var recorder: (any Recorder)?

    private(set) var isDone = false
    /// The recording is missing or incomplete.
    private(set) var hasFailed = false
    /// When it is looked whether sound has come; nil: the run waits for it.
    private(set) var wakeSeconds: Double?
    /// In the file when that was looked last.
    private var soundingSeconds = 0.0

    /// A script waits for the end of a recording whose length it has said, which would have none without sound.
    private static let silentSeconds = 5.0

    init(_ context: RunContext<FileRecorder.Status>, plan: RecordPlan) {
        self.context = context
        self.plan = plan
    }

    func begin() {
        context.begin(files: [plan.path])
        do throws(BackendError) {
            try checkBeforeAnyFile()
            let (stopwatch, deliver) = (log.stopwatch, context.deliver)
            recorder = try backend.makeRecorder(path: plan.path, format: plan.format, replaces: plan.overwrites) {
                deliver(.report($0, time: stopwatch.seconds))
            }
            try record()
            if plan.duration != nil, !context.isInteractive { wakeSeconds = log.stopwatch.seconds + Self.silentSeconds }
        } catch {
            fail(error)
        }
    }

    func wake() {
        wakeSeconds = log.stopwatch.seconds + Self.silentSeconds
        guard let status = recorder?.status else { return }
        defer { soundingSeconds = status.duration }
        // A pause has another end.
        guard status.state == .playing, status.duration == soundingSeconds else { return }
        wakeSeconds = nil
        // The end of a recording without a frame is an error by itself.
        if status.duration > 0 {
            hasFailed = true
            log.write(soundEnded(after: status.duration), file: plan.path)
        }
        recorder?.stop()
    }

    /// A recording that cannot begin changes no file.
    private func checkBeforeAnyFile() throws(BackendError) {
        guard plan.overwrites || !FileManager.default.fileExists(atPath: plan.path) else {
            throw BackendError(
                .fileExists,
                "the file '\(plan.path.printable)' already exists; choose another name or use --overwrite.")
        }
        if backend.inputs.isEmpty, backend.lacksSessionManager {
            throw .lacksSessionManager("an input", next: "Then record again.")
        }
        if let input = plan.input {
            let query = DeviceQuery(
                usable: backend.inputs, connected: backend.inputs, category: .record, noun: "input")
            try backend.chooseInput(uid: query.resolve(input).uid)
        }
        guard !backend.currentRoute.inputs.isEmpty else {
            throw BackendError(
                .noInput,
                "no input is connected; connect a microphone and try again ('audiosession route' lists all "
                    + "ports).")
        }
    }

    func handle(_ input: RunInput<FileRecorder.Status>) {
        guard !isDone else { return }
        switch input {
        case .report(let status, let time): handle(status, time)
        case .backend(let event, let time): handle(event, time)
        case .key(.character("q")), .key(.character("Q")), .signal(.leave): recorder?.stop()
        case .key(.character(" ")): pressSpace()
        case .key, .signal(.resize), .signal(.stop), .signal(.continue), .note, .remote: break
        }
        // Without a reader of the events the run ends; the file is complete up to now.
        if log.isClosed {
            recorder?.stop()
            isDone = true
        }
    }

    /// Completes the file and notifies the sessions that were interrupted.
    func close() {
        isDone = true
        recorder?.stop()
        backend.deactivate()
    }

    // MARK: Live content

    var isMoving: Bool { true }

    func liveContent(hasKeys: Bool) -> LiveContent? {
        guard let recorder else { return nil }
        let status = recorder.status
        let now = NowRecording(
            state: status.state, duration: status.duration,
            input: backend.currentRoute.inputs.map(\.label).joined(separator: " + "),
            levels: recorder.takeMeasures().map { status.state == .playing ? $0.peak : 0 }, hasKeys: hasKeys)
        return { RecordLayout(glyphs: $1).lines(now, size: $0) }
    }

    // MARK: Inside

    private func record() throws(BackendError) {
        guard let recorder else { return }
        let done = recorder.status.duration
        try backend.explaining { () throws(FileRecorder.RecordingError) in
            try recorder.record(forSeconds: plan.duration.map { max(0, $0 - done) })
        }
    }

    private func pressSpace() {
        guard let recorder else { return }
        if recorder.status.state == .playing { return recorder.pause() }
        do throws(BackendError) {
            if backend.interruption != nil { try backend.activate() }
            try record()
        } catch {
            log.write(error, file: plan.path)
        }
    }

    private func handle(_ event: BackendEvent, _ time: Double) {
        log.write(.session(event), time: time, isRepetition: isTold(event))
        guard case .interruptionBegan(reason: .default) = event, backend.lacksSessionManager else { return }
        let next = context.isInteractive ? "Then press space." : "Then end this recording and record again."
        log.write(.lacksSessionManager("the input", next: next), file: plan.path)
    }

    private func handle(_ status: FileRecorder.Status, _ time: Double) {
        guard !status.isWithoutSound else { return log.write(noSound, file: plan.path) }
        // The session manager's end is told as an error, with what to do.
        let isTold = status.state == .paused && status.cause == .interruption && backend.lacksSessionManager
        log.write(.recorder(status, file: plan.path), time: time, isRepetition: isTold)
        switch status.state {
        case .ready, .playing, .paused: break
        case .finished: isDone = true
        case .failed:
            let kept = status.duration > 0 ? "The file has everything up to that point." : "Nothing was recorded."
            let message =
                status.errorCode == .mediaServicesFailed
                ? "\(BackendError.serverLost(backend.lossReason)) \(kept)" : status.message
            fail(
                BackendError(.recordingFailed, message ?? "recording to \(plan.path.printable) failed. \(kept)"))
        }
    }

    /// Whether the recorder's line or an error says it.
    private func isTold(_ event: BackendEvent) -> Bool {
        let status = recorder?.status
        return switch event {
        case .routeChanged(reason: .oldDeviceUnavailable, _, _), .routeChanged(reason: .newDeviceAvailable, _, _):
            status?.state == .finished
        case .interruptionBegan: status?.cause == .interruption || backend.lacksSessionManager
        case .mediaServicesLost: true
        case .routeChanged, .availableInputsChanged, .interruptionEnded, .secondaryAudioHint, .mediaServicesReset: false
        }
    }

    private var noSound: BackendError {
        let next =
            wakeSeconds == nil
            ? "The recording begins when sound comes."
            : "The recording ends if none has come \(Int(Self.silentSeconds)) s after its begin."
        return BackendError(
            .noSound,
            "no sound comes from \(inputName), and the recording is still empty; check the device, or choose "
                + "another input with --input. \(next)")
    }

    private func soundEnded(after seconds: Double) -> BackendError {
        BackendError(
            .noSound,
            "no sound has come from \(inputName) for \(Int(Self.silentSeconds)) s; check the device. The recording ends, "
                + "and '\(plan.path.printable)' has \(NumberText.clock(seconds)) of \(NumberText.clock(plan.duration ?? 0))."
        )
    }

    private var inputName: String {
        let names = backend.currentRoute.inputs.map(\.label).joined(separator: " + ")
        return names.isEmpty ? "the input" : names
    }

    private func fail(_ error: BackendError) {
        hasFailed = true
        isDone = true
        log.write(error, file: plan.path)
    }
}
