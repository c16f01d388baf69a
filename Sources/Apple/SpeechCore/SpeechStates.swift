extension SpeechMachine {
    package enum Phase: Hashable, Sendable {
        /// Legal exits: pausing, stopping, paused, idle.
        case speaking
        /// Speaks up to the player's end, then pauses.
        ///
        /// Legal exits: paused, speaking, idle.
        case pausing
        /// Speaks up to the player's end, then stops. `next` was given after the stop was asked for, and is spoken after it.
        ///
        /// Legal exits: idle, speaking (`next`).
        case stopping(next: [SpeechItem], losses: UInt64)
        /// Legal exits: continuing, speaking, idle.
        case paused
        /// The player was asked to continue, and the session has not answered.
        ///
        /// Legal exits: speaking, paused (refused), idle.
        case continuing
    }

    package enum Player: Hashable, Sendable {
        /// Legal exits: opening.
        case none
        /// Legal exits: open, none.
        case opening(PlayerID)
        /// `end` is the newest end that it was given; it may have reached that end also after the end was taken back.
        ///
        /// Legal exits: none.
        case open(PlayerID, end: Int64?)

        package var open: PlayerID? { if case .open(let id, _) = self { id } else { nil } }
    }

    package enum Making: Hashable, Sendable {
        /// Legal exits: starting.
        case none
        /// Legal exits: reopening, speaking, finishing.
        case starting
        /// Asks whether the sound can still grow.
        ///
        /// Legal exits: speaking, finishing, reopening (another sound).
        case reopening(SoundID)
        /// Legal exits: speaking (the next passage), reopening, finishing.
        case speaking(SpeechJob)
        /// What it has to append last is not appended yet.
        ///
        /// Legal exits: none, starting, reopening, speaking.
        case finishing
    }
}
