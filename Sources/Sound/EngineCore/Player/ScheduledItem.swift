/// A buffer or a segment of a file in a player's queue.
package struct ScheduledItem: Hashable, Sendable {
    /// When its completion is due.
    package enum Callback: Hashable, Sendable {
        /// The player has taken all its frames; it may not have begun to sound.
        case dataConsumed
        /// Its last frame has been rendered.
        case dataRendered
        /// Its last frame has been heard: rendered, and the device's latency later.
        case dataPlayedBack
    }

    /// The owner's name for it.
    package var id: UInt64
    /// At the player's rate, 0 or more; nil: reading finds the end.
    package var frames: Int64?
    /// In the player's time, frames; nil: after what was scheduled before, or at once.
    package var time: Int64?
    /// How often it begins again at its end; negative: until something interrupts it.
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
