/// Plays items one after another.
///
/// An item that has ended leaves the queue; the last one too. A player whose queue is empty waits for an item and plays
/// it at once.
///
/// Source: SDK header AVPlayer.h of AVFoundation.
open class AVQueuePlayer: AVPlayer, @unchecked Sendable {
    /// A player without an item.
    public override init() {
        super.init()
        core.endAction = .advance
    }

    /// A player of these items in this order.
    public convenience init(items: [AVPlayerItem]) {
        self.init()
        changeItems(bringing: items) { $0 = items }
    }

    /// The items that have not ended; the first is the current one.
    open func items() -> [AVPlayerItem] { core.items.compactMap { $0 as? AVPlayerItem } }

    /// Whether the item can be inserted after another: it is not in the queue, and the other is.
    ///
    /// - Parameters:
    ///   - item: may be in one queue only.
    ///   - afterItem: nil is the end.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        let items = items()
        return !items.contains { $0 === item } && (afterItem == nil || items.contains { $0 === afterItem })
    }

    /// Inserts an item; nothing where `canInsert` is false.
    ///
    /// - Parameters:
    ///   - item: may be in one queue only.
    ///   - afterItem: nil is the end.
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        guard canInsert(item, after: afterItem) else { return }
        changeItems(bringing: [item]) { items in
            // Another thread may have changed the queue since.
            guard !items.contains(where: { $0 === item }) else { return }
            guard let afterItem else { return items.append(item) }
            guard let index = items.firstIndex(where: { $0 === afterItem }) else { return }
            items.insert(item, at: index + 1)
        }
    }

    /// Takes an item out; the next one plays where it was the current one.
    open func remove(_ item: AVPlayerItem) { changeItems { $0.removeAll { $0 === item } } }

    /// Empties the queue, so that the current item is silent and `currentItem` is nil.
    open func removeAllItems() { changeItems { $0 = [] } }

    /// Ends the current item and plays the next one at the present rate.
    open func advanceToNextItem() { changeItems { if !$0.isEmpty { $0.removeFirst() } } }
}
