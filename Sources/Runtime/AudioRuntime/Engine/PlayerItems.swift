internal import SessionRuntime
import Synchronization

/// The items that a player has not completed, in the order in which they were scheduled.
///
/// Any thread; its lock is held for moments only, and never while a file is read or a handler runs.
final class PlayerItems: Sendable {
    private let state = Mutex(State())

    private struct State {
        var lastID: UInt64 = 0
        var items: [(id: UInt64, item: PlayerItem)] = []
        /// Kept until `releaseCompleted`: a player that completes one may hold its lock.
        var completed: [PlayerItem] = []
        /// The engine's thread for completion handlers.
        var calls: DeliveryThread?
        /// As long as there is no engine.
        var ownCalls: DeliveryThread?
    }

    deinit { state.withLock { $0.ownCalls?.close() } }

    /// - Parameter calls: runs the completion handlers from now on; nil: a thread of the player's own.
    func setCalls(_ calls: DeliveryThread?) { state.withLock { $0.calls = calls } }

    func add(_ item: PlayerItem) -> UInt64 {
        state.withLock {
            $0.lastID += 1
            $0.items.append(($0.lastID, item))
            return $0.lastID
        }
    }

    func item(_ id: UInt64) -> PlayerItem? {
        state.withLock { $0.items.first { $0.id == id }?.item }
    }

    var all: [(id: UInt64, item: PlayerItem)] { state.withLock { $0.items } }

    /// Has the item's handler called, soon.
    func complete(_ id: UInt64) {
        state.withLock { state in
            guard let index = state.items.firstIndex(where: { $0.id == id }) else { return }
            let item = state.items.remove(at: index).item
            state.completed.append(item)
            guard let completion = item.completion else { return }
            if state.calls == nil, state.ownCalls == nil { state.ownCalls = DeliveryThread(name: "oav-completions") }
            (state.calls ?? state.ownCalls)?.enqueue(completion)
        }
    }

    func completeAll() {
        for (id, _) in all { complete(id) }
    }

    /// Lets go of the items that are complete.
    ///
    /// Without any lock: with an app's buffer goes its memory, by the app's deallocator.
    func releaseCompleted() { state.change { $0.completed = [] } }
}
