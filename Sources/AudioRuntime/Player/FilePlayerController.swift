import AudioFiles
import AudioModel
import CRealtime
import EngineCore
import HostInterface
import SessionCore
import Synchronization

/// The part of a file player that the session and the reader thread hold on to.
///
/// Its state changes on the session thread only, whoever asked. Where time is real a thread of its own reads ahead;
/// where time is virtual the host calls `pump` before each cycle.
final class FilePlayerController: StreamOwner, Sendable {
    let source: FileSource
    private var feed: SourceFeed { source.player.source }
    let volume: VolumeControl
    let meter: LevelMeter
    private let id: StreamID
    private let runtime: SessionRuntime
    /// The session's choice of an output holds for it: it is bound to none of its own.
    private let followsChoice: Bool
    private let onChange: @Sendable (FilePlayer.Status) -> Void
    private let onChannelMapReset: @Sendable (ChannelMapReset) -> Void
    private let shared: Mutex<Shared>
    private let reading = ReaderThread()

    /// While there is something to notice: short enough that people take it for the same instant.
    private static let alertSeconds = 0.01
    /// While there is not: well below the read-ahead, below what a meter's tap keeps, and seldom enough to let a processor
    /// sleep.
    private static let restfulSeconds = 0.25

    private struct Shared {
        var state = FilePlayer.State.ready
        var cause = FilePlayer.Cause.user
        var message: String?
        var errorCode: SessionError.Code?
        var playWhenReady = false
        var suppression: Suppression?
        /// When it is to begin; nil: at once.
        var startTime: HostTime?
        /// Counts seeks; an end that came before the last of them is out of date.
        var seekGeneration: UInt64 = 0
        var stream: (any HostStream)?
        var outputs: FileOutputs
        /// A fade is under way whose end must be noticed.
        var isFading = false
        /// Raised by the next fade that has come to its end.
        var fadeWaiter: Latch?

        var isPlaying: Bool { state == .playing }
    }

    init(
        reader: sending AudioFileReader, id: StreamID, runtime: SessionRuntime, followsChoice: Bool,
        onChange: @escaping @Sendable (FilePlayer.Status) -> Void,
        onChannelMapReset: @escaping @Sendable (ChannelMapReset) -> Void
    ) {
        self.id = id
        self.runtime = runtime
        self.followsChoice = followsChoice
        self.onChange = onChange
        self.onChannelMapReset = onChannelMapReset
        source = FileSource(reader)
        volume = VolumeControl(source: source.player.source, host: runtime.host)
        meter = LevelMeter(mixer: source.mixer, channels: source.info.channels.count)
        shared = Mutex(Shared(outputs: FileOutputs(source.info)))
    }

    // MARK: Any thread

    var status: FilePlayer.Status {
        let position = source.positionSeconds
        return shared.withLock {
            .init(
                state: $0.state, cause: $0.cause, position: position, message: $0.message, errorCode: $0.errorCode,
                playWhenReady: $0.playWhenReady, suppression: $0.suppression)
        }
    }

    func setVolume(_ volume: Float, overSeconds seconds: Double = 0) {
        self.volume.setVolume(volume, overSeconds: seconds)
        reading.wake()
    }

    func setRate(_ rate: Float?) {
        source.rate = rate
        reading.wake()
    }

    /// The peak of each channel of each output since the last call, linear, by the output's uid.
    func takeLevels() -> [String: [Float]] {
        let outputs = shared.withLock { $0.outputs }
        return outputs.byPort(source.engine.takeLevels(outputChannels: outputs.ports.channelCount))
    }

    /// Why this player will never play again; nil while it may.
    var refusal: SessionError? {
        shared.withLock { shared in
            let name = "\"\(source.info.path.printable)\""
            if shared.state == .failed {
                return SessionError(
                    .cannotStartPlaying,
                    "The player of \(name) has failed: \(shared.message ?? "no reason was given.") Make a new player.")
            }
            if shared.stream == nil {
                return SessionError(
                    .cannotStartPlaying, "The player of \(name) is closed; make a new player to play it again.")
            }
            return nil
        }
    }

    // MARK: Session thread

    func attach(_ stream: any HostStream) { shared.withLock { $0.stream = stream } }

    /// The user wants it to play; `start` or `suppress` follows where it does not yet.
    ///
    /// - Parameter time: from when it is to sound; nil: at once.
    func noteRequest(toPlayAt time: HostTime?) {
        let isPlaying = shared.withLock {
            $0.startTime = time
            return $0.isPlaying
        }
        // What plays fades out before it waits, and no more may be left of it.
        let isToWait = isPlaying && time.map { $0 > runtime.host.now() } == true
        if isOver(in: isToWait ? source.engine.rampFrames : 0) {
            source.restartLoops()
            go(toSeconds: 0)
        }
        if isPlaying { playFromStartTime() }
    }

    /// Whether nothing is left to play after so many frames, also before the end has been handled.
    private func isOver(in frames: Int = 0) -> Bool {
        shared.withLock { $0.state } == .finished || source.player.isPlayedOut(in: frames)
    }

    /// A time that is past is as good as now: so it is after an obstacle to a start.
    private func playFromStartTime() {
        if let time = shared.withLock({ $0.startTime }) { feed.play(at: time) } else { feed.play() }
    }

    func start() {
        let (state, stream) = shared.withLock { ($0.state, $0.stream) }
        guard let stream, state != .playing, state != .failed else { return }
        feed.drainFrames = stream.latencyFrames
        // Playing withdraws a fade that is under way.
        shared.withLock { $0.isFading = false }
        // First of all: a reader thread goes to sleep if nothing plays.
        change(to: .playing, .user, playWhenReady: true)
        // Nobody has moved it while nothing was read.
        volume.slide()
        startReading()
        playFromStartTime()
        stream.start()
    }

    func pause(_ cause: PauseCause) {
        let (state, wasMeant) = shared.withLock { ($0.state, $0.playWhenReady) }
        switch cause {
        // Also a player that is paused already: the end of its fade would sound on the next port.
        case .oldDeviceUnavailable, .newDeviceAvailable, .noSuitableRoute: cut()
        case .user, .interruption, .deactivation, .refusal: fade()
        }
        let isNews =
            switch cause {
            case .oldDeviceUnavailable, .newDeviceAvailable, .noSuitableRoute, .user, .deactivation:
                state == .playing || wasMeant
            // An interruption is news for a paused player too: what its user wants next will not sound.
            case .interruption: state == .playing || state == .paused
            case .refusal: state == .playing || state == .paused || state == .ready
            }
        if isNews { change(to: .paused, .init(cause)) }
    }

    func suppress(_ suppression: Suppression) {
        let (state, old) = shared.withLock { ($0.state, $0.suppression) }
        guard state != .failed, old != suppression else { return }
        switch suppression {
        case .interruption:
            fade()
        // A fade that is not heard now would be heard on the next port.
        case .noSuitableRoute:
            cut()
        }
        change(to: .paused, .init(suppression), playWhenReady: true, suppression: suppression)
    }

    func setGain(_ gain: Float) { volume.setGain(gain) }

    func fail(_ error: SessionError) {
        guard shared.withLock({ $0.state }) != .failed else { return }
        cut()
        change(to: .failed, .error, error.message, error.code)
    }

    func seek(toSeconds seconds: Double) {
        guard shared.withLock({ $0.state }) != .failed else { return }
        if isOver() { source.restartLoops() }
        go(toSeconds: seconds)
        if shared.withLock({ $0.state }) == .finished { change(to: .paused, .user) }
    }

    /// The reader thread does the seeking.
    private func go(toSeconds seconds: Double) {
        let generation = shared.withLock { shared in
            shared.seekGeneration += 1
            return shared.seekGeneration
        }
        source.seek(toSeconds: seconds, generation: generation)
        reading.wake()
    }

    private func fade() {
        let isSounding = shared.withLock { shared in
            if shared.isPlaying { shared.isFading = true }
            return shared.isPlaying
        }
        guard isSounding else { return }
        feed.pause()
        reading.wake()
    }

    /// Not one frame more; a fade that is under way ends here.
    private func cut() {
        feed.pauseAtOnce()
        let stream = shared.withLock { shared in
            shared.isFading = false
            return shared.stream
        }
        stream?.stop()
    }

    private func stopUnlessPlaying() {
        let (isPlaying, stream) = shared.withLock { ($0.isPlaying, $0.stream) }
        if !isPlaying { stream?.stop() }
    }

    /// False where the end is out of date.
    ///
    /// - Parameter generation: of the last seek that had been carried out when it came.
    private func finish(afterSeek generation: UInt64) -> Bool {
        // Another may have been asked for since then.
        guard shared.withLock({ $0.isPlaying && $0.seekGeneration == generation }) else { return false }
        cut()
        if let failure = source.player.failure {
            change(to: .failed, .error, failure.message)
        } else {
            change(to: .finished, .endOfFile)
        }
        return true
    }

    private func change(
        to state: FilePlayer.State, _ cause: FilePlayer.Cause, _ message: String? = nil,
        _ errorCode: SessionError.Code? = nil, playWhenReady: Bool = false, suppression: Suppression? = nil
    ) {
        shared.withLock {
            $0.state = state
            $0.cause = cause
            $0.message = message
            $0.errorCode = errorCode
            $0.playWhenReady = playWhenReady
            $0.suppression = suppression
        }
        let status = status
        runtime.notices.enqueue { [onChange] in onChange(status) }
    }

    // MARK: Outputs, session thread

    func willLink(to ports: [AudioModel.Port]) {
        let reset = shared.withLock { $0.outputs.link(to: ports) }
        updateChannelTarget()
        spread()
        if let reset { runtime.notices.enqueue { [onChannelMapReset] in onChannelMapReset(reset) } }
    }

    func eventApplied(isInventory: Bool) {
        if updateChannelTarget() { spread() }
    }

    /// The session's choice of an output moves the stream itself, except under `multiRoute`.
    ///
    /// - Returns: whether it is another now.
    @discardableResult
    private func updateChannelTarget() -> Bool {
        guard followsChoice else { return false }
        let state = runtime.state
        let target = state.chosenOutput == nil ? nil : state.channelTarget
        return shared.withLock { $0.outputs.choose(target) }
    }

    /// - Parameter map: nil is the default.
    /// - Throws: `badParam` where it does not fit the file and what the stream is linked to; the map stays what it was.
    func setChannelMap(_ map: [Int]?) throws(SessionError) {
        if let map { try shared.withLock { $0.outputs }.check(map) }
        setChannelRouting(map.map { .map($0) })
    }

    /// - Parameter routing: nil is the default; a map fits what the stream is linked to.
    func setChannelRouting(_ routing: ChannelRouting?) {
        shared.withLock { $0.outputs.set(routing) }
        spread()
    }

    private func spread() {
        let outputs = shared.withLock { $0.outputs }
        source.mixer.setOutputs(outputs.ports, map: outputs.map)
    }

    // MARK: Reader thread, or the thread that advances virtual time

    /// Reads ahead and handles what the renderer reported; returns after how many seconds that is due again.
    @discardableResult
    func pump() -> Double {
        let restFrames = source.player.feed()
        meter.measure()
        for event in source.engine.takeEvents() where feed.isCurrent(event) {
            switch event.kind {
            case .fadeFinished:
                let waiter = shared.withLock {
                    $0.isFading = false
                    return $0.fadeWaiter
                }
                waiter?.raise()
                runtime.asynchronously { [weak self] _ in self?.stopUnlessPlaying() }
            case .drained:
                let generation = source.player.seekGeneration
                // In one step, so that no request comes between the end and the session's knowing of it.
                runtime.asynchronously(applying: { [weak self, id] in
                    self?.finish(afterSeek: generation) == true ? .playerStopped(id) : nil
                })
            case .sourceEnded, .underrunBegan, .underrunEnded, .discontinuity:
                break
            }
        }
        if volume.slide() || shared.withLock({ $0.isFading }) { return Self.alertSeconds }
        return min(max(Double(restFrames) / source.sampleRate, Self.alertSeconds), Self.restfulSeconds)
    }

    private func startReading() {
        runtime.clock.start(reading) { [weak self] in
            guard let self else { return .ended }
            let seconds = self.pump()
            return self.shared.withLock { $0.isPlaying || $0.isFading } ? .after(seconds) : .whenWoken
        }
    }

    // MARK: Closing

    /// Application thread: fades out and waits until the fade has left the machine, at most 0.3 s.
    func fadeOut() {
        let faded = Latch()
        let stream = shared.withLock { shared -> (any HostStream)? in
            shared.fadeWaiter = faded
            guard shared.isPlaying || shared.isFading else { return nil }
            shared.isFading = true
            return shared.stream
        }
        guard let stream else { return }
        feed.pause()
        reading.wake()
        runtime.clock.waitForFade(faded, latencySeconds: Double(stream.latencyFrames) / source.sampleRate)
    }

    /// Leaves the stream to be closed by its owner; from now on nothing plays.
    ///
    /// Session thread, so that no `start` is on its way with the stream; any thread once there is no session thread.
    func detach() {
        shared.withLock { shared in
            shared.stream = nil
            shared.isFading = false
            shared.playWhenReady = false
            shared.suppression = nil
            if shared.isPlaying { (shared.state, shared.cause) = (.paused, .user) }
        }
    }

    /// The reader thread ends soon.
    func end() {
        detach()
        reading.end()
    }
}
