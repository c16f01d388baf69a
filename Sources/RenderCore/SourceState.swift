/// What the render thread remembers of a source between cycles.
///
/// No other thread looks at it.
package struct SourceState {
    /// What the control side wanted last.
    var wanted = SourceParameters()
    /// The next cycle passes frames on as they are, unless something from outside changes that.
    var isSettled = false
    /// The lane that is being played.
    var lane = 0
    /// 0 is silent, the ramp's length is as loud as the volume says; in between a fade is under way.
    var level = 0
    /// Frames done of the decay of the last frame after an abrupt end; the ramp's length when there is none.
    var tailStep: Int
    /// Where in the rows the frame is that was rendered last; -1 when nothing sounded.
    var lastFrame = -1
    var volumeFrom: Float = 1
    var volumeTo: Float = 1
    /// Frames done of the ramp between the two; the ramp's length when the volume is steady.
    var volumeStep: Int
    /// The instant whose start has been found; 0: none yet.
    var foundHostTime: UInt64 = 0
    var obeyedCuts: UInt32 = 0
    var answeredPauses: UInt32 = 0
    /// What comes next is a beginning, as it follows an end: it is passed on as it is, without a fade.
    var isAtBeginning = false
    /// Frames played, with or without something to play, since the last lane that set it.
    var clock: Int64 = 0
    /// The generation of that lane.
    var clockGeneration: UInt32 = 0
    /// Its first column of the current plan, and of the one before; -1: it has none there.
    var column = -1
    var columnBefore = -1
    /// Its gains need no slide from the plan before: it was silent when the plans changed.
    var isSteady = true
    var isUnderrunning = false
    var hasEnded = false
    var hasDrained = false
    /// Frames of silence rendered since the end.
    var framesSinceEnd = 0

    @_noLocks @_noAllocation
    package init(rampFrames: Int) {
        tailStep = rampFrames
        volumeStep = rampFrames
    }
}
