import Synchronization

/// Where the render thread writes what happened: the event ring and the counters behind `RenderStats`.
///
/// Each counter has one writer, the render thread, so adding is a load and a store; any thread may read.
/// Events: producer is the render thread, consumer the owner's control side; when full the event is dropped and counted.
package struct RenderReport: ~Copyable {
    private let slots: SPSCRing
    private let events: UnsafeMutablePointer<RenderEvent>
    private let cycles = Atomic<Int>(0)
    private let frames = Atomic<Int>(0)
    private let gatedCycles = Atomic<Int>(0)
    private let oversizedCycles = Atomic<Int>(0)
    private let underrunFrames = Atomic<Int>(0)
    private let nonFiniteSamples = Atomic<Int>(0)
    private let droppedEvents = Atomic<Int>(0)

    /// - Parameters:
    ///   - storage: room for `capacity` events.
    ///   - capacity: a power of two.
    @_noLocks @_noAllocation
    package init(storage: UnsafeMutablePointer<RenderEvent>, capacity: Int) {
        events = storage
        slots = SPSCRing(capacity: capacity)
    }

    // MARK: Control side

    /// The oldest event that was not taken yet.
    @_noLocks @_noAllocation
    package func takeEvent() -> RenderEvent? {
        guard slots.readableSlots() > 0 else { return nil }
        let event = events[slots.readIndex()]
        slots.consume(1)
        return event
    }

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
        return stats
    }

    // MARK: Render thread

    @_noLocks @_noAllocation
    package func post(_ event: RenderEvent) {
        guard slots.writableSlots() > 0 else {
            droppedEvents.store(droppedEvents.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
            return
        }
        (events + slots.writeIndex()).initialize(to: event)
        slots.publish(1)
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
}
