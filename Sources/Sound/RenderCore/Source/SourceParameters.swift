/// What the control side wants of a source; published whole, taken at the start of a cycle.
package struct SourceParameters: BitwiseCopyable, Hashable, Sendable {
    package var playback = Playback.paused
    /// Linear amplitude, finite; 1 leaves samples as they are.
    package var volume: Float = 1
    /// Counts requests to pause, so that each gets its answer even when the source is silent already.
    package var pauseRequests: UInt32 = 0
    /// Counts requests to be silent at once.
    ///
    /// A count and not a state: a request that was followed by `playing` before the render thread looked must still
    /// start again from silence.
    package var cuts: UInt32 = 0
    /// Frames of silence after the last frame that belong to the end.
    package var drainFrames: Int32 = 0

    package enum Playback: BitwiseCopyable, Hashable, Sendable {
        /// Fades out, then holds the position.
        case paused
        /// From this sample time of the renderer on.
        case playing(from: Int64)
        /// From an instant of the host's clock on, in nanoseconds; the render thread makes it `playing` in the cycle in
        /// which it falls.
        case starting(atHostTime: UInt64)
    }

    @_noLocks @_noAllocation
    package init() {}

    @_noLocks @_noAllocation
    func isPlaying(at sampleTime: Int64) -> Bool {
        switch playback {
        case .paused, .starting: false
        case .playing(let start): sampleTime >= start
        }
    }
}
