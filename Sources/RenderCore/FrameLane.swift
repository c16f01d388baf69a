import Synchronization

/// The frames of a source from one seek to the next: a ring, the position of its first frame, and perhaps its end.
///
/// Producer: the owner's reader. Consumer: the render thread. Full: the reader waits; empty: an underrun, or the end.
package struct FrameLane: ~Copyable {
    package let ring: FrameRing
    /// -1 while the end is not known; else how many frames the lane holds altogether.
    private let end = Atomic<Int>(-1)
    /// Set while the render thread has no access; the hand-over of the lane publishes them.
    private let first = Atomic<Int64>(0)
    private let seek = Atomic<UInt32>(0)

    /// - Parameters:
    ///   - storage: `capacity * channels` samples.
    ///   - capacity: frames; a power of two.
    @_noLocks @_noAllocation
    package init(storage: UnsafeMutablePointer<Float>, capacity: Int, channels: Int) {
        ring = FrameRing(storage: storage, capacity: capacity, channels: channels)
    }

    /// The position of the lane's first frame.
    @_noLocks @_noAllocation
    package func firstFrame() -> Int64 { first.load(ordering: .relaxed) }

    @_noLocks @_noAllocation
    package func generation() -> UInt32 { seek.load(ordering: .relaxed) }

    /// The position of the next frame to render.
    @_noLocks @_noAllocation
    package func position() -> Int64 { firstFrame() &+ Int64(ring.slots.readSlots()) }

    /// Empties the lane for a new place in the source.
    ///
    /// Only while the render thread has no access to it.
    @_noLocks @_noAllocation
    package func restart(atFrame frame: Int64, generation: UInt32) {
        ring.slots.reset()
        end.store(-1, ordering: .relaxed)
        first.store(frame, ordering: .relaxed)
        seek.store(generation, ordering: .relaxed)
    }

    /// Producer: what has been written so far is all.
    @_noLocks @_noAllocation
    package func markEnd() {
        end.store(ring.slots.writtenSlots(), ordering: .releasing)
    }

    /// Consumer: whether everything up to the end has been read.
    ///
    /// False while frames may still come.
    @_noLocks @_noAllocation
    package func isAtEnd() -> Bool {
        end.load(ordering: .acquiring) == ring.slots.readSlots()
    }
}
