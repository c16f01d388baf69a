package import AudioModel

/// What the guard is told.
package enum GuardEvent: Hashable, Sendable {
    case fact(GuardFact)
    /// A player was started by its user: MPRIS says so.
    case playerStarted(Program.Identity)
    /// The user asked for programs to go on here: all, or those of a name, binary or process id.
    case releaseRequested(program: String?)
}

/// What the guard does, in this order.
package enum GuardEffect: Hashable, Sendable {
    case host(GuardCommand)
    /// Tells the program's player that it is paused, so that its window shows it.
    case pausePlayer(Program)
    /// Takes back `pausePlayer`.
    case resumePlayer(Program)
    case report(GuardReport)
}

/// One line of the log.
package struct GuardReport: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case held(Hold.Reason)
        case released(Hold.Release)
        /// It ended while it was held.
        case ended
        /// No priority catches what leaves this output; streams are moved as soon as it has left.
        case cannotCatch
    }

    package var kind: Kind
    /// Program or output; untrusted text.
    package var name: String

    package init(_ kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}
