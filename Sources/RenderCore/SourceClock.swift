import Synchronization

/// How long a source has played since its last beginning, for readers on any thread.
///
/// It runs while the source plays, with or without frames to play, and stands while it is paused.
package struct SourceClock: ~Copyable {
    private let elapsed = Atomic<Int64>(0)
    private let zero = Atomic<Int64>(0)

    @_noLocks @_noAllocation
    package init() {}

    /// Frames up to the end of the last cycle.
    @_noLocks @_noAllocation
    package func elapsedFrames() -> Int64 { elapsed.load(ordering: .relaxed) }

    /// The renderer's sample time at which the clock was 0, as long as it runs on as in the last cycle.
    @_noLocks @_noAllocation
    package func zeroSampleTime() -> Int64 { zero.load(ordering: .relaxed) }

    /// Render thread.
    @_noLocks @_noAllocation
    func publish(elapsed frames: Int64, at sampleTime: Int64) {
        elapsed.store(frames, ordering: .relaxed)
        zero.store(sampleTime &- frames, ordering: .relaxed)
    }
}
