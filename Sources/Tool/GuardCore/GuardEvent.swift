/// What the guard is told.
package enum GuardEvent: Hashable, Sendable {
    case fact(GuardFact)
    /// A player was started by its user: MPRIS says so.
    case playerStarted(Program.Identity)
    /// A player shows a pause, because it was told to.
    case playerPaused(Program.Identity)
    /// The user asked for programs to go on here: all, or those of a name, binary or process id.
    case releaseRequested(program: String?)
    /// The ports that an earlier guard has muted and not taken back; read when this guard has the server.
    case mutedPortsRead(Set<String>)
    /// Its user has changed the configuration.
    case optionsChanged(GuardOptions)
    /// The bus has given the name of the focus service to this guard (nil), or has it with another program; untrusted text.
    case focusNameChanged(owner: String?)
    /// The guard is about to end: what it has muted is to be heard again.
    case endRequested
    /// The guard is about to end, and what it holds is to stand still until the next one has it.
    case handoverRequested
}

/// What the guard does, in this order.
package enum GuardEffect: Hashable, Sendable {
    case host(GuardCommand)
    /// Reads the ports that an earlier guard has muted; before the server is taken.
    case readMutedPorts
    /// Tells the program's player that it is paused, so that its window shows it.
    case pausePlayer(Program)
    /// Takes back `pausePlayer`.
    case resumePlayer(Program)
    /// The program's player was paused by an earlier guard: `resumePlayer` starts it.
    case adoptPlayer(Program)
    /// All ports that the session manager remembers as muted because of the guard; to be written down before what follows.
    case mutedPortsChanged(Set<String>)
    /// All that hold the focus now, in the order in which they came.
    case holdersChanged([FocusHolder])
    case report(GuardReport)
}

/// One line of the log.
package struct GuardReport: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case held(Hold.Reason)
        case released(Hold.Release)
        /// It is heard where it was, although it was to be held: neither the server nor the session manager moves it.
        case notMoved
        /// Its user has chosen the guard's own sink as the output, and has the choice of before again.
        case choiceRestored
        /// Its output came back, too late for it to go on by itself.
        case returnedLate(output: String)
        /// The guard before has handed it over.
        case keptHeld
        /// It was held before the connection to the server ended, and is held again.
        case heldAgain
        /// The next guard has what this one held.
        case handedOver
        /// Without the session manager no stream can be held.
        case managerLeft
        case managerCame
        /// It ended while it was held.
        case ended
        /// No priority catches what leaves this output; streams are moved as soon as it has left.
        case cannotCatch
        /// Another guard has the server; this one does nothing until that one ends.
        case waiting(GuardRival)
        /// The other guard has ended.
        case tookOver
        /// The server refused this guard's claim, or removed it: it does nothing any more. The text is untrusted.
        case claimFailed(String)
        /// The session manager is made to remember a speaker as muted.
        case portMuted
        /// It remembers it as it was before.
        case portUnmuted
        /// It does not remember the mute of a speaker, which is therefore not muted while headphones are in.
        case portForgotten
        /// This program has the others hold or go quieter.
        case focusBegan(FocusHolder)
        case focusEnded
        /// Another program has the name of the focus service on the bus; the report's name is that program's.
        case focusNameTaken
        /// That program has left, and this guard has the name.
        case focusNameReturned
        /// The process has no descriptors left for what the server sends: it lets go what it holds.
        case descriptorsRanOut
    }

    package var kind: Kind
    /// Program or output; untrusted text.
    package var name: String

    package init(_ kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}
