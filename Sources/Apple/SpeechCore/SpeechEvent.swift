/// Names one utterance of a synthesizer.
package struct UtteranceID: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) { self.number = number }
}

/// Names the sound of the utterances from when there is something to say until a player has played all that was made.
package struct SoundID: Hashable, Sendable {
    package let number: UInt64
}

/// Names one player of a sound.
package struct PlayerID: Hashable, Sendable {
    package let number: UInt64
}

/// What the machine knows of an utterance; frames are those of the sound.
package struct SpeechItem: Hashable, Sendable {
    package var id: UtteranceID
    /// The engine speaks one passage at a time.
    package var passageCount: Int
    /// Of silence before and after the utterance.
    package var framesBefore: Int64
    package var framesAfter: Int64

    package init(id: UtteranceID, passageCount: Int, framesBefore: Int64, framesAfter: Int64) {
        self.id = id
        self.passageCount = passageCount
        self.framesBefore = framesBefore
        self.framesAfter = framesAfter
    }
}

/// A passage that the engine is asked for.
package struct SpeechJob: Hashable, Sendable {
    package let sound: SoundID
    package let utterance: UtteranceID
    /// The number of the passage in its utterance.
    package let passage: Int
}

/// When speech pauses or stops.
package enum SpeechBoundary: Hashable, Sendable {
    case immediate
    /// Before the next word.
    case word
}

/// What happened to the speech of a synthesizer.
///
/// `losses` is the session's count of lost outputs when the event happened. `heard` is the frame of the sound that the player
/// has reached; nil without a player.
package enum SpeechEvent: Hashable, Sendable {
    // The app
    case added(SpeechItem, losses: UInt64)
    case pauseRequested(SpeechBoundary, heard: Int64?)
    case continueRequested(losses: UInt64)
    case stopRequested(SpeechBoundary, heard: Int64?)

    // The maker: the one thread that asks the engine and appends to the sound
    /// More sound may be needed, and no maker was there to be asked.
    case makingRequested
    case makerStarted
    /// The answer to `reopenSound`.
    case soundReopened(SoundID, isOpen: Bool)
    /// - words: the first frame of each word, from the start of the passage.
    case passageSpoken(SpeechJob, frames: Int64, words: [Int64])
    case passageFailed(SpeechJob, message: String)
    case makerFinished

    // The player
    case playerOpened(PlayerID, losses: UInt64)
    case openingFailed(PlayerID, message: String)
    /// `startPlayer` was carried out.
    case playerStarted(PlayerID)
    case startRefused(PlayerID, message: String)
    /// `continuePlayer` was carried out.
    case playerContinued(PlayerID)
    case continuingRefused(PlayerID, message: String)
    /// Playback has reached a frame.
    case playerReached(PlayerID, frame: Int64)
    /// The session has paused it, or a pause of ours came later than the request to continue after it.
    case playerPaused(PlayerID, heard: Int64)
    /// At the end of the sound, or at the end that `setEnd` had set.
    case playerEnded(PlayerID, frame: Int64)
    case playerFailed(PlayerID, message: String)
}

/// What an app is told of an utterance.
package enum SpeechNotice: Hashable, Sendable {
    case started, finished, paused, continued, cancelled
    case word(passage: Int, word: Int)
}

/// What the owner of a `SpeechMachine` has to do, in this order.
package enum SpeechEffect: Hashable, Sendable {
    // The app
    /// The call that made the request returns this.
    case answer(Bool)
    case tell(SpeechNotice, UtteranceID)
    /// No effect names the utterance from now on.
    case forget(UtteranceID)
    /// Print an error message.
    case say(String)

    // The sound
    case beginSound(SoundID)
    /// No effect names the sound from now on that comes of a later event.
    case endSound(SoundID)

    // The maker. Only one at a time: these come of its events only, except the first two
    /// Start the maker: `makerStarted`.
    case startMaker
    /// Say `makingRequested` on another thread.
    case requestMaking
    /// A reader that has read everything waits for more; done with `soundReopened`.
    case reopenSound(SoundID)
    /// A reader that has read everything is at the end.
    case closeSound(SoundID)
    case appendSilence(SoundID, frames: Int64)
    /// Append what was spoken last.
    case appendPassage(SpeechJob)
    /// Done with `passageSpoken` or `passageFailed`.
    case speak(SpeechJob)
    /// Done with `makerFinished`.
    case finishMaking

    // The player
    /// Done with `playerOpened` or `openingFailed`.
    case openPlayer(PlayerID, SoundID, frame: Int64)
    /// Done with `playerStarted` or `startRefused`; if an output has left since, the player is paused.
    case startPlayer(PlayerID, knownLosses: UInt64)
    /// Done with `playerContinued` or `continuingRefused`, and then, if the session has paused it by then, `playerPaused`.
    case continuePlayer(PlayerID, knownLosses: UInt64)
    case pausePlayer(PlayerID)
    /// nil: the end of the sound.
    case setEnd(PlayerID, frame: Int64?)
    case closePlayer(PlayerID)
}
