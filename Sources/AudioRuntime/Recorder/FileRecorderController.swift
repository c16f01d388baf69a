import AudioFiles
import AudioModel
import CRealtime
import EngineCore
import Foundation
import HostInterface
import SessionCore
import Synchronization

/// The part of a file recorder that the session and the writer thread hold on to.
///
/// Its state changes on the session thread, but for the end of the file, which is told by whoever closed it. Where time is
/// real a thread of its own writes; where time is virtual the host calls `pump` before each cycle.
final class FileRecorderController: StreamOwner, Sendable {
    static let maximumFrames = 8192
    /// How long the disk may keep the writer.
    private static let ringSeconds = 5.0
    private static let writeSeconds = 0.1

    private let id: StreamID
    private let runtime: SessionRuntime
    private let sampleRate: Int
    private let feed: CaptureFeed
    /// Locked while it writes: whoever locks it waits for the disk.
    private let sink: Mutex<RecordingSink>
    private let progress = RecordingProgress()
    private let onChange: @Sendable (FileRecorder.Status) -> Void
    private let shared = Mutex(Shared())
    private let writing = ReaderThread()
    private let closed = Latch()

    private struct Shared {
        var state = FileRecorder.State.ready
        var cause = FileRecorder.Cause.user
        var message: String?
        var errorCode: SessionError.Code?
        var recordWhenReady = false
        /// Why the file is to be closed; nothing changes that.
        var ending: Ending?
        var stream: (any HostStream)?

        var hasEnded: Bool { ending != nil }
    }

    private struct Ending {
        var state: FileRecorder.State
        var cause: FileRecorder.Cause
        var message: String?
        var errorCode: SessionError.Code?
    }

    init(
        writer: sending AudioFileWriter, sampleRate: Int, id: StreamID, runtime: SessionRuntime,
        onChange: @escaping @Sendable (FileRecorder.Status) -> Void
    ) {
        self.id = id
        self.runtime = runtime
        self.sampleRate = sampleRate
        self.onChange = onChange
        feed = CaptureFeed(
            channels: writer.channelCount, maximumFrames: Self.maximumFrames, sampleRate: Double(sampleRate),
            seconds: Self.ringSeconds)
        sink = Mutex(RecordingSink(writer: writer, progress: progress))
    }

    var renderer: oav_renderer { feed.renderer }

    // MARK: Any thread

    var status: FileRecorder.Status {
        let (frames, lost) = progress.frames
        return shared.withLock {
            .init(
                state: $0.state, cause: $0.cause, duration: Double(frames) / Double(sampleRate), lostFrames: lost,
                message: $0.message, errorCode: $0.errorCode, recordWhenReady: $0.recordWhenReady)
        }
    }

    func takeMeasures() -> [LevelMeasure] { progress.takeMeasures() }

    /// Why this recorder will never record again; nil while it may.
    func refusal(path: String) -> SessionError? {
        shared.withLock { shared in
            guard let ending = shared.ending else { return nil }
            let reason = ending.message.map { " It failed: \($0)" } ?? ""
            return SessionError(
                .cannotStartRecording,
                "The recording \"\(path.printable)\" has ended.\(reason) Make a new recorder to record again.")
        }
    }

    func limit(toSeconds seconds: Double?) {
        // Far away where it would not fit.
        let frames = seconds.map { $0.isFinite ? Int64(min(max($0, 0), 1e9) * Double(sampleRate)) : .max / 2 }
        sink.withLock { sink in sink.limit = frames.map { sink.frames + $0 } }
    }

    /// Writes what is there, closes the file, and says so; the first call counts.
    func finish(_ cause: FileRecorder.Cause) { end(Ending(state: .finished, cause: cause)) }

    func waitUntilClosed() { closed.wait() }

    // MARK: The writer thread, or the thread that advances virtual time

    /// Writes what has been captured.
    func pump() {
        let outcome = sink.withLock { $0.take(from: feed) }
        switch outcome {
        case .more: break
        case .complete: stopAndEnd(Ending(state: .finished, cause: .endOfRecording))
        case .failed(let message): stopAndEnd(Ending(state: .failed, cause: .error, message: message))
        }
    }

    private func stopAndEnd(_ ending: Ending) {
        let stream = shared.withLock { $0.stream }
        runtime.asynchronously(applying: { [id] in
            stream?.stop()
            return .playerStopped(id)
        })
        end(ending)
    }

    private func end(_ ending: Ending) {
        let isFirst = shared.withLock { shared in
            defer { if shared.ending == nil { shared.ending = ending } }
            return shared.ending == nil
        }
        if isFirst { close() }
    }

    private func close() {
        guard var ending = shared.withLock({ $0.ending }) else { return }
        let failure = sink.withLock { sink -> String? in
            // What was captured to the last frame; a full file, or a broken one, takes no more.
            if case .failed(let message) = sink.take(from: feed) { return message }
            return sink.close()
        }
        if let failure, ending.state != .failed { ending = Ending(state: .failed, cause: .error, message: failure) }
        shared.withLock {
            $0.ending = ending
            $0.stream = nil
        }
        change(to: ending.state, ending.cause, ending.message, ending.errorCode)
        closed.raise()
        writing.end()
    }

    // MARK: Session thread

    func attach(_ stream: any HostStream) {
        shared.withLock { $0.stream = stream }
    }

    func willLink(to ports: [AudioModel.Port]) {}

    func start() {
        guard let stream = shared.withLock({ $0.hasEnded ? nil : $0.stream }) else { return }
        change(to: .recording, .user, recordWhenReady: true)
        if !runtime.host.hasVirtualTime {
            writing.start { [weak self] in
                guard let self else { return .ended }
                self.pump()
                let isRecording = self.shared.withLock { $0.state == .recording && !$0.hasEnded }
                return isRecording ? .after(Self.writeSeconds) : .whenWoken
            }
        }
        stream.start()
    }

    func pause(_ cause: PauseCause) {
        let (state, wasMeant, stream) = shared.withLock { ($0.state, $0.recordWhenReady, $0.stream) }
        guard state == .recording || wasMeant else { return }
        stream?.stop()
        switch cause {
        case .newDeviceAvailable, .oldDeviceUnavailable, .noSuitableRoute, .deactivation:
            endElsewhere(Ending(state: .finished, cause: .init(cause)))
        case .user, .interruption, .refusal:
            writeRest()
            change(to: .paused, .init(cause))
        }
    }

    func suppress(_ suppression: Suppression) {
        let (hasEnded, stream) = shared.withLock { ($0.hasEnded, $0.stream) }
        guard !hasEnded else { return }
        stream?.stop()
        writeRest()
        switch suppression {
        case .interruption: change(to: .paused, .interruption, recordWhenReady: true)
        case .noSuitableRoute: change(to: .paused, .noSuitableRoute, recordWhenReady: true)
        }
    }

    func setGain(_ gain: Float) {}

    func fail(_ error: SessionError) {
        shared.withLock { $0.stream }?.stop()
        endElsewhere(Ending(state: .failed, cause: .error, message: error.message, errorCode: error.code))
    }

    /// What was captured before a pause.
    private func writeRest() {
        if runtime.host.hasVirtualTime { pump() } else { writing.wake() }
    }

    /// The session thread does not wait for a disk; in virtual time nobody may be left who would.
    private func endElsewhere(_ ending: Ending) {
        if runtime.host.hasVirtualTime { return end(ending) }
        DispatchQueue.global(qos: .userInitiated).async { self.end(ending) }
    }

    private func change(
        to state: FileRecorder.State, _ cause: FileRecorder.Cause, _ message: String? = nil,
        _ errorCode: SessionError.Code? = nil, recordWhenReady: Bool = false
    ) {
        let isNews = shared.withLock { shared in
            if shared.hasEnded, state == .recording || state == .paused { return false }
            shared.state = state
            shared.cause = cause
            shared.message = message
            shared.errorCode = errorCode
            shared.recordWhenReady = recordWhenReady
            return true
        }
        guard isNews else { return }
        let status = status
        runtime.notices.enqueue { [onChange] in onChange(status) }
    }
}
