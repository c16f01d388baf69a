import Synchronization

/// How long a source has played since its last beginning, for readers on any thread.
///
/// It runs while the source plays, with or without frames to play, and stands while it is paused. Two words, each a
/// number (16 bits) beside a count of frames (48 bits with a sign: 23 years at 192 kHz): the number is that of the seek
/// that set the clock, so a reader can tell a clock that has not followed yet.
package struct SourceClock: ~Copyable {
    private let elapsed = Atomic<UInt64>(0)
    private let zero = Atomic<UInt64>(0)

    @_noLocks @_noAllocation
    package init() {}

    /// Frames up to the end of the last cycle; nil while rendering has not followed that seek.
    @_noLocks @_noAllocation
    package func elapsedFrames(since generation: UInt32) -> Int64? {
        Self.unpack(elapsed.load(ordering: .relaxed), generation)
    }

    /// The renderer's sample time at which the clock was 0, as long as it runs on as in the last cycle; nil as above.
    @_noLocks @_noAllocation
    package func zeroSampleTime(since generation: UInt32) -> Int64? {
        Self.unpack(zero.load(ordering: .relaxed), generation)
    }

    /// Render thread.
    @_noLocks @_noAllocation
    func publish(elapsed frames: Int64, at sampleTime: Int64, since generation: UInt32) {
        elapsed.store(Self.pack(frames, generation), ordering: .relaxed)
        zero.store(Self.pack(sampleTime &- frames, generation), ordering: .relaxed)
    }

    @_noLocks @_noAllocation
    private static func pack(_ frames: Int64, _ generation: UInt32) -> UInt64 {
        UInt64(generation & 0xFFFF) << 48 | UInt64(bitPattern: frames) & 0xFFFF_FFFF_FFFF
    }

    @_noLocks @_noAllocation
    private static func unpack(_ word: UInt64, _ generation: UInt32) -> Int64? {
        guard word >> 48 == UInt64(generation & 0xFFFF) else { return nil }
        // Shifted up and down again: the sign comes along.
        return Int64(bitPattern: word << 16) >> 16
    }
}
