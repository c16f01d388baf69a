import Synchronization

/// Hands the newest of a source's parameters from one writer thread to one reader thread; neither ever waits.
///
/// Values in between may be lost: only the newest volume matters. Three slots take turns: the
/// writer fills its own, then swaps it with the shared one; the reader swaps the shared one with its own when it is
/// fresh. So each slot belongs to one side at any time, and the swap's acquire and release order the plain accesses.
/// There is no full state: a value that was not taken is replaced.
package struct LatestParameters: ~Copyable {
    private let slots: UnsafeMutablePointer<SourceParameters>
    /// Index of the slot that neither side owns; plus 4 when the writer put it there.
    private let shared = Atomic<UInt32>(1)
    /// Each of one side alone.
    private let writerSlot = Atomic<UInt32>(0)
    private let readerSlot = Atomic<UInt32>(2)

    /// - Parameter slots: room for three; the memory stays the owner's.
    @_noLocks @_noAllocation
    package init(slots: UnsafeMutablePointer<SourceParameters>) {
        self.slots = slots
        slots.initialize(repeating: SourceParameters(), count: 3)
    }

    /// Writer: publishes a value.
    @_noLocks @_noAllocation
    package func publish(_ value: SourceParameters) {
        let own = writerSlot.load(ordering: .relaxed)
        slots[Int(own)] = value
        writerSlot.store(shared.exchange(own | 4, ordering: .acquiringAndReleasing) & 3, ordering: .relaxed)
    }

    /// Reader: whether `newer` would give one.
    @_noLocks @_noAllocation
    func hasNews() -> Bool { shared.load(ordering: .relaxed) & 4 != 0 }

    /// Reader: the newest value, if there is one that was not taken yet.
    @_noLocks @_noAllocation
    package func newer() -> SourceParameters? {
        guard hasNews() else { return nil }
        let newest = shared.exchange(readerSlot.load(ordering: .relaxed), ordering: .acquiringAndReleasing) & 3
        readerSlot.store(newest, ordering: .relaxed)
        return slots[Int(newest)]
    }
}
