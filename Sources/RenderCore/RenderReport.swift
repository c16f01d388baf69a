import Synchronization

/// Where the render thread writes what happened: the event ring and the counters behind `RenderStats`.
///
/// Each counter has one writer, the render thread, so adding is a load and a store; any thread may read.
/// Events: producer is the render thread, consumer the owner's control side; when full the event is dropped and counted.
package struct RenderReport: ~Copyable {
    private let events: EventRing
    private let cycles = Atomic<Int>(0)
    private let frames = Atomic<Int>(0)
    private let gatedCycles = Atomic<Int>(0)
    private let oversizedCycles = Atomic<Int>(0)
    private let underrunFrames = Atomic<Int>(0)
    private let nonFiniteSamples = Atomic<Int>(0)
    private let droppedEvents = Atomic<Int>(0)
    private let peakBits = Atomic<UInt32>(0)

    /// - Parameter capacity: of `storage`, in events; a power of two.
    @_noLocks @_noAllocation
    package init(storage: UnsafeMutablePointer<RenderEvent>, capacity: Int) {
        events = EventRing(storage: storage, capacity: capacity)
    }

    // MARK: Control side

    /// The oldest event that was not taken yet.
    @_noLocks @_noAllocation
    package func takeEvent() -> RenderEvent? { events.pop() }

    @_noLocks @_noAllocation
    package func stats() -> RenderStats {
        var stats = RenderStats()
        stats.cycles = cycles.load(ordering: .relaxed)
        stats.frames = frames.load(ordering: .relaxed)
        stats.gatedCycles = gatedCycles.load(ordering: .relaxed)
        stats.oversizedCycles = oversizedCycles.load(ordering: .relaxed)
        stats.underrunFrames = underrunFrames.load(ordering: .relaxed)
        stats.nonFiniteSamples = nonFiniteSamples.load(ordering: .relaxed)
        stats.droppedEvents = droppedEvents.load(ordering: .relaxed)
        stats.peak = Float(bitPattern: peakBits.load(ordering: .relaxed))
        return stats
    }

    // MARK: Render thread

    @_noLocks @_noAllocation
    func post(_ event: RenderEvent) {
        if !events.push(event) { droppedEvents.store(droppedEvents.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
    }

    @_noLocks @_noAllocation
    func countCycle(frames count: Int, isGated: Bool, isOversized: Bool) {
        cycles.store(cycles.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        frames.store(frames.load(ordering: .relaxed) &+ count, ordering: .relaxed)
        if isGated { gatedCycles.store(gatedCycles.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
        if isOversized { oversizedCycles.store(oversizedCycles.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
    }

    @_noLocks @_noAllocation
    func countUnderrun(frames count: Int) {
        underrunFrames.store(underrunFrames.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    @_noLocks @_noAllocation
    func countNonFinite(_ samples: Int) {
        guard samples > 0 else { return }
        nonFiniteSamples.store(nonFiniteSamples.load(ordering: .relaxed) &+ samples, ordering: .relaxed)
    }

    /// - Parameter bits: of a magnitude; for finite floats without a sign the order of the bits is that of the values.
    @_noLocks @_noAllocation
    func notePeak(bits: UInt32) {
        if bits > peakBits.load(ordering: .relaxed) { peakBits.store(bits, ordering: .relaxed) }
    }
}
