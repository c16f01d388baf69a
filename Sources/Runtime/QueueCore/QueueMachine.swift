package import AudioModel
package import TransportCore

/// The items of a player, what has come of the first one, and what was asked for: a pure value.
///
/// A request is in the value at once. `nextStep` then says what its owner has to do, one step at a time, until nothing
/// is left to do; the owner says what came of it. Whether an open sound plays is not kept here: its transport knows, and the
/// owner passes the transport's status where it matters.
package struct QueueMachine: Hashable, Sendable {
    /// What there is of the first item.
    ///
    /// `plays`: the user wants it to play, and no transport knows of it.
    package enum Sound: Hashable, Sendable {
        /// Legal exits: opening.
        case none(plays: Bool)
        /// Legal exits: open, failed, opening another item, none.
        case opening(QueueItemID, plays: Bool)
        /// Legal exits: ended, failed, open (the joined item), opening another item, none.
        case open(QueueItemID, Request)
        /// All of it has been played.
        ///
        /// Legal exits: open (sought, or its end moved), opening another item, none.
        case ended(QueueItemID, Rest)
        /// Legal exits: opening another item, none.
        case failed(QueueItemID, plays: Bool)

        package var item: QueueItemID? {
            switch self {
            case .none: nil
            case .opening(let item, _), .open(let item, _), .ended(let item, _), .failed(let item, _): item
            }
        }
    }

    /// What the transport of an open sound has not been told yet.
    package enum Request: Hashable, Sendable {
        /// The transport knows what the user wants.
        ///
        /// Legal exits: play, pause.
        case none
        /// Legal exits: none (carried out), pause, play at another rate.
        case play(rate: Float)
        /// Legal exits: none (carried out), play.
        case pause
    }

    /// What the user wants of an item that is at its end.
    package enum Rest: Hashable, Sendable {
        /// Legal exits: asked.
        case paused
        /// It stays at the end with its rate.
        ///
        /// Legal exits: asked, paused.
        case staying
        /// It was asked to play, which is to end once more.
        ///
        /// Legal exits: staying, paused.
        case asked
    }

    /// What follows the first item without a gap.
    package enum Follower: Hashable, Sendable {
        /// Legal exits: opening.
        case none
        /// Legal exits: joined, separate, none; the first item (it began before its owner could say so).
        case opening(QueueItemID)
        /// The sound of the first item has it, under this number.
        ///
        /// Legal exits: none; the first item (it began).
        case joined(QueueItemID, file: UInt64)
        /// It gets a sound of its own, when its turn comes.
        ///
        /// Legal exits: none.
        case separate(QueueItemID)

        var item: QueueItemID? {
            switch self {
            case .none: nil
            case .opening(let item), .joined(let item, _), .separate(let item): item
            }
        }
    }

    /// What happens at the end of the first item.
    package enum EndAction: Hashable, Sendable {
        /// The next item, if there is one.
        case advance
        case pause
        /// Stays at the end, with its rate.
        case stay
    }

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
        /// Legal exits: waitingForSound, waitingForOutput, suppressed, paused, ended, opening (next item), waitingForItem.
        case playing
        /// The item's server has not sent enough.
        ///
        /// Legal exits: playing, waitingForOutput, suppressed, paused, ended, opening (next item), waitingForItem.
        case waitingForSound
        /// Its output takes no sound.
        ///
        /// Legal exits: playing, waitingForSound, suppressed, paused, ended, opening (next item), waitingForItem.
        case waitingForOutput
        /// The session keeps it silent and starts it again.
        ///
        /// Legal exits: playing, paused, opening, waitingForItem.
        case suppressed(Suppression)
        /// The item is at its end and stays there; the rate is not 0.
        ///
        /// Legal exits: opening (sought), paused, waitingForItem.
        case ended
    }

    package enum Step: Hashable, Sendable {
        /// Close the sound there is, then open this item; nil: none. Another one that is being opened has no use.
        case open(QueueItemID?, unwanted: QueueItemID?)
        /// Done with `carriedOut`.
        case play(rate: Float)
        /// Done with `carriedOut`.
        case pause
        /// Done with `carriedOut`.
        case seek(QueueSeek)
        /// End a file of the sound elsewhere; nil: at its own end.
        case setEnd(QueueItemID, seconds: Double?, file: UInt64)
        /// Take the joined file away.
        case separate
        /// Join the item to the sound; then `join` or `keepSeparate`.
        case join(QueueItemID)
        /// The item has been played to its end.
        case tellEnd(QueueItemID)
        /// The item cannot be played to its end; `dropped` is the number of a seek that is not carried out.
        case tellFailure(QueueItemID, dropped: UInt64?)
    }

    private struct End: Hashable, Sendable {
        var item: QueueItemID
        var seconds: Double?
    }

    package private(set) var items: [QueueItemID] = []
    package private(set) var sound = Sound.none(plays: false)
    package private(set) var follower = Follower.none
    /// Not carried out yet; of the first item.
    package private(set) var seek: QueueSeek?
    package var endAction = EndAction.advance
    /// Above 0: how fast it plays when it plays.
    private var rate: Float = 1
    /// The number that the sound has for the first item.
    private var file: UInt64 = 0
    /// Not carried out yet, oldest first.
    private var ends: [End] = []

    package init() {}

    // MARK: What there is

    /// - Parameter transport: of the sound that is open or has ended.
    /// - Returns: the rate of the user's last request; 0 is a pause.
    package func requestedRate(_ transport: TransportStatus?) -> Float { plays(transport) ? rate : 0 }

    private func plays(_ transport: TransportStatus?) -> Bool {
        switch sound {
        case .none(let plays), .opening(_, let plays), .failed(_, let plays): plays
        case .open(_, .play): true
        case .open(_, .pause): false
        // A transport has no intent after its end; here the end does what `endAction` says.
        case .open(_, .none): transport.map { $0.playWhenReady || $0.state == .finished } ?? false
        case .ended(_, let rest): rest != .paused
        }
    }

    /// - Parameters:
    ///   - transport: as of `requestedRate`.
    ///   - lack: what it does not get, although its transport plays.
    package func phase(_ transport: TransportStatus?, lack: StuckWatch.Lack?) -> Phase {
        guard plays(transport) else { return .paused }
        guard let first = items.first else { return .waitingForItem }
        guard first == sound.item else { return .opening }
        switch sound {
        case .none, .opening: return .opening
        case .failed: return .paused
        case .ended: return .ended
        case .open(_, let request):
            guard let transport else { return .opening }
            if transport.state == .playing {
                return switch lack {
                case nil, .item: .playing
                case .sound: .waitingForSound
                case .output: .waitingForOutput
                }
            }
            // What has just come to its end plays until the end is handled.
            if transport.state == .finished, request == .none { return .playing }
            return transport.suppression.map(Phase.suppressed) ?? .opening
        }
    }

    package func isOpening(_ item: QueueItemID) -> Bool {
        if case .opening(item, _) = sound { true } else { false }
    }

    package func isJoining(_ item: QueueItemID) -> Bool { follower == .opening(item) }

    // MARK: Requests

    /// - Parameter rate: 0 is a pause.
    package mutating func setRate(_ rate: Float) {
        let plays = rate != 0
        if plays { self.rate = rate }
        switch sound {
        case .none: sound = .none(plays: plays)
        case .opening(let item, _): sound = .opening(item, plays: plays)
        case .open(let item, _): sound = .open(item, plays ? .play(rate: rate) : .pause)
        case .ended(let item, _): sound = .ended(item, plays ? .asked : .paused)
        case .failed(let item, _): sound = .failed(item, plays: plays)
        }
    }

    /// - Parameter rate: how fast it plays when it plays, above 0.
    package mutating func setSpeed(_ rate: Float) {
        self.rate = rate
        if case .open(let item, .play) = sound { sound = .open(item, .play(rate: rate)) }
    }

    /// An output has left that the user may have meant: nothing plays on, in any state, before the next `setRate`.
    ///
    /// A transport that plays hears of it from the session; this is for what none knows of (decision 60).
    package mutating func loseOutput() { setRate(0) }

    /// - Returns: the number of the seek of an item that is not the first one any more, and the items whose opening has no
    ///   use.
    package mutating func setItems(_ items: [QueueItemID]) -> (dropped: UInt64?, unwanted: [QueueItemID]) {
        self.items = items
        let dropped = seek.flatMap { $0.item == items.first ? nil : removeSeek(of: $0.item) }
        guard items.first != sound.item else { return (dropped, []) }
        var unwanted: [QueueItemID] = []
        if case .opening(let item, _) = sound { unwanted.append(item) }
        if let item = takeOpeningFollower() { unwanted.append(item) }
        return (dropped, unwanted)
    }

    private mutating func takeOpeningFollower() -> QueueItemID? {
        guard case .opening(let item) = follower else { return nil }
        follower = .none
        return item
    }

    /// - Returns: the number of the seek that is not carried out: the one before, or this one.
    package mutating func add(_ new: QueueSeek) -> UInt64? {
        guard items.first == new.item else { return new.number }
        if case .failed(new.item, _) = sound { return new.number }
        defer { seek = new }
        return seek?.number
    }

    /// - Returns: the number of the item's seek, which is not carried out.
    package mutating func removeSeek(of item: QueueItemID) -> UInt64? {
        guard let seek, seek.item == item else { return nil }
        self.seek = nil
        return seek.number
    }

    /// - Parameter seconds: where the item ends; nil: at its own end.
    package mutating func setEnd(of item: QueueItemID, seconds: Double?) {
        ends.append(End(item: item, seconds: seconds))
    }

    // MARK: What came of it

    /// - Returns: false where the item is not the first one any more.
    package mutating func open(_ item: QueueItemID) -> Bool {
        guard case .opening(item, let plays) = sound else { return false }
        sound = .open(item, plays ? .play(rate: rate) : .none)
        file = 0
        return true
    }

    /// - Returns: false where the item is not the first one any more; the number of a seek that is not carried out.
    package mutating func failOpening(_ item: QueueItemID) -> (isFirst: Bool, dropped: UInt64?) {
        guard isOpening(item) else { return (false, nil) }
        sound = .failed(item, plays: false)
        return (true, removeSeek(of: item))
    }

    /// The sound has the item under this number.
    ///
    /// - Returns: false where it is not to follow any more: the joined file is to be taken away.
    package mutating func join(_ item: QueueItemID, file: UInt64) -> Bool {
        guard isJoining(item) else { return false }
        follower = .joined(item, file: file)
        return true
    }

    /// The item cannot follow without a gap.
    package mutating func keepSeparate(_ item: QueueItemID) {
        if isJoining(item) { follower = .separate(item) }
    }

    /// The item that was joined under a number sounds: it is the first one now.
    ///
    /// - Returns: also the number of a seek of the old one, which is not carried out.
    package mutating func begin(file number: UInt64) -> (old: QueueItemID, new: QueueItemID, dropped: UInt64?)? {
        guard case .open(let old, let request) = sound else { return nil }
        let new: QueueItemID
        switch follower {
        case .joined(let item, number): new = item
        // It began before the one that joined it could say so.
        case .opening(let item): new = item
        case .none, .joined, .separate: return nil
        }
        sound = .open(new, request)
        follower = .none
        file = number
        if items.first == old { items.removeFirst() }
        return (old, new, removeSeek(of: old))
    }

    /// The transport was told what it was asked for.
    package mutating func carriedOut(_ request: Request) {
        if case .open(let item, request) = sound { sound = .open(item, .none) }
    }

    /// The transport is on its way there.
    package mutating func carriedOut(_ seek: QueueSeek) {
        if self.seek == seek { self.seek = nil }
    }

    /// There is more to play of an item that has ended.
    package mutating func leaveEnd(of item: QueueItemID) {
        guard case .ended(item, let rest) = sound else { return }
        sound = .open(item, rest == .paused ? .none : .play(rate: rate))
    }

    // MARK: What to do

    /// What is to be done next; nil where nothing is.
    ///
    /// - Parameter transport: of the sound that is open or has ended.
    package mutating func nextStep(_ transport: TransportStatus?) -> Step? {
        if items.first != sound.item { return replaceSound(transport) }
        return stepAtEnd(transport) ?? takeEnd() ?? stepOfSound(transport) ?? nextFollower()
    }

    private mutating func replaceSound(_ transport: TransportStatus?) -> Step {
        let plays = plays(transport)
        sound = items.first.map { .opening($0, plays: plays) } ?? .none(plays: plays)
        let unwanted = takeOpeningFollower()
        follower = .none
        return .open(items.first, unwanted: unwanted)
    }

    private mutating func stepAtEnd(_ transport: TransportStatus?) -> Step? {
        switch (sound, transport?.state) {
        case (.open(let item, let request), .finished):
            guard let seek else { return end(item, plays: request != .pause) }
            // It was sought before its end was noticed.
            if request == .none { sound = .open(item, .play(rate: rate)) }
            return .seek(seek)
        case (.open(let item, _), .failed):
            sound = .failed(item, plays: false)
            return .tellFailure(item, dropped: removeSeek(of: item))
        case (.none, _), (.opening, _), (.open, _), (.ended, _), (.failed, _): return nil
        }
    }

    private mutating func end(_ item: QueueItemID, plays: Bool) -> Step {
        sound = .ended(item, plays && endAction != .pause ? .staying : .paused)
        if endAction == .advance { items.removeFirst() }
        return .tellEnd(item)
    }

    private mutating func stepOfSound(_ transport: TransportStatus?) -> Step? {
        switch sound {
        case .open(_, let request):
            if let seek { return .seek(seek) }
            switch request {
            case .none: return nil
            case .play(let rate): return .play(rate: rate)
            case .pause:
                // A trace would tell of a user's pause where the session has paused.
                guard transport?.state == .paused, transport?.playWhenReady == false else { return .pause }
                carriedOut(.pause)
                return nil
            }
        case .ended(let item, let rest):
            guard let seek else { return rest == .asked ? end(item, plays: true) : nil }
            leaveEnd(of: item)
            return .seek(seek)
        case .none, .opening, .failed: return nil
        }
    }

    private mutating func takeEnd() -> Step? {
        // An item that is opened later has its newest end then.
        ends.removeAll { $0.item != sound.item && $0.item != follower.item }
        for (index, end) in ends.enumerated() {
            guard let file = file(of: end.item) else { continue }
            ends.remove(at: index)
            return .setEnd(end.item, seconds: end.seconds, file: file)
        }
        return nil
    }

    /// The number that the sound has for an item; nil where it does not have it.
    private func file(of item: QueueItemID) -> UInt64? {
        if case .joined(item, let number) = follower { return number }
        switch sound {
        case .open(item, _), .ended(item, _): return file
        case .none, .opening, .open, .ended, .failed: return nil
        }
    }

    private mutating func nextFollower() -> Step? {
        let wanted = wantedFollower
        guard wanted != follower.item else { return nil }
        let hasJoined = if case .joined = follower { true } else { false }
        follower = .none
        if hasJoined { return .separate }
        guard let wanted else { return nil }
        follower = .opening(wanted)
        return .join(wanted)
    }

    /// The item that is to follow the first one without a gap.
    private var wantedFollower: QueueItemID? {
        guard endAction == .advance, case .open = sound, items.count > 1 else { return nil }
        return items[1]
    }
}
