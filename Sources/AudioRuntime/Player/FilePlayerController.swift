import AudioFiles
import AudioModel
import CRealtime
import EngineCore
import Foundation
import HostInterface
import SessionCore
import Synchronization

/// The part of a file player that the session and the reader thread hold on to.
///
/// Its state changes on the session thread only, whoever asked. Where time is real a thread of its own reads ahead;
/// where time is virtual the host calls `pump` before each cycle.
final class FilePlayerController: StreamOwner, Sendable {
    static let maximumFrames = 8192
    /// At 48 kHz these frames just fit into a lane of 2^16; 2 s would take one of 2^17, 0.5 MB more for a stereo file.
    private static let readAheadSeconds = 1.3

    let info: AudioFileInfo
    let id: StreamID
    let playback: Playback
    let readAhead: FileReadAhead
    let runtime: SessionRuntime
    let sampleRate: Double
    /// The session's choice of an output holds for it: it is bound to none of its own.
    let followsChoice: Bool
    private let onChange: @Sendable (FilePlayer.Status) -> Void
    let onChannelMapReset: @Sendable (ChannelMapReset) -> Void
    let shared = Mutex(Shared())
    let reading = ReaderThread()
    let metering = Mutex<Metering?>(nil)

    struct Shared {
        var state = FilePlayer.State.ready
        var cause = FilePlayer.Cause.user
        var message: String?
        var errorCode: SessionError.Code?
        var playWhenReady = false
        var suppression: Suppression?
        /// While there is a slide: what the renderer was told last.
        var volume: Float = 1
        /// Where the volume is going.
        var slide: VolumeSlide?
        var repetitions = 0
        /// When it is to begin; nil: at once.
        var startTime: HostTime?
        /// What other sessions leave of the volume.
        var gain: Float = 1
        var stream: (any HostStream)?
        var outputs = Outputs()
        /// A fade is under way whose end must be noticed.
        var isFading = false
        /// Raised by the next fade that has come to its end.
        var fadeWaiter: Latch?

        var isPlaying: Bool { state == .playing }

        func volume(at time: HostTime) -> Float { slide?.volume(at: time) ?? volume }
    }

    init(
        reader: sending AudioFileReader, id: StreamID, runtime: SessionRuntime, followsChoice: Bool,
        onChange: @escaping @Sendable (FilePlayer.Status) -> Void,
        onChannelMapReset: @escaping @Sendable (ChannelMapReset) -> Void
    ) {
        info = reader.info
        sampleRate = reader.outputSampleRate
        self.id = id
        self.runtime = runtime
        self.followsChoice = followsChoice
        self.onChange = onChange
        self.onChannelMapReset = onChannelMapReset
        playback = Playback(
            sampleRate: reader.outputSampleRate, maximumFrames: Self.maximumFrames,
            sourceChannels: reader.info.channels,
            readAheadSeconds: Self.readAheadSeconds)
        readAhead = FileReadAhead(reader: reader, playback: playback)
    }

    var renderer: oav_renderer { playback.renderer }

    // MARK: Any thread

    var status: FilePlayer.Status {
        let position = positionSeconds
        return shared.withLock {
            .init(
                state: $0.state, cause: $0.cause, position: position, message: $0.message, errorCode: $0.errorCode,
                playWhenReady: $0.playWhenReady, suppression: $0.suppression)
        }
    }

    var volume: Float {
        let now = runtime.host.now()
        return shared.withLock { $0.volume(at: now) }
    }

    func setVolume(_ volume: Float, overSeconds seconds: Double = 0) {
        let clamped = volume.isFinite ? min(max(volume, 0), 1) : 0
        let now = runtime.host.now()
        changeLevels {
            let from = $0.volume(at: now)
            $0.slide = seconds > 0 ? VolumeSlide(from: from, to: clamped, begin: now, seconds: seconds) : nil
            $0.volume = $0.slide == nil ? clamped : from
        }
        reading.wake()
    }

    /// Whether the volume is on its way.
    @discardableResult
    func slideVolume() -> Bool {
        guard shared.withLock({ $0.slide != nil }) else { return false }
        let now = runtime.host.now()
        changeLevels { shared in
            shared.volume = shared.volume(at: now)
            if shared.slide?.isOver(at: now) == true { shared.slide = nil }
        }
        return true
    }

    var pan: Float { playback.pan }

    func setPan(_ pan: Float) { playback.pan = pan }

    var repetitions: Int { shared.withLock { $0.repetitions } }

    func setRepetitions(_ count: Int) {
        shared.withLock { $0.repetitions = count }
        readAhead.repeatAtEnd(times: count)
    }

    /// Published under the lock, or an older product could overtake a newer one.
    private func changeLevels(_ body: (inout Shared) -> Void) {
        shared.withLock {
            body(&$0)
            playback.setVolume($0.volume * $0.gain)
        }
    }

    private var positionSeconds: Double {
        min(Double(readAhead.seekTarget ?? readAhead.fileFrame) / sampleRate, longestSeconds)
    }

    /// The file's length in seconds; far away where the file does not say.
    private var longestSeconds: Double { info.frameCount > 0 ? info.duration : 0x1p40 }

    /// Why this player will never play again; nil while it may.
    var refusal: SessionError? {
        shared.withLock { shared in
            let name = "\"\(info.path.printable)\""
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

    func attach(_ stream: any HostStream) {
        shared.withLock { $0.stream = stream }
    }

    func start() {
        let (state, stream) = shared.withLock { ($0.state, $0.stream) }
        guard let stream, state != .playing, state != .failed else { return }
        playback.drainFrames = stream.latencyFrames
        // Playing withdraws a fade that is under way.
        shared.withLock { $0.isFading = false }
        // First of all: a reader thread that finds nobody playing goes to sleep.
        change(to: .playing, .user, playWhenReady: true)
        // Nobody has moved it while nothing was read.
        slideVolume()
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
        // A fade that nobody hears would be heard on the next port.
        case .noSuitableRoute:
            cut()
        }
        change(to: .paused, .init(suppression), playWhenReady: true, suppression: suppression)
    }

    func setGain(_ gain: Float) {
        changeLevels { $0.gain = gain }
    }

    func fail(_ error: SessionError) {
        guard shared.withLock({ $0.state }) != .failed else { return }
        cut()
        change(to: .failed, .error, error.message, error.code)
    }

    func seek(toSeconds seconds: Double) {
        guard shared.withLock({ $0.state }) != .failed else { return }
        if isOver() { readAhead.repeatAtEnd(times: repetitions) }
        rewind(toSeconds: seconds.isNaN ? 0 : min(max(seconds, 0), longestSeconds))
        if shared.withLock({ $0.state }) == .finished { change(to: .paused, .user) }
    }

    /// The reader thread does the seeking.
    func rewind(toSeconds seconds: Double) {
        readAhead.seek(toFrame: Int64(nearest: seconds * sampleRate))
        reading.wake()
    }

    private func fade() {
        let isSounding = shared.withLock { shared in
            if shared.isPlaying { shared.isFading = true }
            return shared.isPlaying
        }
        guard isSounding else { return }
        playback.pause()
        reading.wake()
    }

    /// Not one frame more; a fade that is under way ends here.
    private func cut() {
        playback.pauseAtOnce()
        let stream = shared.withLock { shared in
            shared.isFading = false
            return shared.stream
        }
        stream?.stop()
    }

    func stopUnlessPlaying() {
        let (isPlaying, stream) = shared.withLock { ($0.isPlaying, $0.stream) }
        if !isPlaying { stream?.stop() }
    }

    /// False where the end is out of date.
    ///
    /// - Parameter seeks: how many had been carried out when it came.
    func finish(afterSeeks seeks: Int) -> Bool {
        // Another may have been asked for since then, and may have been carried out.
        guard shared.withLock({ $0.isPlaying }), readAhead.seekTarget == nil, readAhead.seeks == seeks else {
            return false
        }
        cut()
        // The reader has come to its end and holds the lock for a moment only.
        if let error = readAhead.error {
            change(to: .failed, .error, error.message)
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
}
