import AudioRuntime
import OpenAudioSession
import ProgramRuntime
import QueueRuntime

/// Plays its items one after another, without a gap where they have the same channels.
///
/// A run has one queue, or one per file if every file has its own output. A `QueuePlayer` plays the item and the one that follows; this
/// gives it the items, and shows what comes of them. The command thread; it waits for nothing but the session.
final class PlayQueue {
    private(set) var order: PlayOrder
    private unowned let run: PlayRunner
    private let queue: any ItemQueue

    /// It plays, or is about to; nil after the last one.
    private var current: PlayItem?
    /// Has the player that plays `current`, which may have joined it.
    private var head: PlayItem?
    /// It is in the queue behind `current`.
    private var next: PlayItem?
    /// Of the item, by its player; what the person wants of it now is in it at once.
    private var reported = FilePlayer.Transport(.ready, playWhenReady: true)
    /// The server stopped here; the failed player is shown until another is opened.
    private var lossSeconds: Double?
    /// From an automatic continuation after a loss of the server until a player sounds.
    private var continuesPrivately = false
    /// When the person last asked for sound, by `audiosession play` itself or by a key, or a server returned; the item after one that
    /// failed goes on for that.
    private var knownLosses: UInt64 = 0
    /// A key asked the item to play: a refusal is only told.
    private var isAskedByKey = false
    private var returnRule: ReturnRule

    init(items: [PlayPlan.Item], number: Int, run: PlayRunner) {
        order = PlayOrder(items)
        order.jump(to: run.plan.startIndex)
        self.run = run
        returnRule = ReturnRule(run.plan.onReturn, uid: items.first?.output?.uid)
        _ = returnRule.routeChanged(to: run.backend.currentRoute, isLoss: false, at: 0)
        queue = run.backend.makeQueue { [deliver = run.context.deliver, stopwatch = run.log.stopwatch] event in
            if case .changed = event { return }
            deliver(.report(.init(queue: number, event: event), time: stopwatch.seconds))
        }
    }

    var isDone: Bool { current == nil }

    /// Its player failed with the server and was not replaced yet.
    var isLost: Bool { lossSeconds != nil }

    var isPlaying: Bool { [.playing, .waitingForSound, .waitingForOutput].contains(queue.status.phase) }

    var player: (any Player)? { head?.player }

    /// The name in events of the item that is open, or was last.
    var fileName: String? { order.item?.name }

    private var isOpening: Bool { current != nil && player == nil && !isLost }

    /// What a live display shows now; nil between items.
    var track: NowPlaying.Track? {
        guard let current, player != nil || isOpening else { return nil }
        let (item, info) = (current.item, player?.info)
        return .init(
            title: Self.title(info, of: item), place: order.place, output: item.output?.label,
            state: player?.status.state ?? .ready, position: position, duration: duration,
            chapter: current.chapters.label(at: position), facts: info.map { Self.facts($0, of: current) })
    }

    /// In seconds of the item, like `duration`.
    var position: Double { max(0, queue.position - (current?.item.begin ?? 0)) }

    /// 0 if it is not known.
    var duration: Double { current?.item.duration(ofFile: player?.info.duration ?? 0) ?? 0 }

    /// Of a file that a cue sheet divides.
    var part: PlayPlan.Part? { current?.item.part }

    var blockReason: NowPlaying.BlockReason? {
        if isOpening, current?.item.source.isSlow == true { return .opening }
        if isLost { return run.backend.isServerConnected ? .serverWasLost : .serverIsLost }
        guard let status = player?.status else { return nil }
        if queue.status.phase == .waitingForOutput { return .outputStands }
        if status.state == .playing { return status.isWaiting ? .waitingForServer : nil }
        if run.backend.isInCall { return status.playWhenReady ? .callForNow : .call }
        if status.cause == .refusal { return .refused }
        if isAwaitingPrivateOutput { return .outputIsNotPrivate }
        if hasPaused(.oldDeviceUnavailable) {
            return .outputLeft(waitsFor: returnRule.awaited(at: run.log.stopwatch.seconds)?.map(\.name) ?? [])
        }
        // After `routeDisconnected` the route and the keys show everything.
        guard run.backend.interruption == .default else { return nil }
        return status.playWhenReady ? .interruptedForNow : .interrupted
    }

    /// Only outputs are connected that others hear.
    private var isAwaitingPrivateOutput: Bool {
        guard continuesPrivately, let status = player?.status else { return false }
        return status.cause == .noSuitableRoute && status.playWhenReady && !run.backend.currentRoute.outputs.isEmpty
    }

    /// The names of the outputs that it played on, without those that are still there.
    var lostOutputs: [String] {
        let route = run.backend.currentRoute
        let lost = returnRule.home.filter { !route.has([$0]) }
        return (lost.isEmpty ? returnRule.home : lost).map(\.name)
    }

    /// That it has paused for this cause was told.
    func hasPaused(_ cause: FilePlayer.Cause) -> Bool { reported.state == .paused && reported.cause == cause }

    // MARK: Items

    private var nextIndex: Int? { order.nextIndex(rounds: run.plan.rounds) }

    func begin() { if order.item != nil { begin(at: run.plan.startSeconds) } }

    /// Plays the item with another player.
    private func begin(at seconds: Double) {
        knownLosses = run.backend.outputLosses
        // The session on a new server has its initial category.
        let isOnNewServer = isLost
        lossSeconds = nil
        reported.playWhenReady = true
        do throws(BackendError) {
            if isOnNewServer { try run.backend.configure(run.plan.settings) }
            goOn(with: makeItem(order.index, at: seconds, privately: continuesPrivately))
        } catch {
            fail(error, at: seconds)
        }
    }

    /// - Parameter privately: as of `StreamPolicy.continuesPrivately`.
    private func makeItem(_ index: Int, at seconds: Double = 0, privately: Bool) -> PlayItem {
        PlayItem(
            order.items[index], index: index, number: run.nextNumber(), isOnly: order.isOneFile, start: seconds,
            continuesPrivately: privately, plan: run.currentPlan)
    }

    /// - Parameter item: takes the place of all that there is; plays if the person wants sound.
    private func goOn(with item: PlayItem?) {
        show(item)
        (head, next) = (item, nil)
        queue.setVolume(run.soundingVolume)
        queue.changeItems { $0 = item.map { [$0] } ?? [] }
        addNext()
        // The one before may have failed, which ends what was wanted of the queue.
        if item != nil, reported.playWhenReady, queue.status.requestedRate == 0 { askForSound() }
    }

    private func askForSound() {
        if !queue.setRate(run.plan.speed, knownLosses: knownLosses) { noteLoss() }
    }

    private func show(_ item: PlayItem?) {
        current = item
        reported = .init(.ready, playWhenReady: reported.playWhenReady)
        isAskedByKey = false
    }

    private func goOn() {
        guard let nextIndex else { return goOn(with: nil) }
        order.moveOn(to: nextIndex)
        goOn(with: makeItem(nextIndex, privately: continuesPrivately))
    }

    /// Without a gap, where it can join the player.
    ///
    /// Its turn comes when `current` has sounded, so it waits for no private output.
    private func addNext() {
        guard next == nil, current != nil, let nextIndex else { return }
        let item = makeItem(nextIndex, privately: false)
        next = item
        queue.changeItems { $0.append(item) }
    }

    func close() { queue.closeAndWait() }

    // MARK: Events

    func handle(_ event: QueuePlayer.Event, time: Double) {
        switch event {
        case .reported(let item, let status):
            if item === head, status.state != .ready { handle(ofFile: status, time: time) }
        case .ended(let item, let isFollowed): if item === current { end(isFollowed: isFollowed, time: time) }
        case .failed(let item, let error, let wasOpen): if item === current { fail(error, wasOpen: wasOpen) }
        case .refused(let error): handle(refusal: BackendError(error, lossReason: run.backend.lossReason))
        case .rateChanged(.session):
            // A player that plays tells of the loss itself.
            let status = player?.status
            if status?.state ?? .ready == .ready, queue.status.requestedRate == 0 { noteLoss() }
        case .channelMapReset(let reset): run.note(reset, of: self, time: time)
        case .stuck(let item, let lack): if item === current { run.show(stuck(lack), of: self) }
        case .rateChanged, .opened, .jumped, .stalled, .changed: break
        }
    }

    /// - Parameter status: its position is that in the file.
    private func handle(ofFile status: FilePlayer.Status, time: Double) {
        var status = status
        status.position = max(0, status.position - (current?.item.begin ?? 0))
        handle(status, time: time)
    }

    /// - Parameter status: a report of the player; none counts while the sound has not come from its server.
    private func handle(_ status: FilePlayer.Status, time: Double) {
        guard !status.isWaiting, status.transport != reported else { return }
        if status.state == .playing { returnRule.forget() }
        if status.state == .paused, status.cause == .oldDeviceUnavailable { returnRule.pausedByLoss(at: time) }
        run.tell(status, of: self, time: time)
        // Its failure follows, and needs to know what was wanted.
        guard status.state != .failed, status.state != .finished else { return }
        reported = status.transport
        order.failures = 0
        if status.state == .playing { continuesPrivately = false }
    }

    /// The item goes on when it gets what it lacks.
    private func stuck(_ lack: QueuePlayer.Watch.Lack) -> BackendError {
        let message =
            switch lack {
            case .output:
                "\(current?.item.output?.label ?? run.backend.currentRoute.label) has taken no sound for "
                    + "\(Int(QueuePlayer.Watch.playingSeconds)) s; choose another output with "
                    + "\(run.plan.isInteractive ? "the key d" : "--device"), or find out why: audiosession doctor. "
                    + "Playback goes on when it takes sound."
            case .sound, .item:
                "no sound comes of '\(fileName ?? "")'; check its disk or its server. Playback goes on when it comes."
            }
        return BackendError(.noSound, message)
    }

    /// An output has left while nothing sounded that was to.
    private func noteLoss() {
        let status = FilePlayer.Status(transport: .init(.paused, .oldDeviceUnavailable), position: position)
        handle(status, time: run.log.stopwatch.seconds)
    }

    /// - Parameter isFollowed: the next item plays in place of this one.
    private func end(isFollowed: Bool, time: Double) {
        if isFollowed, var status = player?.status {
            (status.transport, status.position) = (
                .init(.finished, .endOfFile), current?.item.duration(ofFile: current?.info?.duration ?? 0) ?? 0
            )
            run.tell(status, of: self, time: time)
        }
        guard let item = next else { return goOn() }
        order.moveOn(to: item.index)
        show(item)
        next = nil
        if !isFollowed { head = item }
        addNext()
        // Any other state has a report of its own.
        if isFollowed, let status = player?.status, status.state == .playing { handle(ofFile: status, time: time) }
    }

    /// The item, or the rest of it, is not played.
    private func fail(_ error: QueuePlayer.ItemError, wasOpen: Bool) {
        let position = wasOpen ? position : current?.start ?? 0
        let lossReason = run.backend.lossReason
        switch error {
        case .file(let error):
            fail(BackendError(error), at: position)
        case .playback(.session(let error)) where !wasOpen:
            fail(BackendError(error, lossReason: lossReason), at: position)
        case .playback(.session(let error)) where error.code == .mediaServicesFailed:
            let message = BackendError.serverLost(lossReason)
            lose(BackendError(.playbackFailed, message), at: position)
        case .playback(let failure):
            fail(BackendError(.playbackFailed, failure.message), at: position)
        }
    }

    private func fail(_ error: BackendError, at position: Double) {
        if error.isServerLoss { return lose(error, at: position) }
        run.show(error, of: self, isFailure: true)
        order.failures += 1
        goOn()
    }

    /// The session does not let the item play.
    private func handle(refusal error: BackendError) {
        reported.playWhenReady = error.isServerLoss || player?.status.playWhenReady == true
        if !error.isServerLoss, isAskedByKey || error.isRefusal {
            // The item is not the cause: the next ones would be refused, too.
            run.show(error, of: self, endsTheRun: !isAskedByKey && !run.plan.isInteractive)
        } else {
            fail(error, at: position)
        }
    }

    // MARK: The sound server

    /// The player has failed; different threads report this and the loss of the server, in any order.
    private func lose(_ error: BackendError, at position: Double) {
        guard !isLost else { return }
        // A station has a present only.
        lossSeconds = player?.isLive == true ? 0 : position
        run.queueWasLost(self, error)
    }

    /// Continues where it was, if the run resumes automatically and a server is running.
    ///
    /// Sound that an unplug would pause waits for the output that it was on, or for another private one.
    func resumeAfterLoss() {
        guard run.plan.serverLoss == .resume, isLost, reported.playWhenReady, run.backend.isServerConnected else {
            return
        }
        playAgain(privately: run.plan.policy.onDeviceLoss == .pause)
    }

    /// - Parameter privately: false where a person asked: the display said where it plays.
    func playAgain(privately: Bool = false) {
        guard let lossSeconds else { return }
        continuesPrivately = privately
        begin(at: lossSeconds)
    }

    // MARK: Control

    func pause() {
        returnRule.forget()
        reported.playWhenReady = false
        queue.setRate(0, knownLosses: nil)
    }

    /// A person asks: plays on the route's outputs, also where it waits for a private one.
    func play() {
        if isAwaitingPrivateOutput {
            continuesPrivately = false
            return begin(at: position)
        }
        knownLosses = run.backend.outputLosses
        resume()
    }

    /// As the person wanted it last: an output that has left since leaves it paused.
    func resume() {
        isAskedByKey = true
        reported.playWhenReady = true
        askForSound()
    }

    /// - Returns: whether the outputs that it waits for are back, and it is to go on.
    func routeChanged(to new: RouteFacts, isLoss: Bool, at time: Double) -> Bool {
        let (losses, route) = (run.backend.outputLosses, run.backend.currentRoute)
        guard returnRule.routeChanged(to: new, isLoss: isLoss, at: time, areThere: route.has),
            hasPaused(.oldDeviceUnavailable), !isLost
        else { return false }
        // Of before the route: what leaves after it was read is a loss that the request does not know.
        knownLosses = losses
        return true
    }

    func setSpeed(_ speed: Float) { queue.setSpeed(speed) }

    func setVolume(_ volume: Float) { queue.setVolume(volume) }

    func setChannelMap(_ map: [Int]?) throws(BackendError) {
        try run.backend.explaining { () throws(FilePlayer.PlaybackError) in try player?.setChannelMap(map) }
    }

    func seek(_ seek: PlaySeek) {
        guard !isLost, let current, player != nil else { return }
        let target = seek.target(from: position, duration: duration, chapters: current.chapters)
        guard let target else { return }
        queue.seek(current, toSeconds: current.item.begin + (duration > 0 ? min(target, duration) : target)) { _ in }
    }

    func roundsChanged() {
        if order.isOneFile { player?.repetitions = run.plan.repetitions }
        if let item = next, item.index != nextIndex {
            next = nil
            queue.changeItems { $0.removeAll { $0 === item } }
        }
        addNext()
    }

    /// Of the items that come; one that was joined to this one stays the next.
    func setOrder(isShuffled: Bool) { order.arrange(from: order.index + (next == nil ? 1 : 2), isShuffled: isShuffled) }

    // MARK: Chapters

    var hasChapters: Bool { current?.chapters.isUseful ?? false }

    // MARK: Next, previous

    /// The item's own title or the last component of its name.
    var shortName: String { order.item.map { $0.title ?? $0.shortName } ?? "" }

    /// Names the item that is open: another number is another item.
    var itemNumber: Int { current?.number ?? 0 }

    /// The item's path or address; nil if it has none.
    var address: String? {
        switch order.item?.source {
        case .file(let path): path.text
        case .address(let address): address
        case .standardInput, .nothing, nil: nil
        }
    }

    var hasNext: Bool { nextIndex != nil }

    /// Begins the next item; does nothing at the last one.
    ///
    /// What was paused stays paused.
    func skipForward() { if hasNext, canSkip { goOn() } }

    /// Begins the item again; in its first 3 s, and unless it is the first one, the one before it.
    func skipBack() {
        guard order.index > 0, position < 3 else { return seek(.to(0)) }
        jump(to: order.index - 1)
    }

    /// Begins another item; what was paused stays paused.
    func jump(to index: Int) {
        guard canSkip, order.items.indices.contains(index) else { return }
        order.jump(to: index)
        goOn(with: makeItem(index, privately: continuesPrivately))
    }

    /// The file that is open, or was last, and how far it is in the file; nil for what is no file.
    var place: (file: String, seconds: Double)? { order.item?.absolutePath.map { ($0, queue.position) } }

    /// Its file has been heard to its end.
    func isHeard(_ status: FilePlayer.Status) -> Bool { status.state == .finished && part?.end == nil }

    private var canSkip: Bool { !isLost && (player != nil || isOpening) }

    private static func title(_ info: FilePlayer.Info?, of item: PlayPlan.Item) -> String {
        if let title = item.title { return title }
        guard let title = info?.title, !title.isEmpty else { return item.shortName }
        return info?.artist.map { "\(title), \($0)" } ?? title
    }

    /// "track gain -6.2 dB  Album  FLAC, 16 bit, 44.1 kHz".
    private static func facts(_ info: FilePlayer.Info, of item: PlayItem) -> String {
        let kilohertz = (info.sampleRate / 1000).fixed(1).replacing(".0", with: "")
        let album = item.item.part?.album ?? info.tags.album
        return [item.gainText, album, "\(info.formatName), \(kilohertz) kHz"].compactMap(\.self).joined(separator: "  ")
    }
}
