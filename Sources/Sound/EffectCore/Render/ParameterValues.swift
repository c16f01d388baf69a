import Synchronization

/// The values of an effect's parameters, as processors see them.
///
/// Writers: any thread, except for measurements, which processors write. Readers: any thread. The memory is that of an
/// `EffectParameters`, which the owner of a processor keeps.
struct ParameterValues: @unchecked Sendable {
    /// Cells before the first value: the count of changes, and whether the effect is bypassed.
    static var reserved: Int { @_noLocks @_noAllocation get { 2 } }

    let cells: UnsafeMutablePointer<Atomic<UInt32>>

    @_noLocks @_noAllocation
    func value(_ index: Int) -> Float {
        Float(bitPattern: cells[Self.reserved &+ index].load(ordering: .relaxed))
    }

    @_noLocks @_noAllocation
    func store(_ value: Float, at index: Int) {
        cells[Self.reserved &+ index].store(value.bitPattern, ordering: .relaxed)
    }

    /// After a `store`: whoever sees the new count sees the value.
    @_noLocks @_noAllocation
    func noteChange() { cells[0].wrappingAdd(1, ordering: .releasing) }

    /// Differs from the last count if a value was set since.
    @_noLocks @_noAllocation
    func changes() -> UInt32 { cells[0].load(ordering: .acquiring) }

    @_noLocks @_noAllocation
    func isBypassed() -> Bool { cells[1].load(ordering: .relaxed) != 0 }

    @_noLocks @_noAllocation
    func setBypassed(_ isBypassed: Bool) { cells[1].store(isBypassed ? 1 : 0, ordering: .relaxed) }
}
