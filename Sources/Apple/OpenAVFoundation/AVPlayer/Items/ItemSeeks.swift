/// The seeks of an item: their number, and the one that waits for the item to be open.
struct ItemSeeks {
    typealias Waiting = (seconds: Double, completion: @Sendable (Bool) -> Void)

    /// Sought before it was open, or where it was when it left its player.
    private(set) var waiting: Waiting?
    /// Seeks and cancellations; a handler that is called after another one says false.
    private(set) var count: UInt64 = 0

    /// - Returns: the number of a new seek or cancellation.
    @discardableResult
    mutating func begin() -> UInt64 {
        count += 1
        return count
    }

    /// - Parameter seek: waits from now on; nil: none does.
    /// - Returns: the one that waited before.
    mutating func replaceWaiting(with seek: Waiting?) -> Waiting? {
        defer { waiting = seek }
        return waiting
    }

    /// The item leaves its player; a seek that waits stays.
    mutating func keepPosition(_ seconds: Double) { if waiting == nil { waiting = (seconds, { _ in }) } }
}
