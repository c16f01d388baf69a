/// What the control side wants of a source; published whole, taken at the start of a cycle.
package struct SourceParameters: BitwiseCopyable, Hashable, Sendable {
    /// False: fade out, then hold the position.
    package var isPlaying = false
    /// Linear amplitude, finite; 1 leaves samples as they are.
    package var volume: Float = 1
    /// Counts requests to pause, so that each gets its answer even when the source is silent already.
    package var pauseRequests: UInt32 = 0
    /// Counts requests to be silent at once.
    ///
    /// A count and not a state: a request that was followed by `isPlaying` before the render thread looked must still
    /// start again from silence.
    package var cuts: UInt32 = 0
    /// The renderer's sample time before which it does not play, whatever `isPlaying` says.
    package var startSampleTime = Int64.min
    /// An instant of the host's clock, in nanoseconds, that is to become `startSampleTime` in the cycle in which it falls;
    /// 0: there is none.
    package var startHostTime: UInt64 = 0
    /// Frames of silence after the last frame before `drained` is reported.
    package var drainFrames: Int32 = 0

    @_noLocks @_noAllocation
    package init() {}
}
