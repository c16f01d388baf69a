/// Frames of one cycle in a tap's ring.
package struct TapBlock: BitwiseCopyable, Hashable, Sendable {
    package let frames: Int
    /// The renderer's sample time of the first.
    package let sampleTime: Int64
    /// When the cycle began, on the host's clock.
    package let hostTimeNanoseconds: UInt64

    @_noLocks @_noAllocation
    package init(frames: Int, sampleTime: Int64, hostTimeNanoseconds: UInt64) {
        self.frames = frames
        self.sampleTime = sampleTime
        self.hostTimeNanoseconds = hostTimeNanoseconds
    }
}
