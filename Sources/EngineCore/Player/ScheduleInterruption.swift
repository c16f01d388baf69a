/// What a newly scheduled item does to those before it.
package enum ScheduleInterruption: Hashable, Sendable {
    /// Nothing: it comes after them.
    case none
    /// Drops all of them, also what sounds now.
    ///
    /// An item with a time then waits for it in silence.
    case atOnce
    /// Lets a looping item end its pass and drops what waits behind it; where none loops, it comes after them.
    case atLoopEnd
}
