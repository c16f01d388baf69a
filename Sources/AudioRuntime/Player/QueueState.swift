import AudioModel
import TransportCore

/// What a `QueuePlayer` was asked for and what it has come to, and the rules of both, without threads and callbacks.
///
/// The player calls its functions with its lock held, and does what they return after that.
struct QueueState {
    /// What there is of the first item.
    enum Sound {
        /// Legal exits: opening.
        case none
        /// Legal exits: open, failed, opening (another item), none.
        case opening(any QueueItem)
        /// Legal exits: ended, failed, open (the item that was joined), opening, none.
        case open(any QueueItem, FilePlayer)
        /// Legal exits: open (sought, or its end moved), opening, none.
        case ended(any QueueItem, FilePlayer)
        /// Legal exits: opening, none.
        case failed(any QueueItem)

        var item: (any QueueItem)? {
            switch self {
            case .none: nil
            case .opening(let item), .failed(let item): item
            case .open(let item, _), .ended(let item, _): item
            }
        }

        var player: FilePlayer? {
            switch self {
            case .open(_, let player), .ended(_, let player): player
            case .none, .opening, .failed: nil
            }
        }

        var hasFailed: Bool { if case .failed = self { true } else { false } }
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

    struct Seek {
        let item: any QueueItem
        let seconds: Double
        let completion: @Sendable (Bool) -> Void
    }

    private(set) var status = QueuePlayer.Status()
    private(set) var sound = Sound.none
    var endAction = QueuePlayer.EndAction.advance
    var volume: Float = 1
    /// Not carried out yet.
    private(set) var seek: Seek?
    /// Where the item's player is on its way to.
    private var seekUnderWay: Seek?
    /// Where a seek goes, in seconds; nil where there is none.
    var target: Double? { (seek ?? seekUnderWay)?.seconds }
    /// Counts the requests of a rate.
    private(set) var request: UInt64 = 0
    /// The last one that the item's player has carried out.
    private var carriedOut: UInt64 = 0
    private var joined = Joined.none
    /// The number that the file player has for the first item.
    private var file: UInt64 = 0

    // MARK: Requests

    mutating func setRate(_ rate: Float) {
        status.requestedRate = rate
        request += 1
        status.phase = phaseOfRequest
    }

    /// - Returns: the seek of an item that is not the first one any more, and the item whose opening has no use.
    mutating func changeItems(
        _ body: (inout [any QueueItem]) -> Void
    ) -> (dropped: Seek?, unwanted: (any QueueItem)?) {
        body(&status.items)
        let first = status.items.first
        guard first !== sound.item else { return (nil, nil) }
        if status.requestedRate != 0 { status.phase = phaseOfRequest }
        let unwanted: (any QueueItem)? = if case .opening(let item) = sound { item } else { nil }
        guard let seek, seek.item !== first else { return (nil, unwanted) }
        self.seek = nil
        return (seek, unwanted)
    }

    /// - Returns: the seek that is not carried out: the one before, or this one.
    mutating func add(_ new: Seek) -> Seek? {
        guard status.items.first === new.item, !sound.hasFailed else { return new }
        defer { seek = new }
        return seek
    }

    mutating func removeSeek(of item: any QueueItem) -> Seek? {
        guard let seek, seek.item === item else { return nil }
        self.seek = nil
        return seek
    }

    /// Until the session or the item's player says more.
    private var phaseOfRequest: QueuePlayer.Phase {
        guard status.requestedRate != 0 else { return .paused }
        guard let first = status.items.first else { return .waitingForItem }
        guard first === sound.item else { return .opening }
        return switch (sound, status.phase) {
        case (.failed, _): .paused
        case (.ended, _): .ended
        // Another rate of what plays.
        case (.open, .playing): .playing
        case (.open, .waitingForSound): .waitingForSound
        case (.open, .suppressed(let suppression)): .suppressed(suppression)
        case (.open, _), (.opening, _), (.none, _): .opening
        }
    }

    // MARK: The first item

    /// The first item takes the place of the one that was opened, if it is another.
    ///
    /// - Returns: the player that has no use any more, the item to open, and the joined one whose opening has no use.
    mutating func beginOpening() -> (old: FilePlayer?, next: (any QueueItem)?, unwanted: (any QueueItem)?) {
        let first = status.items.first
        guard first !== sound.item else { return (nil, nil, nil) }
        let old = sound.player
        let unwanted: (any QueueItem)? = if case .opening(let item) = joined { item } else { nil }
        joined = .none
        sound = first.map(Sound.opening) ?? .none
        return (old, first, unwanted)
    }

    func isOpening(_ item: any QueueItem) -> Bool {
        if case .opening(let current) = sound { current === item } else { false }
    }

    /// - Returns: false where the item is not the first one any more.
    mutating func open(_ item: any QueueItem, _ player: FilePlayer) -> Bool {
        guard isOpening(item) else { return false }
        sound = .open(item, player)
        file = 0
        player.volume = volume
        return true
    }

    /// Its player has played all of it.
    mutating func finish(_ item: any QueueItem, _ player: FilePlayer) { sound = .ended(item, player) }

    /// Does what `endAction` says.
    mutating func end(_ item: any QueueItem) {
        guard sound.item === item else { return }
        switch endAction {
        case .pause: pause()
        case .stay:
            if status.requestedRate != 0 { status.phase = .ended }
        case .advance:
            if status.items.first === item { status.items.removeFirst() }
            if status.requestedRate != 0 { status.phase = phaseOfRequest }
        }
    }

    /// There is more to play of an item that has ended.
    mutating func leaveEnd(of item: any QueueItem, _ player: FilePlayer) {
        sound = .open(item, player)
        if status.phase == .ended { status.phase = .opening }
    }

    /// - Returns: the seek that is not carried out.
    mutating func fail(_ item: any QueueItem) -> Seek? {
        guard sound.item === item else { return nil }
        defer { seek = nil }
        sound = .failed(item)
        pause()
        return seek
    }

    private mutating func pause() {
        status.requestedRate = 0
        status.phase = .paused
    }

    // MARK: The item without a gap

    /// The item that is to follow the first one without a gap.
    private var wantedNext: (any QueueItem)? {
        guard endAction == .advance, case .open(let item, _) = sound, status.items.count > 1 else { return nil }
        guard status.items[0] === item, !status.items[1].isSought else { return nil }
        return status.items[1]
    }

    /// - Returns: the player that is to join another item, or none, and whether it has joined one; nil where it needs nothing.
    mutating func beginJoining() -> (player: FilePlayer, next: (any QueueItem)?, hasJoined: Bool)? {
        let next = wantedNext
        guard next !== joined.item else { return nil }
        let hasJoined = if case .item = joined { true } else { false }
        joined = next.map(Joined.opening) ?? .none
        return sound.player.map { ($0, next, hasJoined) }
    }

    func isJoining(_ item: any QueueItem, to player: FilePlayer) -> Bool {
        guard case .opening(let joining) = joined else { return false }
        return joining === item && sound.player === player
    }

    /// - Returns: false where the player is to drop it: the item is not to follow any more, and no other takes its place.
    mutating func join(_ item: any QueueItem, to player: FilePlayer, number: UInt64) -> Bool {
        guard isJoining(item, to: player) else { return sound.player !== player || joined.item != nil }
        joined = .item(item, number: number)
        return true
    }

    /// The item that was joined under a number sounds: it is the first one now.
    mutating func beginJoined(_ number: UInt64) -> (old: any QueueItem, new: any QueueItem)? {
        guard case .open(let old, let player) = sound else { return nil }
        let new: any QueueItem
        switch joined {
        case .item(let item, number): new = item
        // It began before the thread that opened it could say so.
        case .opening(let item): new = item
        case .none, .item: return nil
        }
        sound = .open(new, player)
        joined = .none
        file = number
        if status.items.first === old { status.items.removeFirst() }
        return (old, new)
    }

    /// The player that has an item, its number there, and whether all of it has been played.
    func place(of item: any QueueItem) -> (player: FilePlayer, file: UInt64, hasEnded: Bool)? {
        guard let player = sound.player else { return nil }
        let hasEnded = if case .ended(let ended, _) = sound { ended === item } else { false }
        if case .item(let joined, let number) = joined, joined === item { return (player, number, hasEnded) }
        return sound.item === item ? (player, file, hasEnded) : nil
    }

    // MARK: What was carried out

    /// - Returns: the sound that is to be sought, and where; nil where there is none, or no seek.
    mutating func beginSeek() -> (sound: Sound, player: FilePlayer, seek: Seek)? {
        guard let player = sound.player, let seek else { return nil }
        (self.seek, seekUnderWay) = (nil, seek)
        return (sound, player, seek)
    }

    mutating func finishSeek() { seekUnderWay = nil }

    mutating func noteCarriedOut(_ request: UInt64) { carriedOut = max(carriedOut, request) }

    /// The session refused a request; a newer one holds.
    mutating func refuse(_ request: UInt64) {
        if self.request == request { pause() }
    }

    /// Follows what the item's player does, which has neither ended nor failed.
    ///
    /// - Returns: whether it played, and its server has not sent what comes next.
    mutating func follow(_ transport: TransportStatus, isWaiting: Bool) -> Bool {
        // A request that is on its way decides.
        guard carriedOut == request, status.requestedRate != 0 else { return false }
        switch (transport.state, transport.playWhenReady) {
        case (.playing, _):
            let hasStalled = isWaiting && status.phase == .playing
            status.phase = isWaiting ? .waitingForSound : .playing
            return hasStalled
        case (_, true): status.phase = transport.suppression.map(QueuePlayer.Phase.suppressed) ?? .opening
        case (_, false): pause()
        }
        return false
    }
}
