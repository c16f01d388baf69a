package import AudioFiles
import AudioModel
import EngineCore
import HostInterface
package import SessionCore
import Synchronization

/// Plays one file on the session's route and does the right thing when the route changes.
///
/// Any thread but the session thread may call it. Intent (`play`, `pause`) becomes work on the session thread, so that
/// a request and the loss of a device can never cross.
package final class FilePlayer: Sendable {
    package enum State: String, Sendable { case ready, playing, paused, finished, failed }

    /// Why the player is in its state.
    package enum Cause: String, Sendable { case user, oldDeviceUnavailable, noSuitableRoute, endOfFile, error }

    package struct Status: Hashable, Sendable {
        package var state: State
        package var cause: Cause
        /// Seconds into the file, of the frame that was rendered last.
        package var position: Double
        /// With `failed`: what went wrong and what to do next.
        package var message: String?
    }

    private let core: FilePlayerCore
    private let process: AudioProcess
    private let id: StreamID
    private let isClosed = Atomic<Bool>(false)

    /// Opens the file and a stream for it; silent until `play`.
    ///
    /// - Parameters:
    ///   - policy: where to play, and what to do when the device goes away.
    ///   - role: PipeWire's `media.role`.
    ///   - volume: 0...1, linear amplitude.
    ///   - onChange: called on the poster thread with each change of state, in order.
    /// - Throws: `AudioFileError` when the file cannot be played, `SessionError` when the host refuses a stream; nothing
    ///   is left behind then.
    package init(
        path: String, process: AudioProcess, policy: StreamPolicy = StreamPolicy(), role: String? = "Music",
        volume: Float = 1, onChange: @escaping @Sendable (Status) -> Void
    ) throws {
        let reader = try AudioFileReader(path: path, outputSampleRate: process.host.sampleRate)
        self.process = process
        id = StreamID(number: process.nextID())
        core = FilePlayerCore(reader: reader, process: process, onChange: onChange)
        core.setVolume(volume)
        let configuration = StreamConfiguration(
            id: id, title: reader.info.title ?? path.split(separator: "/").last.map(String.init) ?? path,
            sampleRate: process.host.sampleRate, role: role, maximumFrames: FilePlayerCore.maximumFrames,
            renderer: core.renderer, beforeVirtualCycle: { [weak core] in core?.pump() })
        core.attach(try process.openStream(configuration, policy: policy, owner: core))
    }

    deinit { close() }

    package var info: AudioFileInfo { core.info }
    package var status: Status { core.status }

    /// 0...1, linear amplitude; ramps over 5 ms.
    package var volume: Float {
        get { core.volume }
        set { core.setVolume(newValue) }
    }

    /// Activates the session and starts.
    ///
    /// Idempotent; after the end it starts again from the beginning.
    ///
    /// - Throws: `cannotStartPlaying` when the player has failed or is closed, and what the activation throws.
    package func play() throws(SessionError) {
        // First, so that a session is not activated for nothing.
        if let refusal = core.refusal { throw refusal }
        try process.perform { call, _ in .activationRequested(call) }
        guard let refusal = process.synchronously({ [core] _ in core.play() }) else { throw AudioProcess.ended }
        if let refusal { throw refusal }
    }

    /// Fades over 5 ms, then stops.
    ///
    /// Idempotent.
    package func pause() {
        process.synchronously { [core] _ in core.pauseByUser() }
    }

    /// Clamped to the file's length.
    package func seek(toSeconds seconds: Double) {
        process.synchronously { [core] _ in core.seek(toSeconds: seconds) }
    }

    /// Fades out, waits for the fade to be heard (at most 0.3 s), and frees everything.
    ///
    /// Idempotent.
    package func close() {
        guard isClosed.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return }
        core.fadeOut()
        process.synchronously { [core] _ in core.detach() }
        process.closeStream(id)
        core.end()
    }
}
