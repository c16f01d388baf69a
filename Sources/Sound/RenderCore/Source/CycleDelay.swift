/// How many frames after its capture another stream's sound is played: none, or a cycle.
///
/// A server calls two streams of one clock in one order or in the other, and can change the order. A pure value: `choose` before each
/// cycle, then `found` or `missed`.
package struct CycleDelay: BitwiseCopyable, Hashable, Sendable {
    /// Cycles without the frames that they need, after which the two streams count as apart: some pass where one of them
    /// starts, or where the length of the cycles changes.
    package static var mostMissedCycles: Int { @_noLocks @_noAllocation get { 8 } }
    /// Cycles that are much shorter than the delay, or whose frames came before them, after which the delay is made shorter: some
    /// are short where a step of a script or a timer ends them.
    package static var patienceCycles: Int { @_noLocks @_noAllocation get { 64 } }
    /// A quarter of an hour at 1024 frames: an order that often changes must not be heard often.
    private static var longestPatienceCycles: Int { @_noLocks @_noAllocation get { 65_536 } }

    /// nil until it is known, and after a missed cycle.
    package private(set) var frames: Int?
    private var missedCycles = 0
    private var shortCycles = 0
    /// Cycles in a row whose frames came before them.
    private var earlyCycles = 0
    /// So many must come early before the delay is none; 0 until that has failed once.
    private var requiredCycles = 0
    /// The clock position of a cycle whose frames were missing although the delay was none: the next block tells whether they were late.
    private var doubtedPosition: UInt64?

    @_noLocks @_noAllocation
    package init() {}

    /// - Parameters:
    ///   - oldestPosition: of the oldest captured block, on the clock; every block before the last cycle has been dropped.
    ///   - newestFrames: of the newest captured block.
    ///   - isEarly: this cycle's frames have come.
    /// - Returns: whether the delay has changed, so that what is heard does not go on.
    @_noLocks @_noAllocation
    package mutating func choose(
        oldestPosition: UInt64, newestFrames: Int, cycleFrames: Int, isEarly: Bool
    ) -> Bool {
        if let doubtedPosition {
            self.doubtedPosition = nil
            // Frames that never come were not late: their stream was away, and that says nothing about the order.
            if oldestPosition == doubtedPosition {
                requiredCycles = min(max(2 &* requiredCycles, Self.patienceCycles), Self.longestPatienceCycles)
            }
        }
        earlyCycles = isEarly ? min(earlyCycles &+ 1, Self.longestPatienceCycles &+ 1) : 0
        if let frames {
            shortCycles = frames > 2 &* cycleFrames ? shortCycles &+ 1 : 0
            let comesEarly = frames > 0 && earlyCycles > max(requiredCycles, Self.patienceCycles)
            guard comesEarly || shortCycles > Self.patienceCycles else { return false }
        }
        frames = earlyCycles > requiredCycles ? 0 : max(newestFrames, cycleFrames)
        shortCycles = 0
        return true
    }

    @_noLocks @_noAllocation
    package mutating func found() { missedCycles = 0 }

    /// - Parameter position: of the cycle, on the clock.
    /// - Returns: whether the streams count as apart.
    @_noLocks @_noAllocation
    package mutating func missed(at position: UInt64) -> Bool {
        if frames == 0 { doubtedPosition = position }
        frames = nil
        earlyCycles = 0
        missedCycles = min(missedCycles &+ 1, Self.mostMissedCycles &+ 1)
        guard missedCycles > Self.mostMissedCycles else { return false }
        // A stream that was away says nothing about the order.
        requiredCycles = 0
        return true
    }
}
