import AudioFiles
import AudioModel
import EngineCore
internal import SessionRuntime
import Synchronization
internal import Threading
import TransportCore

/// The file of a recorder and the thread that writes it; its `StreamController` decides when.
///
/// Apart from `FileRecorder`, whose release completes the file and waits for the disk: the session thread holds this object
/// while it calls it, must not wait, and may be the last to let go of it.
///
/// In real time a thread of its own writes; in virtual time the host calls `pump` before each cycle.
final class FileRecorderController: TransportMedia, Sendable {
    static let maximumFrames = 8192
    /// How long the disk may keep the writer.
    private static let ringSeconds = 5.0
    private static let writeSeconds = 0.1
    /// How many writes find nothing before the owner learns that no sound comes: 3 s.
    private static let emptyWrites = 30

    let streams: StreamController
    private let runtime: SessionRuntime
    private let sampleRate: Int
    let feed: CaptureFeed
    /// Locked while it writes: whoever locks it waits for the disk.
    private let sink: Mutex<RecordingSink>
    let progress = RecordingProgress()
    private let onChange: @Sendable (FileRecorder.Status) -> Void
    private let writing = ReaderThread()
    let closed = Latch()

    init(
        writer: sending AudioFileWriter, sampleRate: Int, runtime: SessionRuntime,
        onChange: @escaping @Sendable (FileRecorder.Status) -> Void
    ) {
        self.runtime = runtime
        self.sampleRate = sampleRate
        self.onChange = onChange
        feed = CaptureFeed(
            channels: writer.channelCount, maximumFrames: Self.maximumFrames, sampleRate: Double(sampleRate),
            seconds: Self.ringSeconds)
        sink = Mutex(RecordingSink(writer: writer, progress: progress))
        streams = StreamController(.recorder) { runtime }
        streams.bind(to: self)
    }

    // MARK: Any thread

    var status: FileRecorder.Status { status(streams.status) }

    /// Says that the recording stands at 0.
    private func warn() {
        var status = status
        guard status.state == .playing else { return }
        status.isWithoutSound = true
        runtime.notices.enqueue { [onChange, status] in onChange(status) }
    }

    private func status(_ transport: TransportStatus) -> FileRecorder.Status {
        let (frames, lost) = progress.frames
        return FileRecorder.Status(
            transport: transport, duration: Double(frames) / Double(sampleRate), lostFrames: lost)
    }

    /// Why this recorder will never record again; nil while it may.
    func refusal(path: String) -> SessionError? {
        let reason: String?
        switch streams.transport {
        case .ready, .playing, .fading, .suppressed, .paused: return nil
        case .finishing(.finished), .finished: reason = nil
        case .finishing(.failed(let failure)), .failed(let failure): reason = failure.message
        }
        return SessionError(
            .cannotStartRecording,
            "The recording \"\(path.printable)\" has ended.\(reason.map { " It failed: \($0)" } ?? "") "
                + "Make a new recorder to record again.")
    }

    func limit(toSeconds seconds: Double?, after delay: Double) {
        sink.withLock { sink in
            sink.isAsked = true
            sink.skip = frames(of: delay)
            sink.limit = seconds.map { sink.frames + frames(of: $0) }
        }
    }

    /// Far away where it would not fit.
    private func frames(of seconds: Double) -> Int64 {
        seconds.isFinite ? Int64(min(max(seconds, 0), 1e9) * Double(sampleRate)) : .max / 2
    }

    // MARK: The writer thread, or the thread that advances virtual time

    /// Writes what has been captured.
    func pump() {
        let outcome = sink.withLock { $0.consume(from: feed) }
        switch outcome {
        case .more: break
        // A recorder does not seek: its generation stays 0.
        case .complete: streams.sourceEnded(.complete, generation: 0)
        case .failed(let message): streams.sourceEnded(.failed(message), generation: 0)
        }
    }

    // MARK: TransportMedia

    func startFeeding() {
        runtime.clock.start(writing) { [weak self] in
            guard let self else { return .ended }
            self.pump()
            if self.sink.withLock({ $0.isStillEmpty(atLook: Self.emptyWrites) }) { self.warn() }
            return self.streams.needsFeeding ? .after(Self.writeSeconds) : .whenWoken
        }
    }

    func setInputMuted(_ isMuted: Bool) { feed.setMuted(isMuted) }

    func drainCapture() { runtime.clock.catchUp(writing) { pump() } }

    func report(_ status: TransportStatus) {
        let status = self.status(status)
        runtime.notices.enqueue { [onChange] in onChange(status) }
    }

    func closeFile() {
        runtime.runElsewhere {
            let failure = self.sink.withLock { sink -> String? in
                // What was captured to the last frame; a full file, or a broken one, takes no more.
                let outcome = sink.consume(from: self.feed)
                let failure = sink.close()
                if case .failed(let message) = outcome { return message }
                return failure
            }
            self.streams.fileClosed(failure: failure)
            self.closed.raise()
            self.writing.end()
        }
    }
}
