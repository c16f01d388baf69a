/// A ring of interleaved Float32 frames.
///
/// Producer: the owner's reader. Consumer: the render thread. Full: `write` takes what fits; the rest stays the
/// producer's. The memory belongs to the owner, who frees it after both threads have let go.
package struct FrameRing: ~Copyable {
    package let channels: Int
    package let slots: SPSCRing
    private let storage: UnsafeMutablePointer<Float>

    /// - Parameters:
    ///   - storage: `capacity * channels` samples.
    ///   - capacity: frames; a power of two.
    @_noLocks @_noAllocation
    package init(storage: UnsafeMutablePointer<Float>, capacity: Int, channels: Int) {
        precondition(channels > 0, "a frame has at least one channel")
        self.storage = storage
        self.channels = channels
        slots = SPSCRing(capacity: capacity)
    }

    /// Producer: copies as many of the frames as fit, in order; returns how many.
    @_noLocks @_noAllocation
    package func write(_ frames: UnsafePointer<Float>, count wanted: Int) -> Int {
        let count = min(wanted, slots.writableSlots())
        guard count > 0 else { return 0 }
        let first = slots.writeIndex()
        let untilWrap = min(count, slots.capacity &- first)
        Kernels.copy(frames, into: storage + first &* channels, untilWrap &* channels)
        Kernels.copy(frames + untilWrap &* channels, into: storage, (count &- untilWrap) &* channels)
        slots.publish(count)
        return count
    }

    /// Consumer: how many frames can be read in one piece from `front` on; 0 only when the ring is empty.
    @_noLocks @_noAllocation
    package func contiguousFrames() -> Int {
        min(slots.readableSlots(), slots.capacity &- slots.readIndex())
    }

    /// Consumer: the oldest frame; valid for `contiguousFrames` frames until they are consumed.
    @_noLocks @_noAllocation
    package func front() -> UnsafePointer<Float> {
        UnsafePointer(storage + slots.readIndex() &* channels)
    }
}
