import Synchronization

/// When the last cycle was, for readers on any thread.
///
/// One writer, the render thread, which never waits. Readers look again while a write is under way: the number is odd
/// then, or another one afterwards.
package struct CycleClock: ~Copyable {
    private let number = Atomic<UInt64>(0)
    private let sampleTime = Atomic<Int64>(0)
    private let hostTime = Atomic<UInt64>(0)
    private let frames = Atomic<Int>(0)

    @_noLocks @_noAllocation
    package init() {}

    /// Any thread but the render thread; nil before the first cycle.
    @_noLocks @_noAllocation
    package func last() -> CycleBlock? {
        while true {
            let before = number.load(ordering: .acquiring)
            if before == 0 { return nil }
            let block = CycleBlock(
                frames: frames.load(ordering: .acquiring), sampleTime: sampleTime.load(ordering: .acquiring),
                hostTimeNanoseconds: hostTime.load(ordering: .acquiring))
            // Each load that saw a newer write makes this one see its number.
            if before & 1 == 0, number.load(ordering: .relaxed) == before { return block }
        }
    }

    /// Render thread.
    @_noLocks @_noAllocation
    func note(_ moment: CycleMoment) {
        let next = number.load(ordering: .relaxed) &+ 1
        number.store(next, ordering: .relaxed)
        // Release: who sees one of these sees the number above too.
        sampleTime.store(moment.sampleTime, ordering: .releasing)
        hostTime.store(moment.hostTime, ordering: .releasing)
        frames.store(moment.frames, ordering: .releasing)
        number.store(next &+ 1, ordering: .releasing)
    }
}
