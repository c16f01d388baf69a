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

    private let core: FilePlayerController
    private let runtime: SessionRuntime
    private let followsSession: Bool

    /// Opens the file and a stream for it; silent until `play`.
    ///
    /// - Parameters:
    ///   - policy: where to play, and what to do when the device goes away.
    ///   - role: PipeWire's `media.role`.
    ///   - volume: 0...1, linear amplitude.
    ///   - onChange: called on the poster thread with each change of state, in order.
    ///   - onChannelMapReset: called there too, when a map that was set here gave way to the default.
    ///   - onNextFile: called there too, in order with `onChange`, when a file that `setNext` joined is rendered.
    /// - Throws: `AudioFileError` when the file cannot be played, `SessionError` when the host refuses a stream; nothing
    ///   is left behind then.
    package convenience init(
        path: String, runtime: SessionRuntime,
        policy: StreamPolicy = StreamPolicy(), role: String? = "Music", volume: Float = 1,
        onChange: @escaping @Sendable (Status) -> Void,
        onChannelMapReset: @escaping @Sendable (ChannelMapReset) -> Void = { _ in },
        onNextFile: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) throws {
        let reader = try AudioFileReader(path: path, outputSampleRate: runtime.host.sampleRate)
        try self.init(
            reader: reader, runtime: runtime, policy: policy, role: role, volume: volume, onChange: onChange,
            onChannelMapReset: onChannelMapReset,
            onNextFile: { number in runtime.notices.enqueue { onNextFile(number) } })
    }

    /// Opens a stream for a file that is open.
    ///
    /// - Parameters:
    ///   - reader: at its beginning, at the host's sample rate.
    ///   - onTime: called with the position in seconds while it plays, on the thread that reads ahead; returns after how
    ///     many seconds of the host's clock it wants to be called again at the latest.
    ///   - onNextFile: called on that thread when a file that `setNext` joined is the one that is rendered.
    /// - Throws: `SessionError` when the host refuses a stream.
    package init(
        reader: sending AudioFileReader, runtime: SessionRuntime, policy: StreamPolicy = StreamPolicy(),
        role: String? = "Music", volume: Float = 1, onChange: @escaping @Sendable (Status) -> Void,
        onChannelMapReset: @escaping @Sendable (ChannelMapReset) -> Void = { _ in },
        onTime: @escaping @Sendable (Double) -> Double = { _ in .infinity },
        onNextFile: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) throws(SessionError) {
        let info = reader.info
        self.runtime = runtime
        followsSession = policy.onInterruption != .ignore
        core = FilePlayerController(
            reader: reader, runtime: runtime, followsChoice: policy.target == .sessionRoute, onChange: onChange,
            onChannelMapReset: onChannelMapReset, onTime: onTime, onNextFile: onNextFile)
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
    /// At the output's sample rate.
    package var format: StreamFormat { core.source.format }
    package var status: Status { core.status(core.streams.status) }
    /// How many of its own frames have been rendered, and the sample time of the newest cycle.
    package var progress: (frames: Int64, sampleTime: Int64?) {
        (core.source.player.source.positionFrames, core.source.engine.lastCycle?.sampleTime)
    }
    /// Of a sound that comes while it is played; nil for a file.
    package var stream: (any SoundStream)? { core.source.stream }
    /// It has a present only, as a radio station has: no seek leads anywhere.
    package var isLive: Bool { stream?.isLive == true }

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

    /// Has the sound go through these stages, one after the other, before the channels find their outputs.
    ///
    /// Before it plays. A changed setting is heard within 0.2 s; without stages the sound is bit by bit that of the file, and read
    /// farther ahead.
    package func setStages(_ stages: [any FrameConverter]) { core.source.setStages(stages) }

    /// Gives each channel of the output a channel of the file, or silence; ramps over 5 ms.
    ///
    /// A map comes before the session's choice of an output, and holds while the output keeps its number of channels; then
    /// the default is back, and `onChannelMapReset` told.
    ///
    /// - Parameter map: for each channel of the outputs in their order, a channel of the file from 0, or -1; nil is the
    ///   default.
    /// - Throws: `badParam` where the size is not that of the output or the file has no such channel; the map stays what
    ///   it was. `mediaServicesFailed` after the session has ended.
    package func setChannelMap(_ map: [Int]?) throws(SessionError) {
        let result = runtime.synchronously { [core] _ in
            Result { () throws(SessionError) in try core.setChannelMap(map) }
        }
        guard let result else { throw SessionRuntime.ended }
        try result.get()
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

    /// The peak of each channel of each output since the last call, linear, by the output's uid: what this player sends
    /// there, silence included.
    ///
    /// One caller hears each peak.
    package func takeLevels() -> [String: [Float]] { core.takeLevels() }

    /// Activates the session and starts.
    ///
    /// Idempotent; after the end it starts again from the beginning; the end of what still plays is dropped if it was not
    /// reported yet. A player that was paused with nothing left to play ends, and reports it. While there is no route,
    /// it returns, and there is no audio output yet: `Status.suppression` says so, and the player starts by itself when a
    /// port comes. The same holds under an interruption for a player that resumes by itself
    /// (`InterruptionPolicy.pauseAndResume`): it starts when the interruption ends with the advice to resume, or when the app
    /// activates the session. Every other player takes the sound from the program that has it.
    ///
    /// - Throws: `cannotStartPlaying` when the player has failed or is closed; what the activation throws
    ///   (`insufficientPriority` under a call); `sessionNotActive` when the session was interrupted or deactivated
    ///   after this was called and before the session got to it.
    package func play() throws(SessionError) { try play(at: nil) }

    /// As `play`, but silent until an instant of the host's clock, and then from the next frame on.
    ///
    /// What plays already pauses until then.
    ///
    /// - Parameters:
    ///   - time: nil, or past: at once.
    ///   - knownLosses: `SessionRuntime.outputLosses` when the user asked; if an output has left since, the player is paused
    ///     as if it had played then. nil: now.
    /// - Throws: as `play`.
    package func play(at time: HostTime?, knownLosses: UInt64? = nil) throws(SessionError) {
        // First, so that a session is not activated for nothing.
        if let refusal = core.refusal { throw refusal }
        try core.streams.play(.output, at: time, activating: followsSession, knownLosses: knownLosses)
        // It may have failed, or been closed, on the way.
        if let refusal = core.refusal { throw refusal }
    }

    /// Fades over 5 ms, then stops; a player that waits for the end of an interruption waits no more.
    ///
    /// Idempotent.
    package func pause() { core.streams.pause(.output) }

    /// Joins a file to the one that plays, without a frame between them, until that has been rendered to its end.
    ///
    /// - Parameters:
    ///   - reader: where the file is to begin, at the host's sample rate; nil takes the joined file away again.
    ///   - endSeconds: as of `setEnd(atSeconds:ofFile:)`.
    /// - Returns: the number that `onNextFile` is called with; nil where the file has other channels, or where the player
    ///   has ended.
    @discardableResult
    package func setNext(_ reader: sending AudioFileReader?, endSeconds: Double? = nil) -> UInt64? {
        if let info = reader?.info, !core.source.files.canJoin(info) { return nil }
        let (id, seekSeconds) = core.setNext(reader, endSeconds: endSeconds)
        if let seekSeconds { core.streams.seek(toSeconds: seekSeconds) }
        return id
    }

    /// Ends a file before its own end; where it is further already, it ends at once.
    ///
    /// What was fed beyond the end is fed again, which is a fade of 5 ms.
    ///
    /// - Parameters:
    ///   - seconds: into the file; nil: its own end.
    ///   - file: the number that `setNext` returned, or 0 for the first one; nothing happens where it has ended.
    package func setEnd(atSeconds seconds: Double?, ofFile file: UInt64) {
        if let seekSeconds = core.setEnd(atSeconds: seconds, ofFile: file) {
            core.streams.seek(toSeconds: seekSeconds)
        }
    }

    /// `onTime` is called soon, if it plays.
    package func wakeClock() { core.reading.wake() }

    /// Clamped to the file's length.
    package func seek(toSeconds seconds: Double) { core.streams.seek(toSeconds: seconds) }

    /// Fades out, waits for the fade to be heard (at most 0.3 s), and frees everything.
    ///
    /// Idempotent.
    package func close() {
        core.streams.close()
        core.reading.end()
    }

    // MARK: The player of a queue, session thread

    /// Any thread.
    package var transport: TransportStatus { core.streams.status }

    /// - Parameter answer: called once, on the session thread: why it does not play, or nil.
    package func play(_ context: inout SessionRuntime.SessionThread, _ answer: @escaping SessionRuntime.Answer) {
        if let refusal = core.refusal { return answer(refusal) }
        core.streams.play(.output, &context, answer)
    }

    package func pause(_ context: inout SessionRuntime.SessionThread) { core.streams.pause(.output, &context) }

    package func goTo(seconds: Double) { core.streams.goTo(seconds: seconds) }

    /// As `setEnd(atSeconds:ofFile:)`.
    package func moveEnd(toSeconds seconds: Double?, ofFile file: UInt64) {
        if let seekSeconds = core.setEnd(atSeconds: seconds, ofFile: file) { goTo(seconds: seekSeconds) }
    }

    /// As `setNext(nil)`.
    package func takeNextAway() {
        if let seekSeconds = core.setNext(nil, endSeconds: nil).seekSeconds { goTo(seconds: seekSeconds) }
    }

    /// Begins the fade of `close`.
    package func beginClose() { core.streams.apply(.closeRequested) }
}
