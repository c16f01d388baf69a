/// A ring of interleaved Float32 frames.
///
/// Producer: the owner's reader; of a tap's ring the render thread. Consumer: the other of the two. Full: `write` takes
/// what fits; the rest stays the producer's. The memory belongs to the owner, who frees it after both threads have let go.
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

    /// Producer: interleaves `count` frames of planar rows, which must fit.
    @_noLocks @_noAllocation
    func write(rows: UnsafePointer<Float>, stride: Int, count: Int) {
        let first = slots.writeIndex()
        let untilWrap = min(count, slots.capacity &- first)
        for channel in 0..<channels {
            let row = rows + channel &* stride
            Kernels.interleave(row, into: storage + (first &* channels &+ channel), stride: channels, untilWrap)
            Kernels.interleave(row + untilWrap, into: storage + channel, stride: channels, count &- untilWrap)
        }
        slots.publish(count)
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

    /// Consumer: the frame after so many of the readable ones.
    @_noLocks @_noAllocation
    func front(after frames: Int) -> UnsafePointer<Float> { UnsafePointer(storage + index(after: frames) &* channels) }

    /// Consumer: how many frames there are from that one on before the ring wraps, readable or not.
    @_noLocks @_noAllocation
    func contiguousSlots(after frames: Int) -> Int { slots.capacity &- index(after: frames) }

    @_noLocks @_noAllocation
    private func index(after frames: Int) -> Int { (slots.readIndex() &+ frames) & (slots.capacity &- 1) }

    /// Where the ring's memory begins, and goes on after a wrap.
    @_noLocks @_noAllocation
    package func start() -> UnsafePointer<Float> { UnsafePointer(storage) }
}
