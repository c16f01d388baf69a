internal import AudioModel

/// One cause for which streams are held: it owns the facts of that cause, and says which holds begin and end.
///
/// Pure. To add a cause, write its rule in a file of its own, and name it in `HoldReason.swift`, where the compiler names each switch
/// that needs it. A rule answers the events that concern it and does not list the others, so that a new event changes no other rule.
protocol HoldRule: Hashable, Sendable {
    /// Why the stream is held from this event on; nil if the event is no reason to hold it.
    func begin(_ record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene) -> HoldRequest?

    /// What this event does to a reason of this rule; nil if the reason lasts.
    ///
    /// - Parameter record: a stream that is held for this reason.
    func end(
        _ reason: Hold.Reason, of record: StreamRecord, after event: HoldEvent, in book: HoldBook, _ scene: HoldScene
    ) -> HoldEnd?
}

/// What the rules of holds are told: a fact in the past tense.
enum HoldEvent: Hashable, Sendable {
    /// A guarded output has left.
    case outputLost(GuardOutput)
    /// A lost output came back, but its streams must not resume by themselves.
    case outputReturnedLate(uid: String)
    case outputsChanged
    /// A stream that is not held appeared.
    case streamAppeared(ProgramStream)
    /// A stream that the guard has not started began to play.
    case streamBegan(ProgramStream)
    /// A stream stopped for longer than a move takes.
    case streamPaused(ProgramStream)
    case streamEnded(ProgramStream)
    /// A held stream runs.
    case heldStreamRan
    case timePassed
    case focusBegan(FocusHolder)
    case focusEnded(FocusHolder.ID)
    /// The focus of recordings follows the changed options.
    case recordingsReviewed
    /// Nothing may sound on this sink now; the ducking sink plays on `duckOutput`.
    case sinkEmptied(String, duckOutput: String?)
    /// The sink may sound again; `lost` is its former port if that has left meanwhile.
    case sinkFilled(String, lost: GuardJack.Port?)
    case optionsChanged
    /// Holds began under another guard or before the connection ended; their causes may have ended meanwhile.
    case holdsInherited
}

/// What a rule asks for a stream.
struct HoldRequest: Hashable, Sendable {
    var reason: Hold.Reason
    /// As in `GuardCommand.hold`.
    var cutsLinks: Bool
    /// Repeats the request for a held stream that is still heard: its output is gone, so it may move now.
    var movesHeard = false
}

/// What becomes of a reason that no longer holds a stream.
enum HoldEnd: Hashable, Sendable {
    case released(Hold.Release)
    /// Another reason takes its place; `report` is told to the user.
    case replaced(Hold.Reason, report: GuardReport.Kind? = nil)
}
