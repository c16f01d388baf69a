import Synchronization

/// The frames of a source from one seek to the next: a ring, the position of its first frame, and perhaps its end.
///
/// Producer: the owner's reader. Consumer: the render thread. Full: the reader waits; empty: an underrun, or the end.
///
/// Holds go by a ring of their own, with the same two sides; when it is full the producer waits until one has passed.
package struct SeekBuffer: ~Copyable {
    /// Room for holds; a power of two.
    package static var holdCapacity: Int { @_noLocks @_noAllocation get { 16 } }

    package let ring: FrameRing
    private let holds = SPSCRing(capacity: SeekBuffer.holdCapacity)
    private let holdStorage: UnsafeMutablePointer<LaneHold>
    /// -1 while the end is not known; else how many frames the lane holds altogether.
    private let end = Atomic<Int>(-1)
    /// Set while the render thread has no access; the hand-over of the lane publishes them.
    private let first = Atomic<Int64>(0)
    private let seek = Atomic<UInt32>(0)
    private let clockGoesOn = Atomic<Bool>(false)
    /// -1: the renderer leaves the other lane at once.
    private let join = Atomic<Int>(-1)

    /// - Parameters:
    ///   - storage: `capacity * channels` samples.
    ///   - capacity: frames; a power of two.
    ///   - holdStorage: `holdCapacity` holds.
    @_noLocks @_noAllocation
    package init(
        storage: UnsafeMutablePointer<Float>, capacity: Int, channels: Int, holdStorage: UnsafeMutablePointer<LaneHold>
    ) {
        ring = FrameRing(storage: storage, capacity: capacity, channels: channels)
        self.holdStorage = holdStorage
    }

    /// The position of the lane's first frame.
    @_noLocks @_noAllocation
    package func firstFrame() -> Int64 { first.load(ordering: .relaxed) }

    @_noLocks @_noAllocation
    package func generation() -> UInt32 { seek.load(ordering: .relaxed) }

    /// The position of the next frame to render.
    @_noLocks @_noAllocation
    package func position() -> Int64 { firstFrame() &+ Int64(ring.slots.readSlots()) }

    /// Whether the source's clock goes on when the lane is taken, and is not set to the first frame.
    @_noLocks @_noAllocation
    package func keepsClock() -> Bool { clockGoesOn.load(ordering: .relaxed) }

    /// How many frames of the other lane come before this one, which then follows without a seam; -1: the renderer leaves
    /// the other lane at once.
    @_noLocks @_noAllocation
    package func joinFrame() -> Int { join.load(ordering: .relaxed) }

    /// Empties the lane for a new place in the source, or for what is to follow frames of the other lane.
    ///
    /// Only while the render thread has no access to it.
    ///
    /// - Parameter join: as `joinFrame`.
    @_noLocks @_noAllocation
    package func restart(atFrame frame: Int64, generation: UInt32, keepsClock: Bool = false, joining join: Int = -1) {
        ring.slots.reset()
        holds.reset()
        end.store(-1, ordering: .relaxed)
        first.store(frame, ordering: .relaxed)
        seek.store(generation, ordering: .relaxed)
        clockGoesOn.store(keepsClock, ordering: .relaxed)
        self.join.store(join, ordering: .relaxed)
    }

    /// Drops the last frames that were written, up to so many frames of the lane.
    ///
    /// Only while the render thread has no access to it.
    @_noLocks @_noAllocation
    package func truncate(to frames: Int) {
        ring.slots.truncate(to: frames)
        end.store(-1, ordering: .relaxed)
    }

    /// Producer: what has been written so far is all, for now.
    @_noLocks @_noAllocation
    package func markEnd() {
        end.store(ring.slots.writtenSlots(), ordering: .releasing)
    }

    /// Producer: more has been written after the end, and its end is not known.
    @_noLocks @_noAllocation
    package func reopen() { end.store(-1, ordering: .releasing) }

    /// Producer: what is written next waits until the source's clock shows so many frames.
    ///
    /// False when there are too many holds already.
    @_noLocks @_noAllocation
    package func hold(until clock: Int64) -> Bool {
        guard holds.writableSlots() > 0 else { return false }
        (holdStorage + holds.writeIndex()).initialize(to: LaneHold(frame: ring.slots.writtenSlots(), clock: clock))
        holds.publish(1)
        return true
    }

    /// Consumer: the next hold on the way.
    @_noLocks @_noAllocation
    func nextHold() -> LaneHold? {
        holds.readableSlots() > 0 ? holdStorage[holds.readIndex()] : nil
    }

    /// Consumer: the next hold is behind.
    @_noLocks @_noAllocation
    func passHold() { holds.consume(1) }

    /// Consumer: whether so many frames can be read in one piece, before any hold and short of the end.
    @_noLocks @_noAllocation
    @inline(__always)
    func hasPlain(_ frames: Int) -> Bool {
        guard ring.contiguousFrames() >= frames, holds.readableSlots() == 0 else { return false }
        return end.load(ordering: .acquiring) != ring.slots.readSlots() &+ frames
    }

    /// Consumer: whether everything up to the end has been read.
    ///
    /// False while frames may still come.
    @_noLocks @_noAllocation
    package func isAtEnd() -> Bool {
        end.load(ordering: .acquiring) == ring.slots.readSlots()
    }
}

/// A place in a lane that must not be passed before its time; the source is silent meanwhile.
package struct LaneHold: BitwiseCopyable {
    /// How many of the lane's frames come before it.
    let frame: Int
    /// What the source's clock must have reached, in frames.
    let clock: Int64

    @_noLocks @_noAllocation
    init(frame: Int, clock: Int64) { (self.frame, self.clock) = (frame, clock) }
}
