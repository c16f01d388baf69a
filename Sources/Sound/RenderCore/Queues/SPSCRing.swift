import Synchronization

/// The indices of a queue without waiting between exactly one producer thread and one consumer thread.
///
/// Only indices: the slots are their owner's, of whatever type (`FrameRing`, `RenderTap`, `PlanExchange`). A generic ring
/// would be neater, but the compiler can vouch for `@_noAllocation` only where types are known.
///
/// - Producer: `writableSlots`, then fill the slots from `writeIndex` on, then `publish`. Full: 0 writable slots; what
///   is in the ring is never overwritten, and what to do with the rest is the producer's choice.
/// - Consumer: `readableSlots`, then look at the slots from `readIndex` on, then `consume`. Empty: 0 readable slots.
///
/// Why this is enough: each index has one writer. The producer stores `written` with release after it filled the slots,
/// the consumer loads it with acquire, so it sees what was put there. The consumer stores `read` with release after its
/// last look at the slots, the producer loads it with acquire, so it cannot overwrite what is still being looked at. A
/// side's own index needs no ordering, as no other thread stores it. Both count from the beginning and never wrap (2^63
/// slots), which tells a full ring from an empty one without a spare slot. They share a cache line on purpose: both
/// sides touch them a few times a cycle, not once a sample.
package struct SPSCRing: ~Copyable {
    /// Slots; a power of two.
    package let capacity: Int
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)

    @_noLocks @_noAllocation
    package init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity &- 1) == 0, "a ring's capacity is a power of two")
        self.capacity = capacity
    }

    // MARK: Producer

    /// Slots that can be written now; only grows until the next `publish`.
    @_noLocks @_noAllocation
    package func writableSlots() -> Int {
        capacity &- (written.load(ordering: .relaxed) &- read.load(ordering: .acquiring))
    }

    /// Where the next slot to write lies.
    @_noLocks @_noAllocation
    package func writeIndex() -> Int { written.load(ordering: .relaxed) & (capacity &- 1) }

    /// Slots ever written.
    @_noLocks @_noAllocation
    package func writtenSlots() -> Int { written.load(ordering: .relaxed) }

    /// Hands filled slots to the consumer; at most `writableSlots`.
    @_noLocks @_noAllocation
    package func publish(_ slots: Int) {
        written.store(written.load(ordering: .relaxed) &+ slots, ordering: .releasing)
    }

    // MARK: Consumer

    /// Slots that can be read now; only grows until the next `consume`.
    @_noLocks @_noAllocation
    package func readableSlots() -> Int {
        written.load(ordering: .acquiring) &- read.load(ordering: .relaxed)
    }

    /// Where the oldest slot lies.
    @_noLocks @_noAllocation
    package func readIndex() -> Int { read.load(ordering: .relaxed) & (capacity &- 1) }

    /// Slots ever read.
    @_noLocks @_noAllocation
    package func readSlots() -> Int { read.load(ordering: .relaxed) }

    /// Gives the oldest slots back to the producer; at most `readableSlots`.
    @_noLocks @_noAllocation
    package func consume(_ slots: Int) {
        read.store(read.load(ordering: .relaxed) &+ slots, ordering: .releasing)
    }

    // MARK: Neither

    /// Empties the ring and counts from 0 again.
    ///
    /// Only while no other thread may touch it.
    @_noLocks @_noAllocation
    package func reset() {
        written.store(0, ordering: .relaxed)
        read.store(0, ordering: .relaxed)
    }

    /// Takes the last slots back, so that so many are written; at least as many as were read.
    ///
    /// Only while no other thread may touch it.
    @_noLocks @_noAllocation
    package func truncate(to slots: Int) { written.store(slots, ordering: .relaxed) }
}
