import AudioFiles
import AudioRuntime
import OpenAVFAudio
import SessionCore

/// Plays its files one after another; a run has one, or one for each output where every file has its own.
///
/// The verb's thread; it never waits but for the session.
final class Lane {
    /// Where a player was when the sound server went away.
    private struct Remains {
        /// Seconds.
        var position: Double
        /// It played, or would have but for an interruption.
        var wasPlayWhenReady: Bool
    }

    private let items: [PlayPlan.Item]
    private unowned let run: PlayRunner

    private var index = -1
    private(set) var player: (any Player)?
    /// The player's number: news of an earlier one is out of date.
    private(set) var number = 0
    /// Whether the newest news of the player, before it died, was that it is to play.
    private var playWhenReady = false
    private var isHeld = false
    /// While there is no player because the server went away; the dead one is still shown.
    private var remains: Remains?

    /// The last file has ended.
    private(set) var isDone = false

    init(items: [PlayPlan.Item], run: PlayRunner) {
        self.items = items
        self.run = run
    }

    /// Its player died with the server, and no other was made since.
    var isLost: Bool { remains != nil }

    var isPlaying: Bool { player?.status.state == .playing }

    /// What events call the file that is open, or was last.
    var fileName: String? { items.indices.contains(index) ? items[index].name : nil }

    /// What a moving display shows now; nil between files.
    var track: NowPlaying.Track? {
        guard let player else { return nil }
        let (info, status) = (player.info, player.status)
        return .init(
            title: Self.title(info, name: items[index].name),
            place: items.count > 1 ? "\(index + 1) of \(items.count)" : nil, output: items[index].output?.label,
            state: status.state, position: status.position, duration: info.duration)
    }

    var hindrance: NowPlaying.Hindrance? {
        if isLost { return run.studio.isServerThere ? .serverWasLost : .serverIsLost }
        guard let status = player?.status, status.state != .playing else { return nil }
        if status.cause == .refusal { return .refused }
        // Where it is the output that left, the route and the key that plays on say all.
        guard run.studio.interruption == .default else { return nil }
        return status.playWhenReady ? .interruptedForNow : .interrupted
    }

    // MARK: Files

    func playNext() {
        while !run.isDone {
            close()
            guard index + 1 < items.count else {
                isDone = true
                return
            }
            index += 1
            if beginFile() { return }
        }
    }

    func close() {
        player?.close()
        player = nil
    }

    /// False where the file cannot be played, and the reason is shown.
    ///
    /// - Parameter remains: of the player that died with its server; the new server knows nothing of what was before.
    private func beginFile(after remains: Remains? = nil) -> Bool {
        playWhenReady = true
        do throws(StudioError) {
            if remains != nil { try run.studio.configure(run.plan.configuration) }
            try makePlayer()
            if let remains { player?.seek(toSeconds: remains.position) }
            try play()
        } catch {
            if error.isOfTheServer {
                lose(error, at: remains?.position ?? 0)
            } else if error.isRefusal {
                // Not the file's fault: its successors would not be allowed to play either.
                run.show(error, of: self, endsTheRun: !run.plan.isInteractive)
            } else {
                run.show(error, of: self, isFailure: true)
                return false
            }
        }
        return true
    }

    private func makePlayer() throws(StudioError) {
        number = run.nextPlayerNumber()
        let (number, stopwatch, deliver) = (number, run.stopwatch, run.deliver)
        var policy = run.plan.policy
        if let output = items[index].output { policy.target = .ports(uids: [output.uid]) }
        player = try run.studio.makePlayer(
            path: items[index].path, policy: policy, role: run.plan.role, volume: run.volume
        ) { news in
            deliver(.player(number, news, time: stopwatch.seconds))
        }
        if let map = run.channelMap { try setChannelMap(map) }
    }

    func play() throws(StudioError) {
        do {
            try player?.play()
        } catch {
            throw StudioError(code: "\(error.code)", message: error.message)
        }
    }

    func setChannelMap(_ map: [Int]?) throws(StudioError) {
        do {
            try player?.setChannelMap(map)
        } catch {
            throw StudioError(code: "\(error.code)", message: error.message)
        }
    }

    /// What the player has said; the display knows it already.
    func follow(_ status: FilePlayer.Status) {
        switch status.state {
        case .ready: break
        case .playing, .paused: playWhenReady = status.state == .playing || status.playWhenReady
        case .finished: playNext()
        case .failed:
            let error = StudioError(
                code: "playbackFailed", message: status.message ?? "\(items[index].name) could not be played on.")
            if status.errorCode == .mediaServicesFailed { return lose(error, at: status.position) }
            run.show(error, of: self, isFailure: true)
            playNext()
        }
    }

    // MARK: The sound server

    /// The player is dead: this news and that of the loss come on different threads, in any order.
    private func lose(_ error: StudioError, at position: Double) {
        remains = Remains(position: position, wasPlayWhenReady: playWhenReady)
        run.laneWasLost(self, error)
    }

    /// What played goes on where it was, if the run is to resume and a server is there.
    func resumeAfterLoss() {
        guard run.plan.serverLoss == .resume, let remains, remains.wasPlayWhenReady, run.studio.isServerThere else {
            return
        }
        playAgain()
    }

    func playAgain() {
        guard let remains else { return }
        self.remains = nil
        close()
        if !beginFile(after: remains) { playNext() }
    }

    // MARK: Hands

    /// Pauses for as long as the process is stopped; `release` takes it back.
    func hold() {
        guard isPlaying else { return }
        isHeld = true
        player?.pause()
    }

    func release() {
        guard isHeld else { return }
        isHeld = false
        guard !isLost else { return }
        // No more than a wish where the session was interrupted meanwhile: nobody has pressed a key.
        do throws(StudioError) { try play() } catch { run.show(error, of: self) }
    }

    func seek(bySeconds seconds: Double) {
        guard !isLost, let player else { return }
        player.seek(toSeconds: max(0, player.status.position + seconds))
    }

    private static func title(_ info: AudioFileInfo, name: String) -> String {
        guard let title = info.title, !title.isEmpty else {
            return name.split(separator: "/").last.map(String.init) ?? name
        }
        return info.artist.map { "\(title), \($0)" } ?? title
    }
}
