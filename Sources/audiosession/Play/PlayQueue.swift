import AudioRuntime
import OpenAVFAudio

/// Plays its items one after another, without a gap where they have the same channels.
///
/// A run has one queue, or one per file if every file has its own output. The command thread; it waits for nothing but the
/// session and the disk.
final class PlayQueue {
    /// Where an item begins.
    private struct StartPoint {
        /// Seconds.
        var position = 0.0
        var playWhenReady = true
        /// The session on a new server has its initial category.
        var isOnNewServer = false
    }

    private enum State {
        /// Nothing has begun, or the next item is about to.
        case idle
        /// A thread of its own opens the item, which may take long.
        case opening(StartPoint)
        case open(any Player)
        /// The server stopped; the failed player is still shown.
        case lost((any Player)?, at: StartPoint)
        /// The last item has ended.
        case done
    }

    /// The item after the one that plays.
    private enum Next {
        case unknown
        /// - Parameter endSeconds: the length of the item before it.
        case joined(UInt64, endSeconds: Double)
        /// It gets a player of its own, and its error is reported when its turn comes.
        case separate
    }

    private let items: [PlayPlan.Item]
    private unowned let run: PlayRunner

    private var index = -1
    private var state = State.idle
    private var next = Next.unknown
    /// The player's number; reports of earlier players are ignored.
    private(set) var number = 0
    /// What was shown of the item last.
    private var shownStatus: FilePlayer.Status?
    /// From the newest report of the player before it failed.
    private var playWhenReady = false
    private var isHeld = false
    /// From an automatic continuation after a loss of the server until a player sounds.
    private var continuesPrivately = false
    /// How often the items have begun again.
    private var rounds = 0
    /// An item of this round could be opened: a loop of others would never end.
    private var hasOpened = false

    init(items: [PlayPlan.Item], run: PlayRunner) {
        self.items = items
        self.run = run
    }

    var isDone: Bool { if case .done = state { true } else { false } }

    /// Its player failed with the server and was not replaced yet.
    var isLost: Bool { if case .lost = state { true } else { false } }

    var isPlaying: Bool { player?.status.state == .playing }

    var player: (any Player)? {
        switch state {
        case .open(let player), .lost(let player?, _): player
        case .idle, .opening, .lost, .done: nil
        }
    }

    /// The name in events of the item that is open, or was last.
    var fileName: String? { items.indices.contains(index) ? items[index].name : nil }

    /// What a live display shows now; nil between items.
    var track: NowPlaying.Track? {
        guard items.indices.contains(index) else { return nil }
        let item = items[index]
        let place = items.count > 1 ? "\(index + 1) of \(items.count)" : nil
        guard let player else {
            guard case .opening = state else { return nil }
            return .init(
                title: item.title ?? item.shortName, place: place, output: item.output?.label, state: .ready,
                position: 0,
                duration: 0)
        }
        let (info, status) = (player.info, player.status)
        return .init(
            title: Self.title(info, of: item), place: place, output: item.output?.label, state: status.state,
            position: status.position, duration: info.duration)
    }

    var blockReason: NowPlaying.BlockReason? {
        switch state {
        case .opening: return .opening
        case .lost: return run.backend.isServerConnected ? .serverWasLost : .serverIsLost
        case .idle, .open, .done: break
        }
        guard let status = player?.status else { return nil }
        if status.state == .playing { return status.isWaiting ? .waitingForServer : nil }
        if run.backend.isInCall { return status.playWhenReady ? .callForNow : .call }
        if status.cause == .refusal { return .refused }
        if isAwaitingPrivateOutput { return .outputIsNotPrivate }
        if status.cause == .oldDeviceUnavailable { return .outputLeft }
        // After `routeDisconnected` the route and the keys show everything.
        guard run.backend.interruption == .default else { return nil }
        return status.playWhenReady ? .interruptedForNow : .interrupted
    }

    /// Only outputs are connected that others hear.
    private var isAwaitingPrivateOutput: Bool {
        guard continuesPrivately, let status = player?.status else { return false }
        return status.cause == .noSuitableRoute && status.playWhenReady && !run.backend.currentRoute.outputs.isEmpty
    }

    // MARK: Items

    /// nil after the last one.
    private var nextIndex: Int? {
        if index + 1 < items.count { return index + 1 }
        // A single item begins again in its player.
        guard items.count > 1 else { return nil }
        return run.plan.rounds.map { rounds + 1 < $0 } ?? true ? 0 : nil
    }

    func playNext() {
        var start = StartPoint()
        if index < 0 { start.position = run.plan.startSeconds }
        while !run.isDone {
            close()
            guard let next = nextIndex, advance(to: next) else {
                state = .done
                return
            }
            if beginItem(at: start) { return }
            start.position = 0
        }
    }

    /// False if a whole round had nothing to play.
    private func advance(to next: Int) -> Bool {
        if next < index {
            guard hasOpened else { return false }
            hasOpened = false
            rounds += 1
        }
        index = next
        return true
    }

    func close() {
        player?.close()
        state = .idle
        next = .unknown
    }

    /// False if the item cannot be played; the reason is then shown.
    private func beginItem(at start: StartPoint) -> Bool {
        playWhenReady = start.playWhenReady
        itemNumber += 1
        shownStatus = nil
        number = run.nextPlayerNumber()
        let (item, number, stopwatch) = (items[index], number, run.log.stopwatch)
        var changed = run.plan
        changed.policy.continuesPrivately = continuesPrivately
        let (backend, plan, volume) = (run.backend, changed, run.soundingVolume)
        let deliver = run.context.deliver
        @Sendable func make() throws(BackendError) -> any Player {
            if start.isOnNewServer { try backend.configure(plan.settings) }
            return try item.makePlayer(backend, plan, volume: volume) { event in
                deliver(.report(.init(player: number, event: event), time: stopwatch.seconds))
            }
        }
        guard item.source.isSlow else { return begin(Result { () throws(BackendError) in try make() }, at: start) }
        state = .opening(start)
        run.context.runAside {
            let opened = Result { () throws(BackendError) in try make() }
            deliver(.report(.init(player: number, event: .opened(opened)), time: stopwatch.seconds))
        }
        return true
    }

    /// The thread that opens an item is done.
    func handle(_ opened: Result<any Player, BackendError>) {
        guard case .opening(let start) = state else {
            if case .success(let player) = opened { player.close() }
            return
        }
        state = .idle
        if !begin(opened, at: start) { playNext() }
    }

    /// As `beginItem`.
    private func begin(_ opened: Result<any Player, BackendError>, at start: StartPoint) -> Bool {
        do throws(BackendError) {
            let player = try opened.get()
            state = .open(player)
            try prepare(player, at: start)
            // It could be over before the next one is open.
            if player.info.duration < Self.shortSeconds { joinNext() }
            if start.playWhenReady { try play() }
            hasOpened = true
        } catch {
            if error.isServerLoss {
                lose(error, at: start.position)
            } else if error.isRefusal {
                hasOpened = true
                // The item is not the cause: the next ones would be refused, too.
                run.show(error, of: self, endsTheRun: !run.plan.isInteractive)
            } else {
                run.show(error, of: self, isFailure: true)
                return false
            }
        }
        return true
    }

    private func prepare(_ player: any Player, at start: StartPoint) throws(BackendError) {
        if let map = run.channelMap { try setChannelMap(map) }
        player.rate = run.speed == 1 ? nil : run.speed
        if items.count == 1 { player.repetitions = run.plan.rounds.map { $0 - 1 } ?? -1 }
        guard start.position > 0 else { return }
        guard !player.isLive else {
            throw BackendError(
                code: .session(.badParam),
                message: "'\(items[index].name.printable)' is a live stream, which has a present only; "
                    + "leave out --start.")
        }
        let duration = player.info.duration
        guard duration == 0 || start.position < duration else {
            throw BackendError(
                code: .session(.badParam),
                message: "'\(items[index].name.printable)' has \(NumberText.clock(duration)), and --start is "
                    + "\(NumberText.clock(start.position)); give an earlier time.")
        }
        player.seek(toSeconds: start.position)
    }

    func play() throws(BackendError) {
        do {
            try player?.play()
        } catch {
            throw BackendError(error, lossReason: run.backend.lossReason)
        }
    }

    func setChannelMap(_ map: [Int]?) throws(BackendError) {
        do {
            try player?.setChannelMap(map)
        } catch {
            throw BackendError(error, lossReason: run.backend.lossReason)
        }
    }

    /// Shows a report of the player: each once, and none while the sound has not come from its server.
    func show(_ status: FilePlayer.Status, time: Double) {
        guard !status.isWaiting, status.transport != shownStatus?.transport else { return }
        shownStatus = status
        run.log.write(.player(status, file: fileName ?? ""), time: time)
    }

    /// - Parameter status: a report of the player.
    func handle(_ status: FilePlayer.Status) {
        switch status.state {
        case .ready: break
        case .playing:
            playWhenReady = true
            continuesPrivately = false
            joinNext()
        case .paused: playWhenReady = status.playWhenReady
        case .finished: playNext()
        case .failed:
            if status.errorCode == .mediaServicesFailed {
                // `play` may have thrown already, and told it.
                guard !isLost else { return }
                let message = BackendError.serverLost(run.backend.lossReason)
                return lose(BackendError(code: .program(.playbackFailed), message: message), at: status.position)
            }
            let error = BackendError(
                code: .program(.playbackFailed),
                message: status.message ?? "playback of \(items[index].name) failed; try again.")
            run.show(error, of: self, isFailure: true)
            playNext()
        }
    }

    // MARK: Without a gap

    /// The next item of one that is shorter is opened before it plays.
    private static let shortSeconds = 1.0

    /// Waits for the disk, so it is called when the item before it plays.
    private func joinNext() {
        guard case .unknown = next, case .open(let player) = state, let nextIndex else { return }
        let item = items[nextIndex]
        guard !item.source.isSlow else { return next = .separate }
        let endSeconds = player.info.duration
        let number = try? item.source.withPath(name: item.name) { try? player.setNext(path: $0) }
        next = number.map { .joined($0, endSeconds: endSeconds) } ?? .separate
    }

    /// The joined item plays in place of the one before it.
    func begin(joined number: UInt64, time: Double) {
        guard case .open(let player) = state, case .joined(number, let endSeconds) = next, let nextIndex else { return }
        let status = player.status
        var end = status
        (end.transport, end.position) = (.init(.finished, .endOfFile), endSeconds)
        run.log.write(.player(end, file: fileName ?? ""), time: time)
        _ = advance(to: nextIndex)
        (next, hasOpened) = (.unknown, true)
        itemNumber += 1
        // Any other state has a report of its own.
        guard status.state == .playing else { return }
        shownStatus = nil
        show(status, time: time)
        handle(status)
    }

    // MARK: The sound server

    /// The player has failed; different threads report this and the loss of the server, in any order.
    private func lose(_ error: BackendError, at position: Double) {
        state = .lost(
            player, at: StartPoint(position: position, playWhenReady: playWhenReady, isOnNewServer: true))
        run.queueWasLost(self, error)
    }

    /// Continues where it was, if the run resumes automatically and a server is running.
    ///
    /// Sound that an unplug would pause waits for the output that it was on, or for another private one.
    func resumeAfterLoss() {
        guard run.plan.serverLoss == .resume, case .lost(_, let start) = state, start.playWhenReady,
            run.backend.isServerConnected
        else { return }
        playAgain(privately: run.plan.policy.onDeviceLoss == .pause)
    }

    /// - Parameter privately: false where a person asked: the display said where it plays.
    func playAgain(privately: Bool = false) {
        guard case .lost(_, var start) = state else { return }
        start.playWhenReady = true
        continuesPrivately = privately
        close()
        if !beginItem(at: start) { playNext() }
    }

    /// Plays on the route's outputs, also where it waits for a private one.
    func playHere() throws(BackendError) {
        guard isAwaitingPrivateOutput, let player else { return try play() }
        state = .lost(player, at: StartPoint(position: player.status.position))
        playAgain()
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
        guard let player else { return }
        seek(toSeconds: player.status.position + seconds)
    }

    func seek(toSeconds seconds: Double) {
        guard case .open(let player) = state else { return }
        player.seek(toSeconds: max(0, seconds))
    }

    /// The item's own title or the last component of its name.
    var shortName: String { items.indices.contains(index) ? items[index].title ?? items[index].shortName : "" }

    /// Counts the items that have begun.
    private(set) var itemNumber = 0

    /// The item's path or address; nil if it has none.
    var address: String? {
        guard items.indices.contains(index) else { return nil }
        switch items[index].source {
        case .file(let path): return path.text
        case .address(let address): return address
        case .standardInput, .nothing: return nil
        }
    }

    var hasNext: Bool { nextIndex != nil }

    /// Begins the next item; does nothing at the last one.
    func skipForward() {
        guard let nextIndex else { return }
        skip(to: nextIndex)
    }

    /// Begins the item again; in its first 3 s, and unless it is the first one, the one before it.
    func skipBack() {
        guard index > 0, (player?.status.position ?? 0) < 3 else { return seek(toSeconds: 0) }
        skip(to: index - 1)
    }

    /// What was paused stays paused.
    private func skip(to target: Int) {
        switch state {
        case .open, .opening: break
        case .idle, .lost, .done: return
        }
        let playWhenReady = player.map { $0.status.state == .playing || $0.status.playWhenReady } ?? playWhenReady
        close()
        guard advance(to: target) else { return state = .done }
        if !beginItem(at: StartPoint(playWhenReady: playWhenReady)) { playNext() }
    }

    private static func title(_ info: FilePlayer.Info, of item: PlayPlan.Item) -> String {
        if let title = item.title { return title }
        guard let title = info.title, !title.isEmpty else { return item.shortName }
        return info.artist.map { "\(title), \($0)" } ?? title
    }
}
