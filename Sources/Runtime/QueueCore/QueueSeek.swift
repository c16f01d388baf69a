/// Names one item of a queue, as long as it is in the queue.
package struct QueueItemID: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) { self.number = number }
}

/// A time of the first item that was asked for.
package struct QueueSeek: Hashable, Sendable {
    package var number: UInt64
    package var item: QueueItemID
    package var seconds: Double

    package init(number: UInt64, item: QueueItemID, seconds: Double) {
        self.number = number
        self.item = item
        self.seconds = seconds
    }
}
