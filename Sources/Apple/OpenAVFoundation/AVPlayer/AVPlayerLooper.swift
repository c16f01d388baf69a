import AudioModel
public import CoreMedia
import Foundation
internal import OpenAudioSession
import Synchronization

/// Plays an item again and again without a gap, by an `AVQueuePlayer` that it keeps filled with copies of it.
///
/// It owns the queue: nothing else should be in it. Call it on any thread.
///
/// Source: SDK header AVPlayerLooper.h of AVFoundation.
open class AVPlayerLooper: _ObservedByName, _KeyValueObservable, @unchecked Sendable {
    // @unchecked: constants, a Mutex, and a variable that only `init` and `deinit` touch.
    private let state: Mutex<State>
    private var observers: [any NSObjectProtocol] = []
    private weak let player: AVQueuePlayer?
    public let _observers = _KeyValueObservers()

    private struct State {
        var status = Status.ready
        var items: [AVPlayerItem]
        var loopCount = 0
    }

    /// Whether the item is being repeated.
    public enum Status: Int, Sendable {
        /// Never returned: a looper is ready at once.
        case unknown = 0
        /// The queue is filled, and the item repeats.
        case ready = 1
        /// An item failed; `error` says why.
        case failed = 2
        /// `disableLooping` was called.
        case cancelled = 3
    }

    /// So many copies that the next one is always in the queue.
    private static let copies = 3

    /// Fills the player's queue with copies of the item.
    ///
    /// - Parameters:
    ///   - player: its queue is replaced.
    ///   - templateItem: is itself not played.
    public convenience init(player: AVQueuePlayer, templateItem: AVPlayerItem) {
        self.init(player: player, templateItem: templateItem, timeRange: .invalid)
    }

    /// Fills the player's queue with copies of a part of the item.
    ///
    /// - Parameters:
    ///   - player: its queue is replaced.
    ///   - templateItem: is itself not played.
    ///   - timeRange: of the item, longer than 0; `.invalid` is the whole item. What is beyond the item's end does not play.
    public init(player: AVQueuePlayer, templateItem: AVPlayerItem, timeRange: CMTimeRange) {
        programmerError(
            unless: !timeRange.isValid || timeRange.duration > .zero,
            "the time range of a looper is longer than 0, not \(timeRange.duration.seconds) s")
        let items = (0..<Self.copies).map { _ in AVPlayerItem(asset: templateItem.asset, range: timeRange) }
        self.player = player
        state = Mutex(State(items: items))
        super.init()
        observers = items.map { item in
            NotificationCenter.default.addObserver(
                forName: AVPlayerItem.didPlayToEndTimeNotification, object: item, queue: nil
            ) { [weak self] _ in self?.ended() }
        }
        player.changeItems(bringing: items) { $0 = items }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    /// Whether the item is being repeated; observable with `observe(\.status)`.
    open var status: Status {
        state.withLock { state in
            state.status == .ready && state.items.contains { $0.status == .failed } ? .failed : state.status
        }
    }

    /// Why an item failed.
    open var error: (any Error)? { loopingPlayerItems.lazy.compactMap(\.error).first }

    /// How often the item has been played to its end.
    open var loopCount: Int { state.withLock { $0.loopCount } }

    /// The copies, in the order in which they are played.
    open var loopingPlayerItems: [AVPlayerItem] { state.withLock { $0.items } }

    /// The item that plays is the last one.
    open func disableLooping() {
        state.withLock { $0.status = .cancelled }
        player?.changeItems { $0 = Array($0.prefix(1)) }
        _observers.deliverChanges()
    }

    /// The item that has ended is a new one behind the others.
    private func ended() {
        let item = state.withLock { state -> AVPlayerItem? in
            state.loopCount += 1
            guard state.status == .ready else { return nil }
            state.items.append(state.items.removeFirst())
            return state.items.last
        }
        if let item { player?.insert(item, after: nil) }
        _observers.deliverChanges()
    }
}
