package import AudioFiles
package import AudioModel
import HostInterface
package import SessionCore
import Synchronization
import TransportCore

/// Records the session's input into one file, and does the right thing when the route changes.
///
/// Any thread but the session thread may call it. A recording ends for good with `stop`, at its length, when a device
/// comes into the route or leaves it, when the session is deactivated, and by a failure; the file is then closed and
/// readable before anybody is told. An interruption and `pause` leave it open.
package final class FileRecorder: Sendable {
    package enum State: String, Sendable { case ready, recording, paused, finished, failed }

    /// Why the recorder is in its state.
    package enum Cause: String, Sendable {
        case user, newDeviceAvailable, oldDeviceUnavailable, noSuitableRoute, interruption, deactivation, refusal
        /// It has its length.
        case endOfRecording
        case error

        init(_ cause: TransportStatus.Cause) {
            switch cause {
            case .session(.newDeviceAvailable): self = .newDeviceAvailable
            case .session(.oldDeviceUnavailable): self = .oldDeviceUnavailable
            case .session(.noSuitableRoute): self = .noSuitableRoute
            case .session(.user): self = .user
            case .session(.interruption): self = .interruption
            case .session(.deactivation): self = .deactivation
            case .session(.refusal): self = .refusal
            case .endOfSource: self = .endOfRecording
            case .error: self = .error
            }
        }
    }

    package struct Status: Hashable, Sendable {
        package var state: State
        package var cause: Cause
        /// Seconds in the file.
        package var duration: Double
        /// Frames for which there was no time to take them; the file holds silence there.
        package var lostFrames: Int
        /// With `failed`: what went wrong and what to do next.
        package var message: String?
        /// With `failed`: the session's code, where the session ended the recording; nil where the file did.
        package var errorCode: SessionError.Code?
        /// The user wants it to record: it does, or will when the interruption ends.
        package var recordWhenReady = false
    }

    package let path: String
    private let followsSession: Bool
    private let core: FileRecorderController

    /// Creates the file, or empties the regular file that is there, and opens a stream for it; nothing is captured until
    /// `record`.
    ///
    /// - Parameters:
    ///   - sampleRate: of the file, in hertz; the host converts.
    ///   - channels: of the file. A mono input fills them all; channels that the input lacks are silent.
    ///   - quality: 0...1, for encoders; nil for their default.
    ///   - policy: which input, and what to do when devices come and go; its direction is input in any case.
    ///   - onChange: called on the poster thread with each change of state, in order.
    /// - Throws: `AudioFileWriteError` when the file cannot be written, `SessionError` when the host refuses a stream.
    package init(
        path: String, type: AudioFileType, sampleRate: Int, channels: [ChannelLabel], quality: Double? = nil,
        runtime: SessionRuntime, policy: StreamPolicy = StreamPolicy(direction: .input),
        onChange: @escaping @Sendable (Status) -> Void
    ) throws {
        let writer = try AudioFileWriter(
            path: path, type: type, sampleRate: sampleRate, channels: channels, quality: quality)
        self.path = path
        followsSession = policy.onInterruption == .pause
        core = FileRecorderController(writer: writer, sampleRate: sampleRate, runtime: runtime, onChange: onChange)
        var policy = policy
        policy.direction = .input
        let configuration = StreamConfiguration(
            id: StreamID(number: runtime.nextID()), direction: .input,
            title: path.split(separator: "/").last.map(String.init) ?? path, sampleRate: Double(sampleRate),
            maximumFrames: FileRecorderController.maximumFrames, renderer: core.renderer,
            beforeVirtualCycle: { [weak core] in core?.pump() })
        try core.streams.open(configuration, policy: policy)
    }

    deinit { stop() }

    /// Does not wait for the disk.
    package var status: Status { core.status }

    /// What each channel of the file came to since the last call; the same again where no frames have come since (they do
    /// every tenth of a second), and empty before the first.
    ///
    /// One caller hears each; it does not wait for the disk.
    package func takeMeasures() -> [LevelMeasure] { core.takeMeasures() }

    /// Activates the session and records, from the beginning or after a pause.
    ///
    /// Idempotent. While the session is interrupted it returns and nothing is captured yet; see `Status.recordWhenReady`.
    ///
    /// - Parameter seconds: ends the recording when so much more is in the file; nil: no end.
    /// - Throws: `incompatibleCategory` in a category without input, `resourceNotAvailable` without a microphone,
    ///   `cannotStartRecording` when the recording has ended, and what the activation throws.
    package func record(forSeconds seconds: Double? = nil) throws(SessionError) {
        if let refusal = core.refusal(path: path) { throw refusal }
        core.limit(toSeconds: seconds)
        try core.streams.play(.input, activating: followsSession)
        if let refusal = core.refusal(path: path) { throw refusal }
    }

    /// Leaves the file open.
    ///
    /// Idempotent.
    package func pause() { core.streams.pause(.input) }

    /// Ends the recording; the file is complete and closed when this returns.
    ///
    /// Idempotent; waits for the disk.
    package func stop() {
        core.streams.close()
        core.waitUntilClosed()
    }
}

extension FileRecorder.Status {
    init(_ transport: TransportStatus, duration: Double, lostFrames: Int) {
        let state: FileRecorder.State =
            switch transport.phase {
            case .ready: .ready
            case .playing: .recording
            case .paused: .paused
            case .finished: .finished
            case .failed: .failed
            }
        self.init(
            state: state, cause: FileRecorder.Cause(transport.cause), duration: duration, lostFrames: lostFrames,
            message: transport.failure?.message, errorCode: transport.failure?.code,
            recordWhenReady: transport.playWhenReady)
    }
}
