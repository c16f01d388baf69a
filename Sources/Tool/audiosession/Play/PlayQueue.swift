import AudioRuntime
import OpenAudioSession
import ProgramRuntime
import QueueRuntime

/// Plays its items one after another, without a gap where they have the same channels.
///
/// A run has one queue, or one per file if every file has its own output. The `QueueMachine` says what is to be done; this
/// does it with a player, and shows what comes of it. The command thread; it waits for nothing but the session and the disk.
final class PlayQueue {
    private var items: [PlayPlan.Item]
    /// The place of each item in the order that was given.
    private var places: [Int]
    private unowned let run: PlayRunner

    /// Its first item is the one at `index`; the next one is in it once the first one plays.
    private var machine = QueueMachine()
    private var index = 0
    /// Of the machine's item that is open.
    private(set) var player: (any Player)?
    /// The number of the item that the player was opened for; reports of earlier players are ignored.
    private(set) var number = 0
    /// Of the item that plays.
    private var chapters: [FilePlayer.Chapter] = []
    /// Of the item, by the player.
    private var reported: FilePlayer.Transport?
    /// The length of the item that another was joined to.
    private var endSeconds = 0.0
    /// The server stopped; the failed player is shown until another is opened.
    private var loss: (position: Double, playWhenReady: Bool)?
    /// From an automatic continuation after a loss of the server until a player sounds.
    private var continuesPrivately = false
    /// When the person last asked for sound, by `audiosession play` itself or by a key: what goes on by itself, as the next item
    /// does, goes on for that.
    private var knownLosses: UInt64 = 0
    /// How often the items have begun again.
    private var rounds = 0
    /// An item of this round could be opened: a loop of others would never end.
    private var hasOpened = false

    init(items: [PlayPlan.Item], run: PlayRunner) {
        self.items = items
        places = Array(items.indices)
        self.run = run
    }

    var isDone: Bool { machine.items.isEmpty }

    /// Its player failed with the server and was not replaced yet.
    var isLost: Bool { loss != nil }

    var isPlaying: Bool { player?.status.state == .playing }

    private var item: PlayPlan.Item? { items.indices.contains(index) ? items[index] : nil }

    /// The name in events of the item that is open, or was last.
    var fileName: String? { item?.name }

    private var isOpening: Bool { machine.items.first.map(machine.isOpening) ?? false }

    /// What a live display shows now; nil between items.
    var track: NowPlaying.Track? {
        guard let item else { return nil }
        let place = items.count > 1 ? "\(index + 1) of \(items.count)" : nil
        guard let player else {
            guard isOpening else { return nil }
            return .init(
                title: item.title ?? item.shortName, place: place, output: item.output?.label, state: .ready,
                position: 0, duration: 0)
        }
        let (info, status) = (player.info, player.status)
        return .init(
            title: Self.title(info, of: item), place: place, output: item.output?.label, state: status.state,
            position: status.position, duration: info.duration, chapter: chapter(at: status.position))
    }

    var blockReason: NowPlaying.BlockReason? {
        if isOpening { return .opening }
        if isLost { return run.backend.isServerConnected ? .serverWasLost : .serverIsLost }
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

    func begin() {
        guard !items.isEmpty else { return }
        knownLosses = run.backend.outputLosses
        begin(at: run.plan.startSeconds)
    }

    /// Plays the item at `index` with another player.
    private func begin(at seconds: Double) {
        machine.setRate(1)
        let first = run.nextItem()
        _ = machine.setItems([first])
        if seconds > 0 { _ = machine.add(QueueSeek(number: 0, item: first, seconds: seconds)) }
        proceed()
    }

    /// False after the last one, and if a whole round had nothing to play.
    private func moveOn() -> Bool {
        guard let next = nextIndex else { return false }
        if next == 0 {
            guard hasOpened else { return false }
            hasOpened = false
            rounds += 1
        }
        index = next
        return true
    }

    private func beginNext() { _ = machine.setItems(moveOn() ? [run.nextItem()] : []) }

    func close() { player?.close() }

    // MARK: The machine's steps

    /// What the player reported, and what the person wants of it now.
    ///
    /// Its own state may be that of the item after the first one: that it began is reported later.
    private var transport: FilePlayer.Transport? {
        guard let now = player?.status.transport else { return nil }
        var transport = reported ?? .init(.ready)
        if now.state != .finished, now.state != .failed { transport.playWhenReady = now.playWhenReady }
        return transport
    }

    private func proceed() {
        while true {
            do throws(BackendError) { return try carryOutSteps() } catch { handle(error, playWhenReady: true) }
        }
    }

    /// - Throws: why the first item does not play.
    private func carryOutSteps() throws(BackendError) {
        while !run.isDone, let step = machine.nextStep(transport) {
            switch step {
            case .open(let item, _): replacePlayer(for: item)
            case .play(let rate):
                machine.carriedOut(.play(rate: rate))
                try run.backend.explaining { () throws(FilePlayer.PlaybackError) in
                    try player?.play(knownLosses: knownLosses)
                }
                hasOpened = true
            case .pause:
                machine.carriedOut(.pause)
                player?.pause()
            case .seek(let seek):
                machine.carriedOut(seek)
                player?.seek(toSeconds: seek.seconds)
            case .join(let item): join(item)
            case .tellEnd: beginNext()
            // `handle` tells of a failure. An item has its own end, and the one that follows it stays.
            case .tellFailure, .setEnd, .separate: break
            }
        }
    }

    private func replacePlayer(for id: QueueItemID?) {
        // What sounded may go on as the next item: it waited for a private output, say, that came.
        knownLosses = max(knownLosses, player?.lossesAtStart ?? 0)
        player?.close()
        (player, reported) = (nil, nil)
        guard let id else { return }
        number = Int(id.number)
        // The session on a new server has its initial category.
        let isOnNewServer = isLost
        loss = nil
        let (item, number, stopwatch) = (items[index], number, run.log.stopwatch)
        var changed = run.plan
        changed.policy.continuesPrivately = continuesPrivately
        let (backend, plan, volume) = (run.backend, changed, run.soundingVolume)
        let deliver = run.context.deliver
        @Sendable func make() -> Result<any Player, BackendError> {
            Result { () throws(BackendError) in
                if isOnNewServer { try backend.configure(plan.settings) }
                return try item.makePlayer(backend, plan, volume: volume) { event in
                    deliver(.report(.init(player: number, event: event), time: stopwatch.seconds))
                }
            }
        }
        guard item.source.isSlow else { return finishOpening(make()) }
        run.context.runAside {
            deliver(.report(.init(player: number, event: .opened(make())), time: stopwatch.seconds))
        }
    }

    /// The thread that opens an item is done.
    func handle(_ opened: Result<any Player, BackendError>) {
        finishOpening(opened)
        proceed()
    }

    private func finishOpening(_ opened: Result<any Player, BackendError>) {
        guard let id = machine.items.first, machine.isOpening(id) else {
            if case .success(let player) = opened { player.close() }
            return
        }
        let rate = machine.requestedRate(nil)
        do throws(BackendError) {
            let player = try opened.get()
            self.player = player
            readChapters()
            try prepare(player, at: machine.seek?.seconds ?? 0)
            let isShort = player.info.duration < Self.shortSeconds
            if isShort { machine.setRate(0) }
            _ = machine.open(id)
            if isShort {
                // It could be over before the next one is open.
                addNext()
                try carryOutSteps()
                if rate != 0 { machine.setRate(rate) }
            }
            if rate == 0 { hasOpened = true }
        } catch {
            handle(error, playWhenReady: rate != 0)
        }
    }

    /// The first item cannot begin.
    private func handle(_ error: BackendError, playWhenReady: Bool) {
        let position = machine.seek?.seconds ?? player?.status.position ?? 0
        if let id = machine.items.first { _ = machine.failOpening(id) }
        if error.isServerLoss {
            lose(error, at: position, playWhenReady: playWhenReady)
        } else if error.isRefusal {
            hasOpened = true
            // The item is not the cause: the next ones would be refused, too.
            run.show(error, of: self, endsTheRun: !run.plan.isInteractive)
        } else {
            fail(error)
        }
    }

    /// The item, or the rest of it, is not played.
    private func fail(_ error: BackendError) {
        run.show(error, of: self, isFailure: true)
        machine.setRate(1)
        beginNext()
    }

    private func prepare(_ player: any Player, at start: Double) throws(BackendError) {
        if let map = run.plan.channelMap { try setChannelMap(map) }
        player.rate = run.plan.rate
        roundsChanged(player)
        guard start > 0 else { return }
        guard !player.isLive else {
            throw BackendError(
                code: .session(.badParam),
                message: "'\(items[index].name.printable)' is a live stream, which has a present only; "
                    + "leave out --start.")
        }
        let duration = player.info.duration
        guard duration == 0 || start < duration else {
            throw BackendError(
                code: .session(.badParam),
                message: "'\(items[index].name.printable)' has \(NumberText.clock(duration)), and --start is "
                    + "\(NumberText.clock(start)); give an earlier time.")
        }
    }

    /// A single item begins again in its player.
    func roundsChanged(_ opened: (any Player)? = nil) {
        if items.count == 1 { (opened ?? player)?.repetitions = run.plan.rounds.map { $0 - 1 } ?? -1 }
    }

    /// Of the items that come; one that was joined to this one stays the next.
    func setOrder(isShuffled: Bool) {
        let first = index + (machine.items.count > 1 ? 2 : 1)
        guard first < items.count else { return }
        let rest = zip(items[first...], places[first...])
        let ordered = isShuffled ? rest.shuffled() : rest.sorted { $0.1 < $1.1 }
        items.replaceSubrange(first..., with: ordered.map(\.0))
        places.replaceSubrange(first..., with: ordered.map(\.1))
    }

    func setChannelMap(_ map: [Int]?) throws(BackendError) {
        try run.backend.explaining { () throws(FilePlayer.PlaybackError) in try player?.setChannelMap(map) }
    }

    /// - Parameter status: a report of the player; none counts while the sound has not come from its server.
    func handle(_ status: FilePlayer.Status, time: Double) {
        guard !status.isWaiting, status.transport != reported else { return }
        run.tell(status, of: self, time: time)
        let playWhenReady = machine.requestedRate(transport) != 0
        reported = status.transport
        if status.state == .playing {
            continuesPrivately = false
            addNext()
        }
        proceed()
        // `play` may have thrown already, and told it.
        guard status.state == .failed, !isLost else { return }
        if status.errorCode == .mediaServicesFailed {
            let message = BackendError.serverLost(run.backend.lossReason)
            return lose(
                BackendError(code: .program(.playbackFailed), message: message), at: status.position,
                playWhenReady: playWhenReady)
        }
        let message = status.message ?? "playback of \(items[index].name) failed; try again."
        fail(BackendError(code: .program(.playbackFailed), message: message))
        proceed()
    }

    // MARK: Without a gap

    /// The next item of one that is shorter is opened before it plays.
    private static let shortSeconds = 1.0

    /// Its opening waits for the disk, so this is called when the item before it plays.
    private func addNext() {
        guard machine.items.count == 1, nextIndex != nil else { return }
        _ = machine.setItems(machine.items + [run.nextItem()])
    }

    /// Where the item cannot be opened, its error is reported when its turn comes.
    private func join(_ id: QueueItemID) {
        guard let player, let nextIndex else { return }
        let item = items[nextIndex]
        endSeconds = player.info.duration
        let file: UInt64? =
            if item.source.isSlow { nil } else {
                try? item.source.withPath(name: item.name) { try? player.setNext(path: $0) }
            }
        if let file { _ = machine.join(id, file: file) } else { machine.keepSeparate(id) }
    }

    /// The joined item plays in place of the one before it.
    func begin(joined file: UInt64, time: Double) {
        guard let player, machine.begin(file: file) != nil else { return }
        let status = player.status
        var end = status
        (end.transport, end.position) = (.init(.finished, .endOfFile), endSeconds)
        run.tell(end, of: self, time: time)
        _ = moveOn()
        readChapters()
        hasOpened = true
        // Any other state has a report of its own.
        guard status.state == .playing else { return }
        reported = nil
        handle(status, time: time)
    }

    // MARK: The sound server

    /// The player has failed; different threads report this and the loss of the server, in any order.
    private func lose(_ error: BackendError, at position: Double, playWhenReady: Bool) {
        loss = (position, playWhenReady)
        run.queueWasLost(self, error)
    }

    /// Continues where it was, if the run resumes automatically and a server is running.
    ///
    /// Sound that an unplug would pause waits for the output that it was on, or for another private one.
    func resumeAfterLoss() {
        guard run.plan.serverLoss == .resume, loss?.playWhenReady == true, run.backend.isServerConnected else { return }
        playAgain(privately: run.plan.policy.onDeviceLoss == .pause)
    }

    /// - Parameter privately: false where a person asked: the display said where it plays.
    func playAgain(privately: Bool = false) {
        guard let loss else { return }
        continuesPrivately = privately
        if !privately { knownLosses = run.backend.outputLosses }
        begin(at: loss.position)
    }

    // MARK: Control

    func pause() {
        machine.setRate(0)
        proceed()
    }

    /// A person asks: plays on the route's outputs, also where it waits for a private one.
    func play() throws(BackendError) {
        knownLosses = run.backend.outputLosses
        if isAwaitingPrivateOutput, let player {
            continuesPrivately = false
            return begin(at: player.status.position)
        }
        try resume()
    }

    /// As the person wanted it last: an output that has left since leaves it paused.
    func resume() throws(BackendError) {
        machine.setRate(1)
        try carryOutSteps()
    }

    func seek(bySeconds seconds: Double) {
        guard let player else { return }
        seek(toSeconds: player.status.position + seconds)
    }

    func seek(toSeconds seconds: Double) {
        guard !isLost, case .open(let item, _) = machine.sound else { return }
        _ = machine.add(QueueSeek(number: 0, item: item, seconds: max(0, seconds)))
        proceed()
    }

    // MARK: Chapters

    var hasChapters: Bool { chapters.count > 1 }

    private func readChapters() {
        chapters = []
        guard let item, !item.source.isSlow else { return }
        chapters =
            (try? item.source.withPath(name: item.name) { [backend = run.backend] in backend.chapters(path: $0) }) ?? []
    }

    /// "2/5 Title"; nil before the first one.
    private func chapter(at position: Double) -> String? {
        guard let index = chapters.lastIndex(where: { $0.startSeconds <= position }) else { return nil }
        return "\(index + 1)/\(chapters.count) \(chapters[index].title)"
    }

    func seekToNextChapter() {
        guard let player else { return }
        let position = player.status.position
        if let next = chapters.first(where: { $0.startSeconds > position }) { seek(toSeconds: next.startSeconds) }
    }

    /// The beginning of this chapter; in its first 3 s, that of the one before it.
    func seekToPreviousChapter() {
        guard let player else { return }
        let position = player.status.position
        let before = chapters.last { $0.startSeconds <= position - 3 } ?? chapters.first
        if let before { seek(toSeconds: before.startSeconds) }
    }

    /// The item's own title or the last component of its name.
    var shortName: String { item.map { $0.title ?? $0.shortName } ?? "" }

    /// Names the item that is open: another number is another item.
    var itemNumber: Int { Int(machine.sound.item?.number ?? 0) }

    /// The item's path or address; nil if it has none.
    var address: String? {
        switch item?.source {
        case .file(let path): path.text
        case .address(let address): address
        case .standardInput, .nothing, nil: nil
        }
    }

    var hasNext: Bool { nextIndex != nil }

    /// Begins the next item; does nothing at the last one.
    ///
    /// What was paused stays paused.
    func skipForward() {
        guard hasNext, canSkip else { return }
        beginNext()
        proceed()
    }

    /// Begins the item again; in its first 3 s, and unless it is the first one, the one before it.
    func skipBack() {
        guard index > 0, (player?.status.position ?? 0) < 3 else { return seek(toSeconds: 0) }
        guard canSkip else { return }
        index -= 1
        _ = machine.setItems([run.nextItem()])
        proceed()
    }

    private var canSkip: Bool { !isLost && (player != nil || isOpening) }

    private static func title(_ info: FilePlayer.Info, of item: PlayPlan.Item) -> String {
        if let title = item.title { return title }
        guard let title = info.title, !title.isEmpty else { return item.shortName }
        return info.artist.map { "\(title), \($0)" } ?? title
    }
}
