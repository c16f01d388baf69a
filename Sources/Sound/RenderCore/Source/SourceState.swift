/// What the render thread remembers of a source between cycles.
///
/// No other thread looks at it.
package struct SourceState {
    /// What the control side wanted last.
    var wanted = SourceParameters()
    /// The lane that is being played.
    var lane = 0
    var envelope = SourceEnvelope.silent
    /// In this cycle sound begins and ends at the frame, without a ramp.
    var cuts = false
    var progress = LaneProgress.running
    /// Found at the end of `renderChanges`, the only one that writes what it depends on.
    var isSettled = false
    var placement = PlanPlacement.absent
    /// Every frame of the last cycle was 0.
    var isSilent = true
    var volumeFrom: Float = 1
    var volumeTo: Float = 1
    /// Frames done of the ramp between the two; the ramp's length when the volume is steady.
    var volumeStep: Int
    /// The instant whose start has been found; 0: none yet.
    var foundHostTime: UInt64 = 0
    var obeyedCuts: UInt32 = 0
    var answeredPauses: UInt32 = 0
    /// Frames played, with or without something to play, since the last lane that set it.
    var clock: Int64 = 0
    /// The generation of that lane.
    var clockGeneration: UInt32 = 0
    /// How often `progress` has become `drained`.
    var drains: Int64 = 0
    /// Frames that were made in a cycle have sounded since the clock was set.
    var hasBegun = false
    /// From a tap to here.
    var delay = CycleDelay()

    @_noLocks @_noAllocation
    package init(rampFrames: Int) { volumeStep = rampFrames }
}

/// How the frames of a source begin and end.
enum SourceEnvelope: BitwiseCopyable {
    /// The next frames fade in; to `sounding` with them, to `atBeginning` at an end or a hold.
    case silent
    /// As `silent`, behind an end or a hold: the next frames are a beginning, and do not fade in. To `sounding` with them,
    /// to `silent` in another lane.
    case atBeginning
    /// At `level` of the ramp's length, 1 or more; a fade is under way below the whole. `lastFrame` is where in the rows the
    /// frame is that was rendered last.
    ///
    /// To `silent` after a fade and at a cut, to `atBeginning` at an end or a hold, to `decaying` where the frames stop
    /// without notice.
    case sounding(level: Int, lastFrame: Int)
    /// The last frame fades, `step` frames of it are done; to `silent` at the end and at a cut.
    case decaying(step: Int)

    /// Nothing sounds that a change of gain could make click.
    var isSilent: Bool {
        @_noLocks @_noAllocation get {
            switch self {
            case .silent, .atBeginning: true
            case .sounding, .decaying: false
            }
        }
    }

    /// 0 while no frames sound.
    var level: Int {
        @_noLocks @_noAllocation get {
            switch self {
            case .silent, .atBeginning, .decaying: 0
            case .sounding(let level, _): level
            }
        }
    }
}

/// How far the render thread is in the lane.
///
/// To `running` with another lane, too.
enum LaneProgress: BitwiseCopyable {
    /// To `starved` where frames are missing after the first, to `ended` at the end.
    case running
    /// To `running` with the next frame, to `ended` where there is none.
    case starved
    /// So many frames of silence after the end; to `drained` after those that were asked for, to `running` where more has
    /// come after the end.
    case ended(silentFrames: Int)
    /// To `running` where more has come after the end.
    case drained

    var isStarved: Bool {
        @_noLocks @_noAllocation get { if case .starved = self { true } else { false } }
    }
}

/// Where the mix finds the gains of a source, by the first of its columns.
enum PlanPlacement: BitwiseCopyable {
    /// In no plan; to either of the others.
    case absent
    /// In the current plan. Nothing slides: no plan is left, or the source was silent when the plans changed. To `sliding` with
    /// the next plan.
    case steady(column: Int)
    /// From its gains in the plan that is left to those in the current one; -1: it is not in that plan. Of a source that is in
    /// the plan that is left: to `absent` or `steady` after the slide. To itself with the next plan.
    case sliding(from: Int, to: Int)

    /// In the current plan; -1: it is not there.
    var column: Int {
        @_noLocks @_noAllocation get {
            switch self {
            case .absent: -1
            case .steady(let column), .sliding(_, let column): column
            }
        }
    }

    /// The current plan does not have it, unless `enter` follows.
    @_noLocks @_noAllocation
    mutating func leave() { self = .sliding(from: column, to: -1) }

    @_noLocks @_noAllocation
    mutating func enter(column: Int, isSilent: Bool) {
        if isSilent {
            self = .steady(column: column)
        } else if case .sliding(let before, _) = self {
            self = .sliding(from: before, to: column)
        } else {
            self = .sliding(from: -1, to: column)
        }
    }

    /// The plan that was left is gone.
    @_noLocks @_noAllocation
    mutating func endSlide() { self = column < 0 ? .absent : .steady(column: column) }
}
