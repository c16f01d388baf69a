/// A buffer or a segment of a file in a player's queue.
package struct ScheduledItem: Hashable, Sendable {
    /// The event at which the item's completion is due.
    package enum Callback: Hashable, Sendable {
        /// The player has read all frames of the item, possibly before the first one is heard.
        case dataConsumed
        /// The last frame has been rendered.
        case dataRendered
        /// The last frame has been heard: the device's latency after it was rendered.
        case dataPlayedBack
    }

    /// The owner's number of the item.
    package var id: UInt64
    /// The length in frames at the player's rate, 0 or more; nil if only reading finds the end.
    package var frames: Int64?
    /// The start in frames of the player's time; nil to start after the items before it, or at once.
    package var time: Int64?
    /// The number of repeats; a negative number repeats until an interruption.
    package var loops: Int
    package var callback: Callback

    package init(
        id: UInt64, frames: Int64?, time: Int64? = nil, loops: Int = 0, callback: Callback = .dataConsumed
    ) {
        self.id = id
        self.frames = frames
        self.time = time
        self.loops = loops
        self.callback = callback
    }
}
