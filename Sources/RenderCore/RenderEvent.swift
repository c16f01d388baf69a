/// A fact that the render thread reports.
///
/// Fixed size; travels by a ring, and is counted as dropped when that is full.
package struct RenderEvent: BitwiseCopyable, Hashable, Sendable {
    package enum Kind: UInt8, BitwiseCopyable, Sendable, CaseIterable {
        /// The source has become silent because it was asked to pause; once for each request not withdrawn before.
        case fadeFinished
        /// The source's last frame has been rendered.
        case sourceEnded
        /// After the last frame, the silence that was asked for has been rendered too.
        case drained
        /// The source has run dry in the middle; silence follows.
        case underrunBegan
        /// Frames have arrived again.
        case underrunEnded
        /// Rendering has moved to the place that a seek asked for.
        case discontinuity
    }

    package var kind: Kind
    /// Which of the owner's sources.
    package var source: UInt32
    /// How many seeks the source had been asked for when this happened.
    package var generation: UInt32
    /// The source's position, in frames at its rate.
    package var frame: Int64
    /// When the cycle began in which it happened, on the host's clock.
    package var hostTimeNanoseconds: UInt64

    @_noLocks @_noAllocation
    package init(kind: Kind, source: UInt32, generation: UInt32, frame: Int64, hostTimeNanoseconds: UInt64) {
        self.kind = kind
        self.source = source
        self.generation = generation
        self.frame = frame
        self.hostTimeNanoseconds = hostTimeNanoseconds
    }
}
