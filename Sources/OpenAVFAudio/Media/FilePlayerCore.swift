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
final class FilePlayerCore: StreamOwner, Sendable {
    static let maximumFrames = 8192
    private static let chunkFrames = 4096
    private static let readAheadSeconds = 2.0
    /// Well below the read-ahead, and short enough that the end of a fade is noticed in the same instant by people.
    private static let pumpIntervalSeconds = 0.01

    let info: AudioFileInfo
    private let playback: Playback
    private let process: AudioProcess
    private let sampleRate: Double
    private let onChange: @Sendable (FilePlayer.Status) -> Void
    private let source: Mutex<Source>
    private let shared = Mutex(Shared())
    private let reading = ReaderThread()

    /// Guarded by its mutex: the reader thread, a seek, and a virtual cycle take turns.
    private struct Source: ~Copyable {
        var reader: AudioFileReader
        var scratch: [Float]
        var isAtEnd = false
        var error: AudioFileError?

        /// Reads a chunk; 0 at the end, and on an error, which is kept.
        mutating func read() -> Int {
            do throws(AudioFileError) {
                return try scratch.withUnsafeMutableBufferPointer { buffer throws(AudioFileError) in
                    try reader.read(into: buffer)
                }
            } catch {
                self.error = error
                return 0
            }
        }
    }

    private struct Shared {
        var state = FilePlayer.State.ready
        var cause = FilePlayer.Cause.user
        var message: String?
        var volume: Float = 1
        var stream: (any HostStream)?
        /// Where to go, at the output rate; nil once the reader has gone there.
        var seekFrame: Int64?
        /// A fade is under way whose end must be noticed.
        var isFading = false
        /// Raised by the next fade that has come to its end.
        var fadeWaiter: Signal?
    }

    init(
        reader: sending AudioFileReader, process: AudioProcess,
        onChange: @escaping @Sendable (FilePlayer.Status) -> Void
    ) {
        info = reader.info
        sampleRate = reader.outputSampleRate
        self.process = process
        self.onChange = onChange
        playback = Playback(
            sampleRate: reader.outputSampleRate, maximumFrames: Self.maximumFrames,
            sourceChannels: reader.info.channels,
            readAheadSeconds: Self.readAheadSeconds)
        source = Mutex(
            Source(
                reader: reader,
                scratch: [Float](repeating: 0, count: Self.chunkFrames * max(1, reader.info.channels.count))))
    }

    var renderer: oav_renderer { playback.renderer }

    // MARK: Any thread

    var status: FilePlayer.Status {
        let position = positionSeconds
        return shared.withLock { .init(state: $0.state, cause: $0.cause, position: position, message: $0.message) }
    }

    var volume: Float { shared.withLock { $0.volume } }

    func setVolume(_ volume: Float) {
        let clamped = volume.isFinite ? min(max(volume, 0), 1) : 0
        shared.withLock { $0.volume = clamped }
        playback.setVolume(clamped)
    }

    private var positionSeconds: Double {
        let frame = shared.withLock { $0.seekFrame } ?? playback.positionFrames
        return min(Double(frame) / sampleRate, longestSeconds)
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

    /// Reads ahead and handles what the renderer reported.
    ///
    /// The reader thread, or the thread that advances virtual time.
    func pump() {
        source.withLock { source in
            seekIfAsked(&source)
            fill(&source)
        }
        for event in playback.takeEvents() {
            switch event.kind {
            case .fadeFinished:
                let waiter = shared.withLock {
                    $0.isFading = false
                    return $0.fadeWaiter
                }
                waiter?.raise()
                process.asynchronously { [weak self] _ in self?.stopUnlessPlaying() }
            case .drained:
                process.asynchronously { [weak self] _ in self?.finish() }
            case .sourceEnded, .underrunBegan, .underrunEnded, .discontinuity:
                break
            }
        }
    }

    private func seekIfAsked(_ source: inout Source) {
        guard let frame = shared.withLock({ $0.seekFrame }) else { return }
        do throws(AudioFileError) {
            try source.reader.seek(toFrame: frame)
            source.isAtEnd = false
            source.error = nil
            // Where the file's length is not known before, the reader may have met its end on the way.
            playback.flush(toFrame: source.reader.position)
        } catch {
            // What was read before the seek plays to its end; then the player fails with this.
            source.error = error
            source.isAtEnd = true
            playback.markEndOfStream()
        }
        shared.withLock { if $0.seekFrame == frame { $0.seekFrame = nil } }
    }

    private func fill(_ source: inout Source) {
        guard !source.isAtEnd else { return }
        let channels = max(1, info.channels.count)
        // Bounded, so that events are not kept waiting behind a slow disk.
        var budget = 8
        while budget > 0, playback.writableFrames >= Self.chunkFrames {
            budget -= 1
            let frames = source.read()
            if frames == 0 {
                source.isAtEnd = true
                playback.markEndOfStream()
                return
            }
            source.scratch.withUnsafeBufferPointer {
                _ = playback.write(interleaved: UnsafeBufferPointer(rebasing: $0.prefix(frames * channels)))
            }
        }
    }

    // MARK: Session thread

    func attach(_ stream: any HostStream) {
        shared.withLock { $0.stream = stream }
    }

    /// Returns why it cannot be done; nil when it plays.
    func play() -> SessionError? {
        if let refusal { return refusal }
        let state = shared.withLock { $0.state }
        guard state != .playing, let stream = shared.withLock({ $0.stream }) else { return nil }
        if state == .finished { rewind(toSeconds: 0) }
        playback.drainFrames = stream.latencyFrames
        // Playing withdraws a fade that is under way.
        shared.withLock { $0.isFading = false }
        // First of all: a reader thread that finds nobody playing goes to sleep.
        change(to: .playing, .user)
        startReading()
        playback.play()
        stream.start()
        return nil
    }

    func pauseByUser() {
        guard shared.withLock({ $0.state }) == .playing else { return }
        shared.withLock { $0.isFading = true }
        playback.pause()
        change(to: .paused, .user)
    }

    func seek(toSeconds seconds: Double) {
        guard shared.withLock({ $0.state }) != .failed else { return }
        rewind(toSeconds: seconds.isNaN ? 0 : min(max(seconds, 0), longestSeconds))
        if shared.withLock({ $0.state }) == .finished { change(to: .paused, .user) }
    }

    /// The reader thread does the seeking: a damaged file may keep it busy, and the session must not wait for that.
    private func rewind(toSeconds seconds: Double) {
        shared.withLock { $0.seekFrame = Int64((seconds * sampleRate).rounded()) }
        reading.wake()
    }

    func willLink(to ports: [AudioModel.Port]) {
        playback.setOutputChannels(ports.flatMap(\.channels))
    }

    func pause(_ cause: PauseCause) {
        let state = shared.withLock { $0.state }
        // Also a player that is paused already: the end of its fade would sound on the next port.
        cut()
        guard state == .playing else { return }
        switch cause {
        case .oldDeviceUnavailable: change(to: .paused, .oldDeviceUnavailable)
        case .noSuitableRoute: change(to: .paused, .noSuitableRoute)
        case .user, .interruption, .deactivation, .refusal: break
        }
    }

    func start() {}
    func suppress(_ suppression: Suppression) {}
    func setGain(_ gain: Float) {}

    func fail(_ error: SessionError) {
        guard shared.withLock({ $0.state }) != .failed else { return }
        cut()
        change(to: .failed, .error, error.message)
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

    private func stopUnlessPlaying() {
        let (state, stream) = shared.withLock { ($0.state, $0.stream) }
        if state != .playing { stream?.stop() }
    }

    private func finish() {
        // A seek may have come between the last frame and this call.
        let (state, isSeeking) = shared.withLock { ($0.state, $0.seekFrame != nil) }
        guard state == .playing, !isSeeking else { return }
        cut()
        // The reader has come to its end and holds the lock for a moment only.
        if let error = source.withLock({ $0.error }) {
            change(to: .failed, .error, error.message)
        } else {
            change(to: .finished, .endOfFile)
        }
    }

    private func change(to state: FilePlayer.State, _ cause: FilePlayer.Cause, _ message: String? = nil) {
        shared.withLock {
            $0.state = state
            $0.cause = cause
            $0.message = message
        }
        let status = status
        process.poster.enqueue { [onChange] in onChange(status) }
    }

    // MARK: Reader thread

    private func startReading() {
        guard !process.host.hasVirtualTime else { return }
        reading.start(every: Self.pumpIntervalSeconds) { [weak self] in
            guard let self else { return .ended }
            self.pump()
            return self.shared.withLock { $0.state == .playing || $0.isFading } ? .soon : .whenWoken
        }
    }

    // MARK: Closing

    /// Application thread: fades out and waits until the fade has left the machine, at most 0.3 s.
    func fadeOut() {
        let faded = Signal()
        let stream = shared.withLock { shared in
            shared.fadeWaiter = faded
            return shared.state == .playing || shared.isFading ? shared.stream : nil
        }
        guard let stream else { return }
        playback.pause()
        guard !process.host.hasVirtualTime, faded.wait(timeoutSeconds: 0.2) else { return }
        Thread.sleep(forTimeInterval: min(Double(stream.latencyFrames) / sampleRate, 0.1))
    }

    /// Leaves the stream to be closed by its owner; from now on nothing plays.
    ///
    /// Session thread, so that no `play` is on its way with the stream; any thread once there is no session thread.
    func detach() {
        shared.withLock { shared in
            shared.stream = nil
            shared.isFading = false
            if shared.state == .playing { (shared.state, shared.cause) = (.paused, .user) }
        }
    }

    /// The reader thread ends soon.
    func end() {
        detach()
        reading.end()
    }
}
