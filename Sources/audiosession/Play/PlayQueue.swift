import AudioRuntime
import OpenAVFAudio

/// Plays its files one after another, without a gap where they have the same channels.
///
/// A run has one queue, or one per file if every file has its own output. The command thread; it waits for nothing but the session.
final class PlayQueue {
    /// Where a player was when the sound server stopped.
    private struct ResumePoint {
        /// Seconds.
        var position: Double
        var playWhenReady: Bool
    }

    /// The file after the one that plays.
    private enum Next {
        case unknown
        /// - Parameter endSeconds: the length of the file before it.
        case joined(UInt64, endSeconds: Double)
        /// It gets a player of its own, and its error is reported when its turn comes.
        case separate
    }

    private let items: [PlayPlan.Item]
    private unowned let run: PlayRunner

    private var index = -1
    private(set) var player: (any Player)?
    private var next = Next.unknown
    /// The player's number; reports of earlier players are ignored.
    private(set) var number = 0
    /// From the newest report of the player before it failed.
    private var playWhenReady = false
    private var isHeld = false
    /// While there is no player because the server stopped; the failed one is still shown.
    private var resumePoint: ResumePoint?

    /// The last file has ended.
    private(set) var isDone = false

    init(items: [PlayPlan.Item], run: PlayRunner) {
        self.items = items
        self.run = run
    }

    /// Its player failed with the server and was not replaced yet.
    var isLost: Bool { resumePoint != nil }

    var isPlaying: Bool { player?.status.state == .playing }

    /// The name in events of the file that is open, or was last.
    var fileName: String? { items.indices.contains(index) ? items[index].name : nil }

    /// What a live display shows now; nil between files.
    var track: NowPlaying.Track? {
        guard let player else { return nil }
        let (info, status) = (player.info, player.status)
        return .init(
            title: items[index].title ?? Self.title(info, name: items[index].name),
            place: items.count > 1 ? "\(index + 1) of \(items.count)" : nil, output: items[index].output?.label,
            state: status.state, position: status.position, duration: info.duration)
    }

    var blockReason: NowPlaying.BlockReason? {
        if isLost { return run.backend.isServerConnected ? .serverWasLost : .serverIsLost }
        guard let status = player?.status, status.state != .playing else { return nil }
        if status.cause == .refusal { return .refused }
        // After `routeDisconnected` the route and the keys show everything.
        guard run.backend.interruption == .default else { return nil }
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
        next = .unknown
    }

    /// Waits for the disk, so it is called when the file before it plays.
    private func joinNext() {
        guard case .unknown = next, let player, index + 1 < items.count else { return }
        let endSeconds = player.info.duration
        let number = try? player.setNext(path: items[index + 1].path)
        next = number.map { .joined($0, endSeconds: endSeconds) } ?? .separate
    }

    /// The joined file plays in place of the one before it.
    func begin(joined number: UInt64, time: Double) {
        guard let player, case .joined(number, let endSeconds) = next else { return }
        let status = player.status
        var end = status
        (end.transport, end.position) = (.init(.finished, .endOfFile), endSeconds)
        run.log.write(.player(end, file: fileName ?? ""), time: time)
        index += 1
        next = .unknown
        // Any other state has a report of its own.
        guard status.state == .playing else { return }
        run.log.write(.player(status, file: fileName ?? ""), time: time)
        handle(status)
    }

    /// False if the file cannot be played; the reason is then shown.
    ///
    /// - Parameter resumePoint: of a player that failed with its server; the new server has none of the old state.
    private func beginFile(at resumePoint: ResumePoint? = nil) -> Bool {
        playWhenReady = true
        do throws(BackendError) {
            if resumePoint != nil { try run.backend.configure(run.plan.settings) }
            try makePlayer()
            if let resumePoint { player?.seek(toSeconds: resumePoint.position) }
            try play()
        } catch {
            if error.isServerLoss {
                lose(error, at: resumePoint?.position ?? 0)
            } else if error.isRefusal {
                // The file is not the cause: the next ones would be refused, too.
                run.show(error, of: self, endsTheRun: !run.plan.isInteractive)
            } else {
                run.show(error, of: self, isFailure: true)
                return false
            }
        }
        return true
    }

    private func makePlayer() throws(BackendError) {
        number = run.nextPlayerNumber()
        let (number, stopwatch, deliver) = (number, run.log.stopwatch, run.context.deliver)
        var policy = run.plan.policy
        if let output = items[index].output { policy.target = .ports(uids: [output.uid]) }
        player = try run.backend.makePlayer(
            path: items[index].path, policy: policy, role: run.plan.role, volume: run.volume
        ) { event in
            deliver(.report(.init(player: number, event: event), time: stopwatch.seconds))
        }
        if let map = run.channelMap { try setChannelMap(map) }
    }

    func play() throws(BackendError) {
        do {
            try player?.play()
        } catch {
            throw BackendError(error)
        }
    }

    func setChannelMap(_ map: [Int]?) throws(BackendError) {
        do {
            try player?.setChannelMap(map)
        } catch {
            throw BackendError(error)
        }
    }

    /// - Parameter status: a report of the player, which the display has shown.
    func handle(_ status: FilePlayer.Status) {
        switch status.state {
        case .ready: break
        case .playing:
            playWhenReady = true
            joinNext()
        case .paused: playWhenReady = status.playWhenReady
        case .finished: playNext()
        case .failed:
            let error = BackendError(
                code: "playbackFailed", message: status.message ?? "playback of \(items[index].name) failed.")
            if status.errorCode == .mediaServicesFailed { return lose(error, at: status.position) }
            run.show(error, of: self, isFailure: true)
            playNext()
        }
    }

    // MARK: The sound server

    /// The player has failed; different threads report this and the loss of the server, in any order.
    private func lose(_ error: BackendError, at position: Double) {
        resumePoint = ResumePoint(position: position, playWhenReady: playWhenReady)
        run.queueWasLost(self, error)
    }

    /// Continues at the resume point, if the run resumes automatically and a server is running.
    func resumeAfterLoss() {
        guard run.plan.serverLoss == .resume, let resumePoint, resumePoint.playWhenReady,
            run.backend.isServerConnected
        else { return }
        playAgain()
    }

    func playAgain() {
        guard let resumePoint else { return }
        self.resumePoint = nil
        close()
        if !beginFile(at: resumePoint) { playNext() }
    }

    // MARK: Control

    /// Pauses while the process is stopped; `release` continues.
    func hold() {
        guard isPlaying else { return }
        isHeld = true
        player?.pause()
    }

    func release() {
        guard isHeld else { return }
        isHeld = false
        guard !isLost else { return }
        // If the session was interrupted meanwhile, this only sets `playWhenReady`: no key was pressed.
        do throws(BackendError) { try play() } catch { run.show(error, of: self) }
    }

    func seek(bySeconds seconds: Double) {
        guard !isLost, let player else { return }
        player.seek(toSeconds: max(0, player.status.position + seconds))
    }

    private static func title(_ info: FilePlayer.Info, name: String) -> String {
        guard let title = info.title, !title.isEmpty else {
            return name.split(separator: "/").last.map(String.init) ?? name
        }
        return info.artist.map { "\(title), \($0)" } ?? title
    }
}
