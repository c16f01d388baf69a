package import AudioFiles
package import AudioModel
package import EngineCore
import HostInterface
package import SessionCore
package import SessionRuntime
package import TransportCore

/// Plays one file on the session's route and does the right thing when the route changes.
///
/// Any thread but the session thread may call it, unless a member says otherwise. Intent (`play`, `pause`) becomes work on
/// the session thread, so that a request and the loss of a device can never cross. Release ends the sound, and waits for
/// the fade.
package final class FilePlayer: Sendable {
    package typealias State = TransportStatus.State
    package typealias Cause = TransportStatus.Cause

    /// The members of `transport` are members of it.
    @dynamicMemberLookup
    package struct Status: Hashable, Sendable {
        package var transport: TransportStatus
        /// Seconds into the file, of the frame that was rendered last.
        package var position: Double
        /// It is meant to sound, and the sound has not come from its server yet.
        package var isWaiting = false

        package init(transport: TransportStatus, position: Double, isWaiting: Bool = false) {
            (self.transport, self.position, self.isWaiting) = (transport, position, isWaiting)
        }

        package subscript<T>(dynamicMember path: KeyPath<TransportStatus, T>) -> T { transport[keyPath: path] }
    }

    package let core: FilePlayerController
    package let runtime: SessionRuntime
    private let followsSession: Bool

    /// Opens the file and a stream for it; silent until `play`.
    ///
    /// - Parameters:
    ///   - policy: where to play, and what to do when the device goes away.
    ///   - role: PipeWire's `media.role`.
    ///   - volume: 0...1, linear amplitude.
    ///   - onChange: called on the poster thread with each change of state, in order.
    ///   - onChannelMapReset: called there too, when a map that was set here gave way to the default.
    /// - Throws: `AudioFileError` when the file cannot be played, `SessionError` when the host refuses a stream; nothing
    ///   is left behind then.
    package convenience init(
        path: String, runtime: SessionRuntime,
        policy: StreamPolicy = StreamPolicy(), role: String? = "Music", volume: Float = 1,
        onChange: @escaping @Sendable (Status) -> Void,
        onChannelMapReset: @escaping @Sendable (ChannelMapReset) -> Void = { _ in }
    ) throws {
        let reader = try AudioFileReader(path: path, outputSampleRate: runtime.host.sampleRate)
        try self.init(
            reader: reader, runtime: runtime, policy: policy, role: role, volume: volume, onChange: onChange,
            onChannelMapReset: onChannelMapReset)
    }

    /// Opens a stream for a file that is open.
    ///
    /// - Parameter reader: at its beginning, at the host's sample rate.
    /// - Throws: `SessionError` when the host refuses a stream.
    package convenience init(
        reader: sending AudioFileReader, runtime: SessionRuntime, policy: StreamPolicy = StreamPolicy(),
        role: String? = "Music", volume: Float = 1, onChange: @escaping @Sendable (Status) -> Void,
        onChannelMapReset: @escaping @Sendable (ChannelMapReset) -> Void = { _ in },
        onTime: @escaping @Sendable (Double) -> Double = { _ in .infinity }
    ) throws(SessionError) {
        let info = reader.info
        let file = SingleFile(reader) { [host = runtime.host] in host.itemsAreStalled }
        try self.init(
            item: file, info, runtime: runtime, policy: policy, role: role, volume: volume, onChange: onChange,
            onChannelMapReset: onChannelMapReset, onTime: onTime)
    }

    /// Opens a stream for an item that is open.
    ///
    /// - Parameters:
    ///   - info: of its first file.
    ///   - onTime: called with the position in seconds while it plays, on the thread that reads ahead; returns after how
    ///     many seconds of the host's clock it wants to be called again at the latest.
    /// - Throws: `SessionError` when the host refuses a stream.
    package init(
        item: any PlayedItem, _ info: AudioFileInfo, runtime: SessionRuntime, policy: StreamPolicy, role: String?,
        volume: Float, onChange: @escaping @Sendable (Status) -> Void,
        onChannelMapReset: @escaping @Sendable (ChannelMapReset) -> Void,
        onTime: @escaping @Sendable (Double) -> Double
    ) throws(SessionError) {
        self.runtime = runtime
        followsSession = policy.onInterruption != .ignore
        core = FilePlayerController(
            item, info, runtime: runtime, followsChoice: policy.target == .sessionRoute, onChange: onChange,
            onChannelMapReset: onChannelMapReset, onTime: onTime)
        core.volume.setVolume(volume)
        let configuration = StreamConfiguration(
            id: StreamID(number: runtime.nextID()),
            title: info.title ?? info.path.withoutAddressSecrets.split(separator: "/").last.map(String.init)
                ?? info.path,
            sampleRate: runtime.host.sampleRate, role: role, maximumFrames: FileSource.maximumFrames,
            renderer: core.source.engine.renderer, beforeVirtualCycle: { [weak core] in _ = core?.pump() })
        try core.streams.open(configuration, policy: policy)
    }

    deinit { close() }

    package var info: AudioFileInfo { core.source.info }
    package var status: Status { core.status(core.streams.status) }
    /// Why it will never play again; nil while it may.
    package var refusal: SessionError? { core.refusal }

    /// 0...1, linear amplitude; ramps over 5 ms.
    package var volume: Float {
        get { core.volume.volume }
        set { setVolume(newValue, overSeconds: 0) }
    }

    /// Glides to another volume, 0...1, in a straight line of amplitude; time counts also while it does not play.
    package func setVolume(_ volume: Float, overSeconds seconds: Double) {
        core.volume.setVolume(volume, overSeconds: seconds)
        core.reading.wake()
    }

    /// -1 (left) to 1 (right); 0 changes nothing.
    ///
    /// A channel map of one's own overrides it.
    package var pan: Float {
        get { core.source.mixer.pan }
        set { core.source.mixer.pan = newValue }
    }

    /// Whether `takeMeasure` has something to give.
    package var isMetered: Bool {
        get { core.meter.isEnabled }
        set { core.meter.isEnabled = newValue }
    }

    /// What each channel of the file came to since the last call, at the player's volume; nil while not metered.
    package func takeMeasure() -> [LevelMeasure]? { core.meter.takeMeasure() }

    /// How often the file begins again at its end, without a gap; negative: for ever.
    ///
    /// Counted from now, and again from each start after its end. A change less than 0.25 s before the end may come too late.
    package var repetitions: Int {
        get { core.source.loops }
        set { core.source.loops = newValue }
    }

    /// How fast it plays, at the pitch of the file; nil, as at first, is the file's own speed, and bit by bit.
    ///
    /// While it is nil there is no other; to go from nil to a rate or back while it plays is heard as a short join. A change
    /// from one rate to another is heard within 0.2 s, in the first tenth of a second within 0.3 s, and later where cycles
    /// are longer than 43 ms. What the stretcher does not take plays at its own speed: files of more than 16 channels, and
    /// all files where the output's rate of samples is above 192 kHz.
    package var rate: Float? {
        get { core.source.rate }
        set {
            core.source.rate = newValue
            core.reading.wake()
        }
    }

    /// Gives each channel of the file a channel of an output; ramps over 5 ms.
    ///
    /// Takes the place of a channel map, and holds whatever becomes of the route: a channel that is not there is silent
    /// until it is.
    ///
    /// - Parameter channels: for each channel of the file, each once; nil is the default.
    package func setChannelAssignments(_ channels: [PortChannel]?) {
        runtime.synchronously { [core] _ in core.setChannelRouting(channels.map { .assignments($0) }) }
    }

    /// Activates the session and starts.
    ///
    /// Idempotent; after the end it starts again from the beginning; the end of what still plays is dropped if it was not
    /// reported yet. A player that was paused with nothing left to play ends, and reports it. While there is no route,
    /// it returns, and there is no audio output yet: `Status.suppression` says so, and the player starts by itself when a
    /// port comes. The same holds under an interruption for a player that resumes by itself
    /// (`InterruptionPolicy.pauseAndResume`): it starts when the interruption ends with the advice to resume, or when the app
    /// activates the session. Every other player takes the sound from the program that has it.
    ///
    /// - Parameters:
    ///   - time: an instant of the host's clock up to which it is silent, and pauses what plays already. nil, or past: at once.
    ///   - knownLosses: `SessionRuntime.outputLosses` when the user asked; if an output has left since, the player is paused
    ///     as if it had played then. nil: now.
    /// - Throws: `cannotStartPlaying` when the player has failed or is closed; what the activation throws
    ///   (`insufficientPriority` under a call); `sessionNotActive` when the session was interrupted or deactivated
    ///   after this was called and before the session got to it.
    package func play(at time: HostTime? = nil, knownLosses: UInt64? = nil) throws(SessionError) {
        // First, so that a session is not activated for nothing.
        if let refusal { throw refusal }
        try core.streams.play(.output, at: time, activating: followsSession, knownLosses: knownLosses)
        // It may have failed, or been closed, on the way.
        if let refusal { throw refusal }
    }

    /// Fades over 5 ms, then stops; a player that waits for the end of an interruption waits no more.
    ///
    /// Idempotent.
    package func pause() { core.streams.pause(.output) }

    /// Ends a file before its own end; where it is further already, it ends at once.
    ///
    /// What was fed beyond the end is fed again, which is a fade of 5 ms.
    ///
    /// - Parameters:
    ///   - seconds: into the file; nil: its own end.
    ///   - file: its number in `item`, 0 for the first one; nothing happens where it has ended.
    package func setEnd(atSeconds seconds: Double?, ofFile file: UInt64) {
        setEnd(atSeconds: seconds, ofFile: file) { core.streams.seek(toSeconds: $0) }
    }

    package func setEnd(atSeconds seconds: Double?, ofFile file: UInt64, seek: (_ toSeconds: Double) -> Void) {
        core.setEnd(atSeconds: seconds, ofFile: file).map(seek)
    }

    /// Clamped to the file's length.
    package func seek(toSeconds seconds: Double) { core.streams.seek(toSeconds: seconds) }

    /// Fades out, waits for the fade to be heard (at most 0.3 s), and frees everything.
    ///
    /// Idempotent.
    package func close() {
        core.streams.close()
        core.reading.end()
    }
}
