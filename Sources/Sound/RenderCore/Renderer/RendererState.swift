/// What the render thread remembers of its plans between cycles.
///
/// No other thread looks at it while cycles run.
package struct RendererState {
    typealias Plan = UnsafeMutablePointer<RenderPlan>

    var current: Plan?
    /// The plan before; its gains slide into the current one's.
    var fading: Plan?
    /// Frames done of that slide.
    var fadeStep = 0
    /// The gains slide from 0: the plan before was cut off, and sounds no more.
    var fadesFromSilence = false
    /// The cuts that were noticed, and whether no plan was taken since the last one.
    var cuts: UInt32 = 0
    var isCut = false
    /// Cycles so far.
    var cycle: UInt64 = 0
    /// Frames of all cycles so far.
    var sampleTime: Int64 = 0
    /// Done with, but the ring was full.
    var held: Plan?

    @_noLocks @_noAllocation
    package init() {}
}
