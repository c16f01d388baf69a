import AudioFiles
import OpenAVFAudio

/// Plays files one after another and tells the story to a display.
///
/// Main thread; it never waits.
final class PlayRunner {
    /// What reaches a run from outside.
    enum Input: Sendable {
        /// A change of the player for the file with this index.
        case player(Int, FilePlayer.Status, time: Double)
        case studio(StudioEvent, time: Double)
        case key(Key)
        case signal(Signals.Event)
    }

    private static let seekSeconds = 5.0
    private static let volumeStep: Float = 0.05

    private let studio: any Studio
    private let plan: PlayPlan
    private let display: any Display
    private let stopwatch: Stopwatch
    private let deliver: @Sendable (Input) -> Void

    private var index = -1
    private var player: (any Player)?
    private var volume: Float
    private var isHeld = false

    /// The last file has ended, or someone wants to leave.
    private(set) var isDone = false
    /// A file could not be played to its end.
    private(set) var hasFailed = false

    /// - Parameter deliver: called on other threads; brings the input to `handle` on the main thread.
    init(
        studio: any Studio, plan: PlayPlan, display: any Display, stopwatch: Stopwatch,
        deliver: @escaping @Sendable (Input) -> Void
    ) {
        self.studio = studio
        self.plan = plan
        self.display = display
        self.stopwatch = stopwatch
        self.deliver = deliver
        volume = plan.volume
    }

    func begin() {
        studio.observe { [stopwatch, deliver] event in deliver(.studio(event, time: stopwatch.seconds)) }
        let start = Event.Start(
            version: Version.current, host: studio.hostName, clock: stopwatch.zero, files: plan.files,
            currentRoute: studio.currentRoute)
        display.show(Event(time: 0, fact: .started(start)))
        playNext()
    }

    func handle(_ input: Input) {
        guard !isDone else { return }
        switch input {
        case .player(let index, let status, let time): if index == self.index { follow(status, time: time) }
        case .studio(let event, let time): display.show(Event(time: time, fact: event.fact))
        case .key(let key): press(key)
        case .signal(.leave): isDone = true
        case .signal(.resize), .signal(.stop), .signal(.continue): break
        }
        if display.isClosed { isDone = true }
    }

    /// What a moving display shows now; nil between files.
    var nowPlaying: NowPlaying? {
        guard let player else { return nil }
        let (info, status) = (player.info, player.status)
        return NowPlaying(
            title: Self.title(info), place: plan.files.count > 1 ? "\(index + 1) of \(plan.files.count)" : nil,
            state: status.state, position: status.position, duration: info.duration, volume: volume,
            route: studio.currentRoute, isSimulated: studio.phone != nil)
    }

    /// Pauses for as long as the process is stopped; `release` takes it back.
    func hold() {
        guard player?.status.state == .playing else { return }
        isHeld = true
        player?.pause()
    }

    func release() {
        guard isHeld else { return }
        isHeld = false
        play()
    }

    /// Fades out and frees the player.
    ///
    /// Waits for the fade.
    func close() {
        isDone = true
        player?.close()
        player = nil
    }

    private func playNext() {
        player?.close()
        player = nil
        while index + 1 < plan.files.count {
            index += 1
            do throws(StudioError) {
                let player = try studio.makePlayer(path: plan.files[index], policy: plan.policy, volume: volume) {
                    [index, stopwatch, deliver] status in
                    deliver(.player(index, status, time: stopwatch.seconds))
                }
                self.player = player
                if play() { return }
                player.close()
                self.player = nil
            } catch {
                report(error)
            }
        }
        isDone = true
    }

    private func follow(_ status: FilePlayer.Status, time: Double) {
        if status.state == .ready { return }
        let file = plan.files[index]
        display.show(
            Event(time: time, fact: .player(status.state, status.cause, position: status.position, file: file)))
        switch status.state {
        case .ready, .playing, .paused: break
        case .finished: playNext()
        case .failed:
            report(StudioError(code: "playbackFailed", message: status.message ?? "\(file) could not be played on."))
            playNext()
        }
    }

    private func press(_ key: Key) {
        guard let player else { return }
        switch key {
        case .character("q"), .character("Q"): isDone = true
        case .character(" "): if player.status.state == .playing { player.pause() } else { play() }
        case .character("u"): studio.phone?.unplugHeadphones()
        case .character("p"): studio.phone?.plugHeadphones()
        case .left: player.seek(toSeconds: max(0, player.status.position - Self.seekSeconds))
        case .right: player.seek(toSeconds: player.status.position + Self.seekSeconds)
        case .up: setVolume(volume + Self.volumeStep)
        case .down: setVolume(volume - Self.volumeStep)
        case .character: break
        }
    }

    private func setVolume(_ wanted: Float) {
        volume = min(max(wanted, 0), 1)
        player?.volume = volume
    }

    /// False, and the reason is shown, when the session refuses.
    @discardableResult
    private func play() -> Bool {
        do {
            try player?.play()
            return true
        } catch {
            report(StudioError(code: "\(error.code)", message: error.message))
            return false
        }
    }

    private func report(_ error: StudioError) {
        hasFailed = true
        let file = plan.files.indices.contains(index) ? plan.files[index] : nil
        display.show(
            Event(time: stopwatch.seconds, fact: .error(code: error.code, message: error.message, file: file)))
    }

    private static func title(_ info: AudioFileInfo) -> String {
        guard let title = info.title, !title.isEmpty else {
            return info.path.split(separator: "/").last.map(String.init) ?? info.path
        }
        return info.artist.map { "\(title), \($0)" } ?? title
    }
}

extension StudioEvent {
    var fact: Event.Fact {
        switch self {
        case .routeChanged(let reason, let previous, let current):
            .routeChange(reason: reason, previous: previous, current: current)
        case .availableInputsChanged(let inputs): .availableInputsChange(inputs)
        }
    }
}
