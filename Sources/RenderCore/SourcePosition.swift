import Synchronization

/// Where a source is, for readers on any thread, also right after a seek and while nothing is rendered.
///
/// Two words, each a seek's number (16 bits) beside a position (48 bits: 46 years at 192 kHz): what the control side
/// asked for, and what was rendered. As long as rendering has not followed the newest seek, the position is its target.
package struct SourcePosition: ~Copyable {
    private let asked = Atomic<UInt64>(0)
    private let rendered = Atomic<UInt64>(0)

    @_noLocks @_noAllocation
    package init() {}

    /// Producer: a seek to this frame was asked for.
    @_noLocks @_noAllocation
    package func ask(frame: Int64, generation: UInt32) {
        asked.store(Self.pack(frame, generation), ordering: .releasing)
    }

    /// Render thread: everything before this frame has been rendered.
    @_noLocks @_noAllocation
    package func publish(frame: Int64, generation: UInt32) {
        rendered.store(Self.pack(frame, generation), ordering: .releasing)
    }

    /// Any thread: in frames; never older than the last seek.
    @_noLocks @_noAllocation
    package func frame() -> Int64 {
        // In this order: a seek that comes between the two loads then wins.
        let rendered = rendered.load(ordering: .acquiring)
        let asked = asked.load(ordering: .acquiring)
        return Int64((rendered >> 48 == asked >> 48 ? rendered : asked) & 0xFFFF_FFFF_FFFF)
    }

    @_noLocks @_noAllocation
    private static func pack(_ frame: Int64, _ generation: UInt32) -> UInt64 {
        UInt64(generation & 0xFFFF) << 48 | UInt64(truncatingIfNeeded: max(0, frame)) & 0xFFFF_FFFF_FFFF
    }
}
