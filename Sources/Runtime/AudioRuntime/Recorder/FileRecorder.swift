package import AudioFiles
package import AudioModel
import HostInterface
package import SessionCore
package import SessionRuntime
package import TransportCore

/// Records the session's input into one file, and does the right thing when the route changes.
///
/// Any thread but the session thread may call it. A recording ends for good with `stop`, at its length, when a device
/// comes into the route or leaves it, when the category takes the input away, when the session is deactivated, and by a
/// failure; the file is then closed and readable before the end is reported. An interruption and `pause` leave it open, until
/// `record` is called again.
package final class FileRecorder: Sendable {
    package typealias State = TransportStatus.State
    package typealias Cause = TransportStatus.Cause

    /// The members of `transport` are members of it.
    @dynamicMemberLookup
    package struct Status: Hashable, Sendable {
        package var transport: TransportStatus
        /// Seconds in the file.
        package var duration: Double
        /// Frames for which there was no time to take them; the file holds silence there.
        package var lostFrames: Int
        /// It records for 3 s, and no frame has come; reported once, while nothing else has changed.
        package var isWithoutSound = false

        package subscript<T>(dynamicMember path: KeyPath<TransportStatus, T>) -> T { transport[keyPath: path] }
    }

    package let path: String
    private let followsSession: Bool
    private let core: FileRecorderController

    /// Creates the file and opens a stream for it; nothing is captured until `record`.
    ///
    /// A recording that ends without a frame has failed, and its file is removed.
    ///
    /// - Parameters:
    ///   - naming: when the file takes its name, and what becomes of a file that has it.
    ///   - sampleRate: of the file, in hertz; the host converts.
    ///   - channels: of the file. A mono input fills them all; channels that the input lacks are silent.
    ///   - quality: 0...1, for encoders; nil for their default.
    ///   - policy: which input, and what to do when devices come and go; its direction is input in any case.
    ///   - onChange: called on the poster thread with each change of state, in order.
    /// - Throws: `AudioFileWriteError` when the file cannot be written, `SessionError` when the host refuses a stream.
    package init(
        path: String, type: AudioFileType, sampleRate: Int, channels: [ChannelLabel], quality: Double? = nil,
        naming: AudioFileWriter.Naming = .atOnce, runtime: SessionRuntime,
        policy: StreamPolicy = StreamPolicy(direction: .input),
        onChange: @escaping @Sendable (Status) -> Void
    ) throws {
        let writer = try AudioFileWriter(
            path: path, type: type, sampleRate: sampleRate, channels: channels, quality: quality, naming: naming)
        self.path = path
        followsSession = policy.onInterruption != .ignore
        core = FileRecorderController(writer: writer, sampleRate: sampleRate, runtime: runtime, onChange: onChange)
        var policy = policy
        policy.direction = .input
        let configuration = StreamConfiguration(
            id: StreamID(number: runtime.nextID()), direction: .input,
            title: path.split(separator: "/").last.map(String.init) ?? path, sampleRate: Double(sampleRate),
            maximumFrames: FileRecorderController.maximumFrames, renderer: core.feed.renderer,
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
    package func takeMeasures() -> [LevelMeasure] { core.progress.takeMeasures() }

    /// Activates the session and records, from the beginning or after a pause.
    ///
    /// Idempotent. Under an interruption it takes the sound from the program that has it.
    ///
    /// - Parameters:
    ///   - seconds: ends the recording when so much more is in the file; nil: no end.
    ///   - delay: leaves out so many seconds of the input first.
    /// - Throws: `incompatibleCategory` in a category without input, `resourceNotAvailable` without a microphone,
    ///   `cannotStartRecording` when the recording has ended, and what the activation throws.
    package func record(forSeconds seconds: Double? = nil, after delay: Double = 0) throws(SessionError) {
        if let refusal = core.refusal(path: path) { throw refusal }
        core.limit(toSeconds: seconds, after: delay)
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
        core.closed.wait()
    }
}
