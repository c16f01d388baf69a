/// An item whose callback is due.
package struct ItemCompletion: Hashable, Sendable {
    package var item: UInt64
    package var callback: ScheduledItem.Callback

    package init(item: UInt64, callback: ScheduledItem.Callback) {
        self.item = item
        self.callback = callback
    }
}
