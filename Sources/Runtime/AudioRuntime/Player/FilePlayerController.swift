import AudioFiles
package import AudioModel
import EngineCore
import SessionCore
package import SessionRuntime
import Synchronization
package import TransportCore

/// The source of a file player and the thread that reads ahead; its `StreamController` decides when it sounds.
///
/// Apart from `FilePlayer`, whose release ends the sound and waits for that: the session thread holds this object while it
/// calls it, must not wait, and may be the last to let go of it.
///
/// In real time a thread of its own reads ahead; in virtual time the host calls `pump` before each cycle.
package final class FilePlayerController: TransportMedia, Sendable {
    package let streams: StreamController
    package let source: FileSource
    let volume: VolumeControl
    let meter: LevelMeter
    private let runtime: SessionRuntime
    /// The session's choice of an output holds for it: it is bound to none of its own.
    private let followsChoice: Bool
    private let outputs: Mutex<FileOutputs>
    private let onChange: @Sendable (FilePlayer.Status) -> Void
    private let onChannelMapReset: @Sendable (ChannelMapReset) -> Void
    private let onTime: @Sendable (Double) -> Double
    /// To be woken for a new volume, rate or file.
    package let reading = ReaderThread()
    /// What was reported last.
    private let wasWaiting = Mutex(false)

    /// While there is something to notice: short enough that people take it for the same instant.
    private static let alertSeconds = 0.01
    /// While there is not: well below the read-ahead, below what a meter's tap keeps, and seldom enough to let a processor
    /// sleep.
    private static let restfulSeconds = 0.25

    init(
        _ item: any PlayedItem, _ info: AudioFileInfo, runtime: SessionRuntime, followsChoice: Bool,
        onChange: @escaping @Sendable (FilePlayer.Status) -> Void,
        onChannelMapReset: @escaping @Sendable (ChannelMapReset) -> Void,
        onTime: @escaping @Sendable (Double) -> Double
    ) {
        self.runtime = runtime
        self.followsChoice = followsChoice
        self.onChange = onChange
        self.onChannelMapReset = onChannelMapReset
        self.onTime = onTime
        source = FileSource(item, info)
        volume = VolumeControl(source: source.player.source, host: runtime.host)
        meter = LevelMeter(mixer: source.mixer, channels: source.channels.count)
        outputs = Mutex(FileOutputs(source.info))
        streams = StreamController(.player) { runtime }
        streams.bind(to: self)
    }

    private var feed: SourceFeed { source.player.source }

    // MARK: Any thread

    func status(_ transport: TransportStatus) -> FilePlayer.Status {
        FilePlayer.Status(
            transport: transport, position: source.positionSeconds,
            isWaiting: transport.state == .playing && source.player.isWaiting)
    }

    /// Why this player will never play again; nil while it may.
    var refusal: SessionError? {
        let name = "\"\(source.info.path.printable)\""
        if case .failed(let failure) = streams.transport {
            return SessionError(
                .cannotStartPlaying, "The player of \(name) has failed: \(failure.message) Make a new player.")
        }
        guard streams.openStreams.isEmpty else { return nil }
        return SessionError(
            .cannotStartPlaying, "The player of \(name) is closed; make a new player to play it again.")
    }

    /// - Returns: where to seek to, so that what was fed beyond the end is not heard.
    func setEnd(atSeconds seconds: Double?, ofFile file: UInt64) -> Double? {
        let position = source.positionSeconds
        return source.item.setEnd(source.frame(seconds: seconds), of: file) ? position : nil
    }

    package func takePeaks() -> (ports: [AudioModel.Port], peaks: [Float]) {
        let ports = outputs.withLock { $0.ports }
        return (ports, source.engine.takeLevels(outputChannels: ports.channelCount))
    }

    // MARK: Reader thread, or the thread that advances virtual time

    /// Reads ahead and handles what has been rendered; returns after how many seconds that is due again.
    @discardableResult
    func pump() -> Double {
        let restFrames = source.player.feed()
        meter.measure()
        reportWaiting()
        // Before the end is reported: a short file may begin and end between two calls.
        source.item.enter(frame: source.player.itemFrame)
        source.engine.reclaim()
        // First: a pause may have come at the end.
        if feed.takeDrain() {
            let end = source.player.failure.map { SourceEnd.failed($0.message) } ?? .complete
            streams.sourceEnded(end, generation: source.player.seekGeneration)
        }
        if feed.takeFadeEnd() { streams.fadeEnded() }
        let timeSeconds = min(onTime(source.positionSeconds), source.secondsToNextFile / Double(source.rate ?? 1))
        if volume.slide() || streams.isFading { return Self.alertSeconds }
        return min(
            max(min(Double(restFrames) / source.sampleRate, timeSeconds), Self.alertSeconds), Self.restfulSeconds)
    }

    /// A sound from a server ran dry, or goes on.
    private func reportWaiting() {
        let status = streams.status
        let isWaiting = self.status(status).isWaiting
        let isNew = wasWaiting.withLock { wasWaiting in
            defer { wasWaiting = isWaiting }
            return isWaiting != wasWaiting
        }
        if isNew { report(status) }
    }

    // MARK: TransportMedia

    package func startFeeding() {
        feed.drainFrames = streams.latencyFrames(.output)
        // The volume stood while nothing was read.
        volume.slide()
        runtime.clock.start(reading) { [weak self] in
            guard let self else { return .ended }
            let seconds = self.pump()
            return self.streams.needsFeeding ? .after(seconds) : .whenWoken
        }
    }

    package func playSource(at time: HostTime?) {
        if let time { feed.play(at: time) } else { feed.play() }
    }

    package func beginFade() {
        feed.pause()
        reading.wake()
    }

    package func cut() {
        feed.pauseAtOnce()
        // The file that follows may have begun in the last frames.
        runtime.clock.catchUp(reading) { source.item.enter(frame: source.player.itemFrame) }
    }

    package func restartLoops() { source.restartLoops() }

    /// The reader thread does the seeking.
    package func seek(toSeconds seconds: Double, generation: UInt64) {
        source.seek(toSeconds: seconds, generation: generation)
        reading.wake()
    }

    package var remainder: SourceRemainder {
        if source.player.isPlayedOut() { return .nothing }
        return source.player.isPlayedOut(in: source.engine.rampFrames) ? .lessThanFade : .more
    }

    package func setGain(_ gain: Float) { volume.setGain(gain) }

    package func report(_ status: TransportStatus) {
        let status = self.status(status)
        runtime.notices.enqueue { [onChange] in onChange(status) }
    }

    // MARK: Outputs, session thread

    package func willLink(_ direction: PortDirection, to ports: [AudioModel.Port]) {
        let reset = outputs.withLock { $0.link(to: ports) }
        updateChannelTarget()
        spread()
        if let reset { runtime.notices.enqueue { [onChannelMapReset] in onChannelMapReset(reset) } }
    }

    package func sessionEventApplied() {
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
        return outputs.withLock { $0.choose(target) }
    }

    /// - Parameter makeRouting: nil is the default; a map fits what the stream is linked to.
    /// - Throws: what `makeRouting` throws; the routing stays what it was.
    package func setChannelRouting(
        _ makeRouting: (FileOutputs) throws(SessionError) -> ChannelRouting?
    ) throws(SessionError) {
        setChannelRouting(try makeRouting(outputs.withLock { $0 }))
    }

    /// - Parameter routing: nil is the default; a map fits what the stream is linked to.
    func setChannelRouting(_ routing: ChannelRouting?) {
        outputs.withLock { $0.routing = routing }
        spread()
    }

    private func spread() {
        let outputs = outputs.withLock { $0 }
        source.mixer.setOutputs(outputs.ports, map: outputs.map)
    }
}
