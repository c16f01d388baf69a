/// Reads the items of a player, in the player's channels and at its rate.
///
/// Only the thread that feeds calls it, one call at a time and with no lock held; a call may wait for a disk.
package protocol ItemReader: AnyObject, Sendable {
    /// Reads the next frames of an item, [frame][channel].
    ///
    /// - Parameters:
    ///   - frame: of the item; a loop begins at 0 again.
    ///   - room: for `frames` frames.
    /// - Returns: the frames read. An item of known length ends where it gives fewer than asked for, one of unknown
    ///   length where it gives none.
    /// - Throws: where it cannot be read on; the item ends there and does not begin again.
    func read(
        _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
    ) throws(ItemFailure) -> Int

    /// Goes to a frame of an item, so that a seek fails before anything is dropped.
    ///
    /// - Returns: where the next `read` begins: an earlier frame where the item ends before that one.
    func seek(_ item: UInt64, toFrame frame: Int64) throws(ItemFailure) -> Int64

    /// Lets go of the items that were read; called without a lock, as that may run deinitialisers of the app's.
    func endReading()

    /// Whether an item of unknown length, which has given all its frames, has more of them now; must not wait.
    func hasMore(_ item: UInt64) -> Bool

    /// Whether an item of unknown length gave no frames because they have not come yet: it has not ended.
    ///
    /// Called on the thread that feeds, after such a read.
    func isWaiting(_ item: UInt64) -> Bool

    /// How far ahead of the renderer to read at most, in seconds, so that what changes on the way is heard soon; nil: as far as
    /// the source takes.
    var readAheadSeconds: Double? { get }

    /// Whether what was read ahead is another sound now, and is to be read again; true once for each change.
    ///
    /// Called on the thread that feeds.
    func takeChange() -> Bool
}

extension ItemReader {
    /// For items that are in memory.
    package func seek(_ item: UInt64, toFrame frame: Int64) throws(ItemFailure) -> Int64 { frame }

    /// For items of the reader's own.
    package func endReading() {}

    /// For items that are at hand.
    package func isWaiting(_ item: UInt64) -> Bool { false }

    /// For items that do not grow.
    package func hasMore(_ item: UInt64) -> Bool { false }

    /// For items that nothing changes.
    package var readAheadSeconds: Double? { nil }

    /// For items that nothing changes.
    package func takeChange() -> Bool { false }
}

/// An item cannot be read on.
package struct ItemFailure: Error, Hashable {
    /// What is wrong with it, and what to do next.
    package var message: String

    package init(message: String) { self.message = message }
}
