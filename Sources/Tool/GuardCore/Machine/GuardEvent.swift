/// An input of the guard's machine.
package enum GuardEvent: Hashable, Sendable {
    case fact(GuardFact)
    /// MPRIS reports that the user started a player.
    case playerStarted(Program.Identity)
    /// The guard told a player to pause, or acts as if it had: the player has just paused by itself.
    case playerPaused(Program.Identity)
    /// The user asked to release programs here: all of them, or those with this name, binary or process id.
    case releaseRequested(program: String?)
    /// The ports that an earlier guard muted and did not unmute; read once this guard owns the server.
    case mutedPortsRead(Set<String>)
    /// The user has changed the configuration.
    case optionsChanged(GuardOptions)
    /// This guard owns the name of the focus service on the bus (nil), or another program owns it; untrusted text.
    case focusNameChanged(owner: String?)
    /// The guard is about to end, and must unmute what it has muted.
    case endRequested
    /// The guard is about to end, and its holds must last until the next guard takes them over.
    case handoverRequested
}

/// An action of the guard; actions are carried out in the order in which they are returned.
package enum GuardEffect: Hashable, Sendable {
    case host(GuardCommand)
    /// Reads the ports that an earlier guard has muted, before the guard takes the server.
    case readMutedPorts
    /// Tells the program's player to pause, so that its window shows the pause.
    case pausePlayer(Program)
    /// Undoes `pausePlayer`.
    case resumePlayer(Program)
    /// An earlier guard paused the program's player; `resumePlayer` will start it.
    case adoptPlayer(Program)
    /// All ports that the session manager remembers as muted because of the guard; must be saved before the next effects run.
    case mutedPortsChanged(Set<String>)
    /// All current focus holders, in the order in which they came.
    case holdersChanged([FocusHolder])
    /// All streams that play music or a film now, in the order in which they appeared.
    case primaryAudioChanged([PrimaryAudio])
    case report(GuardReport)
}

/// One line of the log.
package struct GuardReport: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case held(Hold.Reason)
        case released(Hold.Release)
        /// The stream is still heard at its former output although it should be held: neither the server nor the session manager moves it.
        case notMoved
        /// The user chose the guard's own sink as the output; the guard restored the former choice.
        case choiceRestored
        /// The stream's output came back too late for an automatic resume.
        case returnedLate(output: String)
        /// The previous guard handed over this hold.
        case keptHeld
        /// The stream was held before the connection to the server ended, and is held again.
        case heldAgain
        /// The next guard has taken over this guard's holds.
        case handedOver
        /// The session manager left; without it no stream can be held.
        case managerLeft
        case managerCame
        /// The stream ended while it was held.
        case ended
        /// No priority makes the catching sink follow this output; its streams are moved as soon as it has left.
        case cannotCatch
        /// Another guard owns the server; this guard does nothing until the other one ends.
        case waiting(GuardRival)
        /// The other guard has ended.
        case tookOver
        /// The server refused or removed this guard's claim; the guard does nothing from then on. The text is untrusted.
        case claimFailed(String)
        /// The guard has the session manager remember a speaker as muted.
        case portMuted
        /// The session manager again remembers the speaker as it was before.
        case portUnmuted
        /// The session manager does not remember a speaker's mute, so the guard does not mute that speaker while headphones are in.
        case portForgotten
        /// This program's focus began: other programs are held or play quieter.
        case focusBegan(FocusHolder)
        case focusEnded
        /// Another program owns the name of the focus service on the bus; the report's name is that program's.
        case focusNameTaken
        /// That program has left, and this guard owns the name.
        case focusNameReturned
        /// The program records with this microphone instead of the headset's, which goes on playing music.
        case microphoneGiven(String)
        /// The program records with the microphone that the session manager chooses.
        case microphoneReturned
        /// The program opened the headset's microphone, and there is no other one.
        case onlyMicrophone
        /// The process has no file descriptors left for the server's messages; the guard releases its holds.
        case descriptorsRanOut
    }

    package var kind: Kind
    /// The name of a program or output; untrusted text.
    package var name: String

    package init(_ kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}

extension GuardEffect {
    static func report(_ kind: GuardReport.Kind, of program: Program) -> GuardEffect {
        .report(GuardReport(kind, name: program.name))
    }
}
