/// Reads the items of a player, with the player's channels and rate.
///
/// Only the feeding thread calls it, one call at a time and with no lock held; a call may wait for a disk.
package protocol ItemReader: AnyObject, Sendable {
    /// Reads the next frames of an item, [frame][channel].
    ///
    /// - Parameters:
    ///   - frame: the first frame to read, counted in the item; a loop begins at 0 again.
    ///   - room: room for `frames` frames.
    /// - Returns: the number of read frames. An item of known length ends when the number is smaller than `frames`; an
    ///   item of unknown length ends when it is 0.
    /// - Throws: if reading fails; the item ends there and does not repeat.
    func read(
        _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
    ) throws(ItemFailure) -> Int

    /// Goes to a frame of an item. It is called first, so that a failing seek drops nothing.
    ///
    /// - Returns: the frame at which the next `read` begins; earlier than `frame` if the item ends before it.
    func seek(_ item: UInt64, toFrame frame: Int64) throws(ItemFailure) -> Int64

    /// Releases the items that were read; called without a lock, because that may run the app's deinitialisers.
    func endReading()

    /// Whether an item of unknown length has more frames now, after it had given all of them; must not wait.
    func hasMore(_ item: UInt64) -> Bool

    /// Whether an item of unknown length gave no frames only because they have not arrived: it has not ended then.
    ///
    /// The feeding thread calls it after such a read.
    func isWaiting(_ item: UInt64) -> Bool

    /// The longest read-ahead in seconds, for items whose changes must be heard soon; nil to read as far as the source
    /// accepts.
    var readAheadSeconds: Double? { get }

    /// Returns true once after each change that makes the read-ahead stale.
    ///
    /// The feeding thread calls it.
    func takeChange() -> Bool
}

extension ItemReader {
    /// The default for items in memory.
    package func seek(_ item: UInt64, toFrame frame: Int64) throws(ItemFailure) -> Int64 { frame }

    /// The default for items that belong to the reader.
    package func endReading() {}

    /// The default for items whose frames are all available.
    package func isWaiting(_ item: UInt64) -> Bool { false }

    /// The default for items that do not grow.
    package func hasMore(_ item: UInt64) -> Bool { false }

    /// The default for items that do not change.
    package var readAheadSeconds: Double? { nil }

    /// The default for items that do not change.
    package func takeChange() -> Bool { false }
}

/// An item cannot be read on.
package struct ItemFailure: Error, Hashable {
    /// What is wrong with the item, and what to do next.
    package var message: String

    package init(message: String) { self.message = message }
}
