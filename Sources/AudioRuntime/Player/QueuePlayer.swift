package import AudioFiles
package import AudioModel
internal import SessionCore
internal import Synchronization
internal import TransportCore

/// A sound that a `QueuePlayer` plays.
package protocol QueueItem: AnyObject, Sendable {
    /// Opens it at its beginning; may wait for a disk or a server.
    func open(outputSampleRate: Double) throws(AudioFileError) -> sending AudioFileReader
    /// An `open` that waits for a server throws soon.
    ///
    /// Any thread.
    func cancelOpening()
    /// Where it begins, in seconds; does not change.
    var startSeconds: Double { get }
    /// Where it ends, in seconds; nil: at its own end.
    ///
    /// `QueuePlayer.endChanged` tells of another one.
    var endSeconds: Double? { get }
    /// It was sought before it is open, and does not follow another without a gap.
    var isSought: Bool { get }
}

/// Plays the first item of a queue at a rate, and the next one after it, by one `FilePlayer` at a time (decision 22).
///
/// Where the next item has the same channels, the `FilePlayer` plays it too, and there is no gap.
///
/// Any thread may call it; no call waits. The calls store what is asked for; a thread of the player's own carries it out
/// and handles what the session did meanwhile. Both compare with the newest state, so that a late report of a pause does
/// not undo a later request.
package final class QueuePlayer: Sendable {
    /// What the player does with the first item.
    package enum Phase: Hashable, Sendable {
        /// The rate is 0.
        ///
        /// Legal exits: waitingForItem, opening, ended.
        case paused
        /// The rate is not 0 and the queue is empty.
        ///
        /// Legal exits: opening, paused.
        case waitingForItem
        /// The item is being opened, or the session has not answered yet.
        ///
        /// Legal exits: playing, waitingForSound, suppressed, paused, ended, waitingForItem.
        case opening
        /// Legal exits: waitingForSound, suppressed, paused, ended, opening (next item), waitingForItem.
        case playing
        /// The item's server has not sent enough.
        ///
        /// Legal exits: playing, suppressed, paused, ended, opening (next item), waitingForItem.
        case waitingForSound
        /// The session keeps it silent and starts it again.
        ///
        /// Legal exits: playing, paused, opening, waitingForItem.
        case suppressed(Suppression)
        /// The item is at its end and stays there; the rate is not 0.
        ///
        /// Legal exits: opening (sought), paused, waitingForItem.
        case ended
    }

    package enum EndAction: Hashable, Sendable {
        /// The next item, if there is one.
        case advance
        case pause
        /// Stays at the end, with its rate.
        case stay
    }

    /// Who changed the rate.
    package enum RateCause: Hashable, Sendable {
        case request
        /// The session refused a request.
        case refusal
        /// An interruption, its end, a lost device, a deactivation.
        case session
    }

    package enum Event: Sendable {
        /// The rate that `Status` has is another.
        case rateChanged(RateCause)
        case opened(any QueueItem)
        /// It cannot be played, or not to its end.
        case failed(any QueueItem, ItemError, wasOpen: Bool)
        case ended(any QueueItem)
        /// By a seek.
        case jumped(any QueueItem)
        /// It played, and its server has not sent what comes next.
        case stalled(any QueueItem)
        /// The session is lost: make a new player.
        case lostSession(String)
        /// Another of `Status`' members is another.
        case changed
    }

    package enum ItemError: Sendable {
        case file(AudioFileError)
        /// In words.
        case message(String)
    }

    package struct Status: Sendable {
        package internal(set) var items: [any QueueItem] = []
        package internal(set) var phase = Phase.paused
        /// What was asked for; 0 is a pause.
        package internal(set) var requestedRate: Float = 0

        /// Of what sounds or is about to; 0 while it is paused or suppressed.
        package var rate: Float {
            switch phase {
            case .paused, .suppressed: 0
            case .waitingForItem, .opening, .playing, .waitingForSound, .ended: requestedRate
            }
        }
    }

    package let runtime: SessionRuntime
    private let state = Mutex(QueueState())
    private let onEvent: @Sendable (Event) -> Void
    private let onTime: @Sendable (Double) -> Double
    /// A player that resumes by itself.
    private static let policy = StreamPolicy(onInterruption: .pauseAndResume)
    /// Carries out what is asked for.
    private let work = DeliveryThread(name: "oav-player")
    /// Opens items: a slow disk must not delay a pause.
    private let loader = DeliveryThread(name: "oav-loader")

    /// - Parameters:
    ///   - onEvent: called after each change, on the thread that called this player or on its own, with no lock held.
    ///   - onTime: called while the first item plays, on its reader thread, with the position in seconds; returns after
    ///     how many seconds of the host's clock it wants to be called again at the latest.
    package init(
        runtime: SessionRuntime, onEvent: @escaping @Sendable (Event) -> Void,
        onTime: @escaping @Sendable (Double) -> Double
    ) {
        self.runtime = runtime
        self.onEvent = onEvent
        self.onTime = onTime
        runtime.notices.include(work)
        runtime.notices.include(loader)
    }

    // MARK: Any thread

    package var status: Status { state.withLock { $0.status } }

    /// Seconds into the first item, or where a seek goes; 0 while it is not open.
    package var position: Double {
        let (target, player) = state.withLock { ($0.target, $0.sound.player) }
        return target ?? player?.status.position ?? 0
    }

    package var endAction: EndAction {
        get { state.withLock { $0.endAction } }
        set {
            state.withLock { $0.endAction = newValue }
            enqueue { $0.joinNext() }
        }
    }

    /// 0...1, linear amplitude.
    package func setVolume(_ volume: Float) {
        state.withLock {
            $0.volume = volume
            $0.sound.player?.volume = volume
        }
    }

    /// - Parameter rate: 0 is a pause.
    package func setRate(_ rate: Float) {
        change(.request) { $0.setRate(rate) }
        enqueue { $0.carryOutRate() }
    }

    /// Changes the queue; if the first item is another one, that is opened, and played at the rate.
    package func changeItems(_ body: (inout [any QueueItem]) -> Void) {
        let (dropped, unwanted) = change(.request) { $0.changeItems(body) }
        dropped?.completion(false)
        // The thread that waits for its server is to open others.
        unwanted?.cancelOpening()
        enqueue {
            $0.openFirst()
            $0.joinNext()
        }
    }

    /// Goes to a time of the first item.
    ///
    /// - Parameter completion: called once: true where the seek was carried out, false where another took its place or
    ///   the item is not the first any more.
    package func seek(
        _ item: any QueueItem, toSeconds seconds: Double, completion: @escaping @Sendable (Bool) -> Void
    ) {
        let dropped = state.withLock { $0.add(.init(item: item, seconds: seconds, completion: completion)) }
        dropped?.completion(false)
        enqueue { $0.carryOutSeek() }
    }

    package func cancelSeeks(of item: any QueueItem) {
        state.withLock { $0.removeSeek(of: item) }?.completion(false)
    }

    /// The item's `endSeconds` is another now.
    package func endChanged(of item: any QueueItem) { enqueue { $0.carryOutEnd(of: item) } }

    /// `onTime` is called soon.
    package func wakeClock() { state.withLock { $0.sound.player }?.wakeClock() }

    /// Ends the sound soon.
    package func close() {
        changeItems { $0 = [] }
        work.close()
        // Openings that are queued have no use any more.
        loader.close()
    }

    // MARK: Own thread

    /// Keeps the player until the work is done.
    private func enqueue(_ body: @escaping @Sendable (QueuePlayer) -> Void) { work.enqueue { body(self) } }

    private func openFirst() {
        let (old, next, unwanted) = state.change { $0.beginOpening() }
        unwanted?.cancelOpening()
        old?.close()
        guard let next else { return }
        loader.enqueue { [weak self] in
            guard let self else { return }
            // A queue may have gone on while this waited.
            guard state.withLock({ $0.isOpening(next) }) else { return }
            let opened = open(next)
            enqueue { $0.opened(next, opened) }
        }
    }

    private enum Opened: Sendable {
        case player(FilePlayer)
        case failed(ItemError)
    }

    private func open(_ item: any QueueItem) -> Opened {
        do throws(AudioFileError) {
            let reader = try item.open(outputSampleRate: runtime.host.sampleRate)
            do throws(SessionError) {
                return .player(
                    try FilePlayer(
                        reader: reader, runtime: runtime, policy: Self.policy, volume: state.withLock { $0.volume },
                        onChange: { [weak self] _ in self?.enqueue { $0.update() } }, onTime: onTime,
                        onNextFile: { [weak self] number in self?.enqueue { $0.beganNext(number) } }))
            } catch {
                return .failed(.message(error.message))
            }
        } catch {
            return .failed(.file(error))
        }
    }

    private func opened(_ item: any QueueItem, _ opened: Opened) {
        switch opened {
        case .player(let player):
            guard state.withLock({ $0.open(item, player) }) else { return player.close() }
            player.setEnd(atSeconds: item.endSeconds, ofFile: 0)
            if item.startSeconds > 0 { player.seek(toSeconds: item.startSeconds) }
            onEvent(.opened(item))
            player.streamBuffer?.onChange { [weak self] in self?.onEvent(.changed) }
            carryOutSeek()
            carryOutRate()
            joinNext()
        case .failed(let error):
            if state.withLock({ $0.isOpening(item) }) { fail(item, error, wasOpen: false) }
        }
    }

    // MARK: Without a gap

    /// Has the next item follow without a gap, or another one than before.
    private func joinNext() {
        guard let (player, next, hasJoined) = state.change({ $0.beginJoining() }) else { return }
        if hasJoined { player.setNext(nil) }
        guard let next else { return }
        loader.enqueue { [weak self] in
            guard let self, isJoining(next, to: player) else { return }
            // Where it cannot be opened, that is told when its turn comes.
            guard let reader = try? next.openAtStart(outputSampleRate: runtime.host.sampleRate) else { return }
            guard isJoining(next, to: player), let number = player.setNext(reader, endSeconds: next.endSeconds) else {
                return
            }
            enqueue { $0.joined(next, to: player, number: number) }
        }
    }

    private func isJoining(_ item: any QueueItem, to player: FilePlayer) -> Bool {
        state.withLock { $0.isJoining(item, to: player) }
    }

    private func joined(_ item: any QueueItem, to player: FilePlayer, number: UInt64) {
        if state.withLock({ $0.join(item, to: player, number: number) }) {
            carryOutEnd(of: item)
        } else {
            player.setNext(nil)
        }
    }

    /// The item that was joined sounds: it is the first one now.
    private func beganNext(_ number: UInt64) {
        guard let began = change(.request, { $0.beginJoined(number) }) else { return }
        onEvent(.opened(began.new))
        onEvent(.ended(began.old))
        // The queue may have been changed meanwhile.
        openFirst()
        joinNext()
    }

    // MARK: Rate and time

    private func carryOutRate() {
        let (sound, rate, request) = state.withLock { ($0.sound, $0.status.requestedRate, $0.request) }
        switch sound {
        case .none, .opening, .failed: return
        case .ended(let item, _):
            // To play at the end is to be at the end.
            if rate != 0 { end(item) }
        case .open(_, let player):
            guard rate != 0 else {
                player.pause()
                break
            }
            player.rate = rate == 1 ? nil : rate
            do throws(SessionError) {
                try player.play()
            } catch {
                change(.refusal) { $0.refuse(request) }
            }
        }
        state.withLock { $0.noteCarriedOut(request) }
        update()
    }

    private func carryOutSeek() {
        guard let (sound, player, seek) = state.withLock({ $0.beginSeek() }) else { return }
        player.seek(toSeconds: seek.seconds)
        state.withLock { $0.finishSeek() }
        if case .ended(let item, _) = sound { leaveEnd(of: item, player) }
        onEvent(.jumped(seek.item))
        seek.completion(true)
    }

    /// It was sought.
    private func leaveEnd(of item: any QueueItem, _ player: FilePlayer) {
        change(.request) { $0.leaveEnd(of: item, player) }
        carryOutRate()
    }

    private func carryOutEnd(of item: any QueueItem) {
        guard let (player, file, hasEnded) = state.withLock({ $0.place(of: item) }) else { return }
        player.setEnd(atSeconds: item.endSeconds, ofFile: file)
        guard hasEnded else { return }
        let position = player.status.position
        guard min(item.endSeconds ?? .infinity, player.info.duration) > position else { return }
        // There is more to play now.
        player.seek(toSeconds: position)
        leaveEnd(of: item, player)
    }

    /// Follows what the session and the item's player did.
    private func update() {
        guard case .open(let item, let player) = state.withLock({ $0.sound }) else { return }
        let (status, isWaiting) = (player.status.transport, player.status.isWaiting)
        switch status.state {
        case .finished:
            state.withLock { $0.finish(item, player) }
            end(item)
        case .failed:
            fail(item, .message(status.message ?? ""), wasOpen: true)
            if status.errorCode != nil { onEvent(.lostSession(status.message ?? "")) }
        case .ready, .playing, .paused:
            let hasStalled = change(status.cause == .refusal ? .refusal : .session) {
                $0.follow(status, isWaiting: isWaiting)
            }
            if hasStalled { onEvent(.stalled(item)) }
        }
    }

    private func end(_ item: any QueueItem) {
        change(.request) { $0.end(item) }
        onEvent(.ended(item))
        openFirst()
    }

    private func fail(_ item: any QueueItem, _ error: ItemError, wasOpen: Bool) {
        change(.request) { $0.fail(item) }?.completion(false)
        onEvent(.failed(item, error, wasOpen: wasOpen))
    }

    // MARK: State

    @discardableResult
    private func change<Result: Sendable>(_ cause: RateCause, _ body: (inout QueueState) -> Result) -> Result {
        let (old, new, result) = state.change { state in
            let old = state.status
            let result = body(&state)
            return (old, state.status, result)
        }
        if old.rate != new.rate { onEvent(.rateChanged(cause)) }
        onEvent(.changed)
        return result
    }
}

extension QueueItem {
    /// Opens it where it begins.
    fileprivate func openAtStart(outputSampleRate: Double) throws(AudioFileError) -> sending AudioFileReader {
        let reader = try open(outputSampleRate: outputSampleRate)
        if startSeconds > 0 { try reader.seek(toSeconds: startSeconds) }
        return reader
    }
}
