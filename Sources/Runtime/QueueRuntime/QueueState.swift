import AudioRuntime
import QueueCore
import TransportCore

/// The machine of a queue, and what its numbers stand for: the items, and who waits for a seek.
///
/// A value under the lock of `QueuePlayer`, who calls the completions that this hands out without the lock.
struct QueueState {
    typealias Completion = @Sendable (Bool) -> Void

    /// What came of another list of items.
    struct Change {
        /// Not in the queue any more.
        var left: [QueueItemID]
        /// Their opening has no use.
        var unwanted: [any QueueItem]
        /// Of a seek that is not carried out.
        var dropped: Completion?
    }

    var machine = QueueMachine()
    /// The sound of the machine's item that is open or has ended.
    var player: FilePlayer?
    var volume: Float = 1
    /// What `QueuePlayer.onEvent` was told last.
    var lastSent = QueuePlayer.Status()
    /// How often sound of an item has come from its server.
    var arrivals: UInt64 = 0
    /// The session is asked for the next look.
    private var isWatched = false
    private var watch = StuckWatch()
    /// The next change of the rate is that of a loss, whoever tells of it.
    var isLossUntold = false
    /// Those of the machine, and those of which an event is on its way.
    private var items: [QueueItemID: any QueueItem] = [:]
    private var completions: [UInt64: Completion] = [:]
    private var lastNumber: UInt64 = 0

    var transport: TransportStatus? { player?.streams.status }

    /// Nil where the player is still that of an item before.
    var firstPlayer: FilePlayer? { machine.sound.item == machine.items.first ? player : nil }

    var firstItem: (any QueueItem)? { machine.items.first.flatMap { items[$0] } }

    var allItems: [any QueueItem] { machine.items.compactMap { items[$0] } }

    var status: QueuePlayer.Status {
        let status = player?.status
        let lack = status?.isWaiting == true ? .sound : machine.items.first.flatMap(watch.lack)
        return .init(
            phase: machine.phase(status?.transport, lack: lack),
            requestedRate: machine.requestedRate(status?.transport))
    }

    // MARK: Stuck players (decision 99)

    private var sight: StuckWatch.Sight {
        guard let item = machine.items.first else { return .rest }
        switch status.phase {
        case .paused, .waitingForItem, .suppressed, .ended: return .rest
        case .opening: return .opening(item)
        case .playing, .waitingForSound, .waitingForOutput:
            guard let player, !player.status.isWaiting else { return .waitingForSound(item, arrivals: arrivals) }
            return .playing(item, frames: player.renderedFrames, sampleTime: player.cycleTime)
        }
    }

    /// - Returns: whether something is to play from now on, so that the looks begin.
    mutating func beginWatch() -> Bool {
        guard !isWatched else { return false }
        isWatched = sight != .rest
        return isWatched
    }

    /// - Returns: whether it is to be looked at again; where something has changed, the item with what it lacks now.
    mutating func look() -> (goesOn: Bool, change: (QueueItemID, StuckWatch.Lack?)?) {
        let sight = sight
        isWatched = sight != .rest
        let hasChanged = watch.look(sight)
        return (isWatched, hasChanged ? machine.items.first.map { ($0, watch.lack) } : nil)
    }

    /// The loss of an output ends what is wanted.
    var isPausedByLoss: Bool { firstItem?.isPaused(byLossWith: transport) ?? true }

    subscript(id: QueueItemID) -> (any QueueItem)? { items[id] }

    func id(of item: any QueueItem) -> QueueItemID? { machine.items.first { items[$0] === item } }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func changeItems(_ body: (inout [any QueueItem]) -> Void) -> Change {
        let before = machine.items
        var list = allItems
        body(&list)
        let ids = list.map { item in
            let id = id(of: item) ?? QueueItemID(number: nextNumber())
            items[id] = item
            return id
        }
        let (dropped, unwanted) = machine.setItems(ids)
        return Change(
            left: before.filter { !ids.contains($0) }, unwanted: unwanted.compactMap { items[$0] },
            dropped: takeCompletion(dropped))
    }

    /// - Returns: of a seek that is not carried out: the one before, or this one.
    mutating func seek(_ item: any QueueItem, toSeconds seconds: Double, _ completion: @escaping Completion)
        -> Completion?
    {
        guard let id = id(of: item) else { return completion }
        let number = nextNumber()
        completions[number] = completion
        return takeCompletion(machine.add(QueueSeek(number: number, item: id, seconds: seconds)))
    }

    mutating func takeCompletion(_ number: UInt64?) -> Completion? {
        number.flatMap { completions.removeValue(forKey: $0) }
    }

    mutating func forget(_ left: [QueueItemID]) { for id in left { items[id] = nil } }
}
