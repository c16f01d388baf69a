/// An item whose callback is due.
package struct ItemCompletion: Hashable, Sendable {
    package var item: UInt64
    package var callback: ScheduledItem.Callback
}
