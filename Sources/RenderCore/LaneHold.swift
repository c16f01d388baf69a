/// A place in a lane that must not be passed before its time; the source is silent meanwhile.
package struct LaneHold: BitwiseCopyable, Hashable, Sendable {
    /// How many of the lane's frames come before it.
    package let frame: Int
    /// What the source's clock must have reached, in frames.
    package let clock: Int64

    @_noLocks @_noAllocation
    package init(frame: Int, clock: Int64) {
        self.frame = frame
        self.clock = clock
    }
}
