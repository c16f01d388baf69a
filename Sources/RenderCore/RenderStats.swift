/// What a renderer has done so far, as of one moment; the fields may be a cycle apart from each other.
package struct RenderStats: Hashable, Sendable {
    package var cycles = 0
    /// Frames asked for, silent or not.
    package var frames = 0
    /// Cycles during which the host's gate was closed.
    package var gatedCycles = 0
    /// Cycles that asked for more frames than the renderer was made for, and got silence.
    package var oversizedCycles = 0
    /// Frames of silence because a source had run dry in the middle.
    package var underrunFrames = 0
    /// Samples from sources that were not finite and became 0.
    package var nonFiniteSamples = 0
    /// Events lost because they were not taken in time.
    package var droppedEvents = 0
    /// Times that a plan could not be given back because the earlier ones were not taken.
    package var refusedRetirements = 0

    @_noLocks @_noAllocation
    package init() {}
}
