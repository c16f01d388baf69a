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
        package fileprivate(set) var items: [any QueueItem] = []
        package fileprivate(set) var phase = Phase.paused
        /// What was asked for; 0 is a pause.
        package fileprivate(set) var requestedRate: Float = 0

        /// Of what sounds or is about to; 0 while it is paused or suppressed.
        package var rate: Float {
            switch phase {
            case .paused, .suppressed: 0
            case .waitingForItem, .opening, .playing, .waitingForSound, .ended: requestedRate
            }
        }
    }

    private enum Sound {
        case none
        case opening(any QueueItem)
        case open(any QueueItem, FilePlayer)
        case ended(any QueueItem, FilePlayer)
        case failed(any QueueItem)

        var item: (any QueueItem)? {
            switch self {
            case .none: nil
            case .opening(let item), .failed(let item): item
            case .open(let item, _), .ended(let item, _): item
            }
        }

        var hasFailed: Bool { if case .failed = self { true } else { false } }

        var player: FilePlayer? {
            switch self {
            case .open(_, let player), .ended(_, let player): player
            case .none, .opening, .failed: nil
            }
        }
    }

    private struct State {
        var status = Status()
        var sound = Sound.none
        var endAction = EndAction.advance
        var volume: Float = 1
        /// Counts the requests of a rate.
        var request: UInt64 = 0
        /// The last one that the item's player has carried out.
        var carriedOut: UInt64 = 0
        var seek: Seek?
        var joined = Joined.none
        /// The number that the file player has for the first item.
        var file: UInt64 = 0

        /// The item that is to follow the first one without a gap.
        var wantedNext: (any QueueItem)? {
            guard endAction == .advance, case .open(let item, _) = sound, status.items.count > 1 else { return nil }
            guard status.items[0] === item, !status.items[1].isSought else { return nil }
            return status.items[1]
        }
    }

    /// What follows the first item without a gap.
    private enum Joined {
        /// Legal exits: opening.
        case none
        /// Legal exits: item, none.
        case opening(any QueueItem)
        /// The file player has it, under this number; legal exits: none.
        case item(any QueueItem, number: UInt64)

        var item: (any QueueItem)? {
            switch self {
            case .none: nil
            case .opening(let item), .item(let item, _): item
            }
        }
    }

    private struct Seek {
        var item: any QueueItem
        var seconds: Double
        var completion: @Sendable (Bool) -> Void
    }

    package let runtime: SessionRuntime
    private let state = Mutex(State())
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
        let (seek, player) = state.withLock { ($0.seek?.seconds, $0.sound.player) }
        return seek ?? player?.status.position ?? 0
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
        change(.request) { state in
            state.status.requestedRate = rate
            state.request += 1
            state.status.phase = Self.phaseOfRequest(state)
        }
        enqueue { $0.carryOutRate() }
    }

    /// Changes the queue; if the first item is another one, that is opened, and played at the rate.
    package func changeItems(_ body: (inout [any QueueItem]) -> Void) {
        var dropped: Seek?
        var unwanted: (any QueueItem)?
        change(.request) { state in
            body(&state.status.items)
            guard state.status.items.first !== state.sound.item else { return }
            if case .opening(let item) = state.sound { unwanted = item }
            if let seek = state.seek, seek.item !== state.status.items.first {
                dropped = seek
                state.seek = nil
            }
            if state.status.requestedRate != 0 { state.status.phase = Self.phaseOfRequest(state) }
        }
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
        let (isFirst, dropped) = state.withLock { state in
            guard state.status.items.first === item, !state.sound.hasFailed else { return (false, state.seek) }
            defer { state.seek = Seek(item: item, seconds: seconds, completion: completion) }
            return (true, state.seek)
        }
        guard isFirst else { return completion(false) }
        dropped?.completion(false)
        enqueue { $0.carryOutSeek() }
    }

    package func cancelSeeks(of item: any QueueItem) {
        let dropped = state.withLock { state -> Seek? in
            guard state.seek?.item === item else { return nil }
            defer { state.seek = nil }
            return state.seek
        }
        dropped?.completion(false)
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
        var unwanted: (any QueueItem)?
        let (old, next) = state.withLock { state -> (FilePlayer?, (any QueueItem)?) in
            let first = state.status.items.first
            guard first !== state.sound.item else { return (nil, nil) }
            if case .opening(let item) = state.joined { unwanted = item }
            state.joined = .none
            defer { state.sound = first.map(Sound.opening) ?? .none }
            return (state.sound.player, first)
        }
        unwanted?.cancelOpening()
        old?.close()
        guard let next else { return }
        loader.enqueue { [weak self] in
            guard let self else { return }
            // A queue may have gone on while this waited.
            guard state.withLock({ $0.sound.item === next }) else { return }
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
        let isStale = state.withLock { state in
            guard case .opening(let current) = state.sound, current === item else { return true }
            if case .player(let player) = opened {
                state.sound = .open(item, player)
                state.file = 0
                player.volume = state.volume
            }
            return false
        }
        switch opened {
        case .player(let player):
            guard !isStale else { return player.close() }
            player.setEnd(atSeconds: item.endSeconds, ofFile: 0)
            if item.startSeconds > 0 { player.seek(toSeconds: item.startSeconds) }
            onEvent(.opened(item))
            player.streamBuffer?.onChange { [weak self] in self?.onEvent(.changed) }
            carryOutSeek()
            carryOutRate()
            joinNext()
        case .failed(let error):
            if !isStale { fail(item, error, wasOpen: false) }
        }
    }

    // MARK: Without a gap

    /// Has the next item follow without a gap, or another one than before.
    private func joinNext() {
        let (player, next, isOther) = state.withLock { state -> (FilePlayer?, (any QueueItem)?, Bool) in
            let next = state.wantedNext
            guard next !== state.joined.item else { return (nil, nil, false) }
            let isOther = if case .item = state.joined { true } else { false }
            state.joined = next.map(Joined.opening) ?? .none
            return (state.sound.player, next, isOther)
        }
        guard let player else { return }
        if isOther { player.setNext(nil) }
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
        state.withLock { state in
            guard case .opening(let joining) = state.joined else { return false }
            return joining === item && state.sound.player === player
        }
    }

    private func joined(_ item: any QueueItem, to player: FilePlayer, number: UInt64) {
        let isStale = state.withLock { state in
            guard state.sound.player === player, case .opening(let joining) = state.joined, joining === item else {
                // Another one that is being opened takes its place.
                return state.sound.player === player && state.joined.item == nil
            }
            state.joined = .item(item, number: number)
            return false
        }
        if isStale { player.setNext(nil) } else { carryOutEnd(of: item) }
    }

    /// The item that was joined sounds: it is the first one now.
    private func beganNext(_ number: UInt64) {
        var began: (old: any QueueItem, new: any QueueItem)?
        change(.request) { state in
            guard case .open(let old, let player) = state.sound else { return }
            let new: any QueueItem
            switch state.joined {
            case .item(let item, number): new = item
            // It began before the thread that opened it could say so.
            case .opening(let item): new = item
            case .none, .item: return
            }
            state.sound = .open(new, player)
            state.joined = .none
            state.file = number
            if state.status.items.first === old { state.status.items.removeFirst() }
            began = (old, new)
        }
        guard let began else { return }
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
                change(.refusal) { state in
                    guard state.request == request else { return }
                    state.status.requestedRate = 0
                    state.status.phase = .paused
                }
            }
        }
        state.withLock { $0.carriedOut = max($0.carriedOut, request) }
        update()
    }

    private func carryOutSeek() {
        let (sound, seek) = state.withLock { state -> (Sound, Seek?) in
            guard state.sound.player != nil else { return (state.sound, nil) }
            defer { state.seek = nil }
            return (state.sound, state.seek)
        }
        guard let seek, let player = sound.player else { return }
        player.seek(toSeconds: seek.seconds)
        if case .ended(let item, _) = sound { leaveEnd(of: item, player) }
        onEvent(.jumped(seek.item))
        seek.completion(true)
    }

    /// It was sought.
    private func leaveEnd(of item: any QueueItem, _ player: FilePlayer) {
        change(.request) { state in
            state.sound = .open(item, player)
            if state.status.phase == .ended { state.status.phase = .opening }
        }
        carryOutRate()
    }

    private func carryOutEnd(of item: any QueueItem) {
        let (sound, file) = state.withLock { state -> (Sound, UInt64) in
            if case .item(let joined, let number) = state.joined, joined === item { return (state.sound, number) }
            return (state.sound.item === item ? state.sound : .none, state.file)
        }
        guard let player = sound.player else { return }
        player.setEnd(atSeconds: item.endSeconds, ofFile: file)
        guard case .ended(let ended, _) = sound, ended === item else { return }
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
            state.withLock { $0.sound = .ended(item, player) }
            end(item)
        case .failed:
            fail(item, .message(status.message ?? ""), wasOpen: true)
            if status.errorCode != nil { onEvent(.lostSession(status.message ?? "")) }
        case .ready, .playing, .paused:
            var hasStalled = false
            change(status.cause == .refusal ? .refusal : .session) { state in
                // A request that is on its way decides.
                guard state.carriedOut == state.request, state.status.requestedRate != 0 else { return }
                switch (status.state, status.playWhenReady) {
                case (.playing, _):
                    hasStalled = isWaiting && state.status.phase == .playing
                    state.status.phase = isWaiting ? .waitingForSound : .playing
                case (_, true): state.status.phase = status.suppression.map(Phase.suppressed) ?? .opening
                case (_, false):
                    state.status.requestedRate = 0
                    state.status.phase = .paused
                }
            }
            if hasStalled { onEvent(.stalled(item)) }
        }
    }

    private func end(_ item: any QueueItem) {
        change(.request) { state in
            guard state.sound.item === item else { return }
            switch state.endAction {
            case .pause:
                state.status.requestedRate = 0
                state.status.phase = .paused
            case .stay:
                if state.status.requestedRate != 0 { state.status.phase = .ended }
            case .advance:
                if state.status.items.first === item { state.status.items.removeFirst() }
                if state.status.requestedRate != 0 { state.status.phase = Self.phaseOfRequest(state) }
            }
        }
        onEvent(.ended(item))
        openFirst()
    }

    private func fail(_ item: any QueueItem, _ error: ItemError, wasOpen: Bool) {
        var seek: Seek?
        change(.request) { state in
            guard state.sound.item === item else { return }
            swap(&seek, &state.seek)
            state.sound = .failed(item)
            state.status.requestedRate = 0
            state.status.phase = .paused
        }
        seek?.completion(false)
        onEvent(.failed(item, error, wasOpen: wasOpen))
    }

    // MARK: State

    /// Until the session or the item's player says more.
    private static func phaseOfRequest(_ state: State) -> Phase {
        guard state.status.requestedRate != 0 else { return .paused }
        guard let first = state.status.items.first else { return .waitingForItem }
        guard first === state.sound.item else { return .opening }
        return switch (state.sound, state.status.phase) {
        case (.failed, _): .paused
        case (.ended, _): .ended
        // Another rate of what plays.
        case (.open, .playing): .playing
        case (.open, .waitingForSound): .waitingForSound
        case (.open, .suppressed(let suppression)): .suppressed(suppression)
        case (.open, _), (.opening, _), (.none, _): .opening
        }
    }

    private func change(_ cause: RateCause, _ body: (inout State) -> Void) {
        let (old, new) = state.withLock { state in
            let old = state.status
            body(&state)
            return (old, state.status)
        }
        if old.rate != new.rate { onEvent(.rateChanged(cause)) }
        onEvent(.changed)
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
