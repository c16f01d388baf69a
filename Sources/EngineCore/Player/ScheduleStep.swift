/// What a player feeds next.
package enum ScheduleStep: Hashable, Sendable {
    /// What follows waits until the player's time; nothing is fed for this.
    case hold(until: Int64)
    /// Frames of an item.
    case frames(item: UInt64, from: Int64, count: Int)
}
