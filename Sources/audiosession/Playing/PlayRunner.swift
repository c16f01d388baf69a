import AudioFiles
import OpenAVFAudio
import SessionCore

/// Plays files one after another and tells the story to a display.
///
/// The verb's thread; it never waits but for the session.
final class PlayRunner {
    /// What reaches a run from outside.
    enum Input: Sendable {
        /// A change of a player, by the number of its making.
        case player(Int, FilePlayer.Status, time: Double)
        case studio(StudioEvent, time: Double)
        case key(Key)
        case signal(Signals.Event)
    }

    private static let seekSeconds = 5.0
    private static let volumeStep: Float = 0.05

    /// Where a player was when the sound server went away.
    private struct Remains {
        /// Seconds.
        var position: Double
        /// It played, or would have but for an interruption.
        var wasMeantToPlay: Bool
    }

    private let studio: any Studio
    private let plan: PlayPlan
    private let display: any Display
    private let stopwatch: Stopwatch
    private let deliver: @Sendable (Input) -> Void

    private var index = -1
    private var player: (any Player)?
    /// How many players have been made: news of an earlier one is out of date.
    private var playerCount = 0
    /// Whether the newest news of the player, before it died, was that it is to play.
    private var isMeantToPlay = false
    private var volume: Float
    private var isHeld = false
    /// The simulated telephone rings.
    private var isInCall = false
    /// While there is no player because the server went away; the dead one is still shown.
    private var remains: Remains?
    private var hasShownLoss = false
    /// The time of the newest line.
    private var lastTime = 0.0

    /// The last file has ended, or someone wants to leave.
    private(set) var isDone = false
    /// A file could not be played to its end.
    private(set) var hasFailed = false

    /// - Parameter deliver: called on other threads; brings the input to `handle` on the verb's thread.
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
            version: Version.current, host: studio.hostName, clock: stopwatch.zero, files: plan.items.map(\.name),
            currentRoute: studio.currentRoute)
        display.show(Event(time: 0, fact: .started(start)))
        playNext()
    }

    func handle(_ input: Input) {
        guard !isDone else { return }
        switch input {
        case .player(let number, let status, let time): if number == playerCount { follow(status, time: time) }
        case .studio(let event, let time): follow(event, time: time)
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
            title: Self.title(info, name: plan.items[index].name),
            place: plan.items.count > 1 ? "\(index + 1) of \(plan.items.count)" : nil, state: status.state,
            position: status.position, duration: info.duration, volume: volume, route: studio.currentRoute,
            isSimulated: studio.phone != nil, hindrance: hindrance(status))
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
        guard remains == nil else { return }
        // No more than a wish where the session was interrupted meanwhile: nobody has pressed a key.
        do throws(StudioError) { try play() } catch { show(error) }
    }

    /// Fades out, frees the player, and lets those go on that were interrupted.
    ///
    /// Waits for the fade.
    func close() {
        isDone = true
        player?.close()
        player = nil
        studio.deactivate()
    }

    // MARK: Files

    private func playNext() {
        while !isDone {
            player?.close()
            player = nil
            guard index + 1 < plan.items.count else {
                isDone = true
                return
            }
            index += 1
            if beginFile() { return }
        }
    }

    /// False where the file cannot be played, and the reason is shown.
    ///
    /// - Parameter remains: of the player that died with its server; the new server knows nothing of what was before.
    private func beginFile(after remains: Remains? = nil) -> Bool {
        isMeantToPlay = true
        do throws(StudioError) {
            if remains != nil { try studio.configure(plan.configuration) }
            try makePlayer()
            if let remains { player?.seek(toSeconds: remains.position) }
            try play()
        } catch {
            if error.isOfTheServer {
                loseServer(error, at: remains?.position ?? 0)
            } else if error.isRefusal {
                // Not the file's fault: its successors would not be allowed to play either.
                show(error, endsTheRun: !plan.isInteractive)
            } else {
                show(error, isFailure: true)
                return false
            }
        }
        return true
    }

    private func makePlayer() throws(StudioError) {
        playerCount += 1
        player = try studio.makePlayer(
            path: plan.items[index].path, policy: plan.policy, role: plan.role, volume: volume
        ) { [playerCount, stopwatch, deliver] status in
            deliver(.player(playerCount, status, time: stopwatch.seconds))
        }
    }

    private func play() throws(StudioError) {
        do {
            try player?.play()
        } catch {
            throw StudioError(code: "\(error.code)", message: error.message)
        }
    }

    private func follow(_ status: FilePlayer.Status, time: Double) {
        if status.state == .ready { return }
        show(.player(status, file: plan.items[index].name), time: time)
        switch status.state {
        case .ready: break
        case .playing, .paused: isMeantToPlay = status.state == .playing || status.isMeantToPlay
        case .finished: playNext()
        case .failed:
            let error = StudioError(
                code: "playbackFailed",
                message: status.message ?? "\(plan.items[index].name) could not be played on.")
            if status.errorCode == .mediaServicesFailed { return loseServer(error, at: status.position) }
            show(error, isFailure: true)
            playNext()
        }
    }

    // MARK: The sound server

    private func follow(_ event: StudioEvent, time: Double) {
        show(event.fact, time: time)
        switch event {
        case .mediaServicesLost:
            hasShownLoss = true
            if remains != nil, plan.serverLoss == .quit { isDone = true }
        case .mediaServicesReset: resumeAfterLoss()
        case .routeChanged, .availableInputsChanged, .interruptionBegan, .interruptionEnded, .secondaryAudioHint: break
        }
    }

    /// The player is dead: this news and that of the loss come on different threads, in any order.
    private func loseServer(_ error: StudioError, at position: Double) {
        remains = Remains(position: position, wasMeantToPlay: isMeantToPlay)
        switch plan.serverLoss {
        case .quit:
            show(error, isFailure: true)
            if hasShownLoss { isDone = true }
        case .wait: break
        case .resume: resumeAfterLoss()
        }
    }

    private func resumeAfterLoss() {
        guard plan.serverLoss == .resume, let remains, remains.wasMeantToPlay, studio.isServerThere else { return }
        playAgain(remains)
    }

    private func playAgain(_ remains: Remains) {
        self.remains = nil
        player?.close()
        player = nil
        if !beginFile(after: remains) { playNext() }
    }

    // MARK: Keys

    private func press(_ key: Key) {
        switch key {
        case .character("q"), .character("Q"): isDone = true
        case .character(" "): pressSpace()
        case .character("u"): studio.phone?.unplugHeadphones()
        case .character("p"): studio.phone?.plugHeadphones()
        case .character("c"): toggleCall()
        case .character("x"): toggleServer()
        case .left: seek(bySeconds: -Self.seekSeconds)
        case .right: seek(bySeconds: Self.seekSeconds)
        case .up: setVolume(volume + Self.volumeStep)
        case .down: setVolume(volume - Self.volumeStep)
        case .character: break
        }
    }

    private func pressSpace() {
        if let remains {
            // Before there is a server, the picture says that one is missing.
            if studio.isServerThere { playAgain(remains) }
        } else if player?.status.state == .playing {
            player?.pause()
        } else {
            takeSound()
        }
    }

    private func toggleCall() {
        isInCall.toggle()
        if isInCall { studio.phone?.receiveCall() } else { studio.phone?.endCall() }
    }

    private func toggleServer() {
        if studio.isServerThere { studio.phone?.crashServer() } else { studio.phone?.restartServer() }
        isInCall = false
    }

    /// Where the session is interrupted, playing alone would only state a wish: the person wants the sound back.
    private func takeSound() {
        do throws(StudioError) {
            if studio.interruption != nil { try studio.activate() }
            try play()
        } catch {
            show(error)
        }
    }

    private func seek(bySeconds seconds: Double) {
        guard remains == nil, let player else { return }
        player.seek(toSeconds: max(0, player.status.position + seconds))
    }

    private func setVolume(_ wanted: Float) {
        volume = min(max(wanted, 0), 1)
        player?.volume = volume
    }

    // MARK: Telling

    private func hindrance(_ status: FilePlayer.Status) -> NowPlaying.Hindrance? {
        if remains != nil { return studio.isServerThere ? .serverWasLost : .serverIsLost }
        if status.state == .playing { return nil }
        if status.cause == .refusal { return .refused }
        // Where it is the output that left, the route and the key that plays on say all.
        guard studio.interruption == .default else { return nil }
        return status.isMeantToPlay ? .interruptedForNow : .interrupted
    }

    /// - Parameters:
    ///   - isFailure: a file, or the rest of it, is not played.
    ///   - endsTheRun: nothing more can be played.
    private func show(_ error: StudioError, isFailure: Bool = false, endsTheRun: Bool = false) {
        if isFailure || endsTheRun { hasFailed = true }
        if endsTheRun { isDone = true }
        let file = plan.items.indices.contains(index) ? plan.items[index].name : nil
        show(.error(code: error.code, message: error.message, file: file), time: stopwatch.seconds)
    }

    private func show(_ fact: Event.Fact, time: Double) {
        // News is stamped on the threads that bring it: two may swap places on the way, by microseconds.
        lastTime = max(lastTime, time)
        display.show(Event(time: lastTime, fact: fact))
    }

    private static func title(_ info: AudioFileInfo, name: String) -> String {
        guard let title = info.title, !title.isEmpty else {
            return name.split(separator: "/").last.map(String.init) ?? name
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
        case .interruptionBegan(let reason): .interruptionBegan(reason: reason)
        case .interruptionEnded(let shouldResume): .interruptionEnded(shouldResume: shouldResume)
        case .secondaryAudioHint(let begins): .secondaryAudioHint(begins: begins)
        case .mediaServicesLost: .mediaServices(areLost: true)
        case .mediaServicesReset: .mediaServices(areLost: false)
        }
    }
}
