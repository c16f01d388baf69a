import Synchronization

/// Frames that a source has counted since a seek, for readers on any thread; the render thread writes.
///
/// One word: the seek's number (16 bits) beside the count (48 bits with a sign: 23 years at 192 kHz). So a reader can tell a
/// count that has not followed the newest seek.
package struct SeekCount: ~Copyable {
    private let word = Atomic<UInt64>(0)

    @_noLocks @_noAllocation
    package init() {}

    /// Nil while rendering has not followed that seek.
    @_noLocks @_noAllocation
    package func frames(since generation: UInt32) -> Int64? {
        let word = word.load(ordering: .acquiring)
        guard word >> 48 == UInt64(generation & 0xFFFF) else { return nil }
        // Shifted up and down again: the sign comes along.
        return Int64(bitPattern: word << 16) >> 16
    }

    /// Render thread.
    @_noLocks @_noAllocation
    func publish(_ frames: Int64, since generation: UInt32) {
        word.store(
            UInt64(generation & 0xFFFF) << 48 | UInt64(bitPattern: frames) & 0xFFFF_FFFF_FFFF, ordering: .releasing)
    }
}
