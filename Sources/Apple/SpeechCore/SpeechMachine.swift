/// What a synthesizer speaks, how far it is, and what was asked for: a pure value.
///
/// Its owner applies what happens and carries out the effects, in order and with no lock held. One player plays while there
/// is something to say, so that a lost output between two utterances pauses speech, too.
package struct SpeechMachine: Hashable, Sendable {
    /// How far ahead of the heard frame sound is made: 20 s.
    package static let framesAhead = 20 * sampleRate
    /// In hertz.
    package static let sampleRate: Int64 = 22_050
    /// 10 ms: a player that ends this much before the end of the sound, by rounding, has played all of it.
    private static let tolerance = sampleRate / 100

    /// nil while there is nothing to say.
    private var speech: Speech?
    package private(set) var making = Making.none
    /// The last error message; the same message is not printed twice in a row.
    private var lastMessage: String?
    private var lastNumber: UInt64 = 0

    package init() {}

    // MARK: What there is

    package var isIdle: Bool { speech == nil }

    /// nil while there is nothing to say.
    package var phase: Phase? { speech?.phase }

    package var sound: SoundID? { speech?.sound }

    package var player: Player { speech?.player ?? .none }

    /// Whether an utterance is not finished.
    package var isSpeaking: Bool {
        if case .stopping = speech?.phase { return true }
        return speech?.unfinished.isEmpty == false
    }

    package var isPaused: Bool { speech?.phase == .paused || speech?.phase == .continuing }

    /// The frame after which the next notice is due.
    package var nextNoticeFrame: Int64? { isPaused ? nil : speech?.marks.first?.frame }

    /// - Returns: what its owner has to do, in order.
    package mutating func apply(_ event: SpeechEvent) -> [SpeechEffect] {
        switch event {
        case .added(let item, let losses): add(item, losses)
        case .pauseRequested(let boundary, let heard): pause(boundary, heard)
        case .continueRequested(let losses): resume(losses)
        case .stopRequested(let boundary, let heard): stop(boundary, heard)
        case .makingRequested: startMaker()
        case .makerStarted: nextJob()
        case .soundReopened(let sound, let isOpen): begin(sound, isOpen)
        case .passageSpoken(let job, let frames, let words): append(job, frames, words)
        case .passageFailed(let job, let message): drop(job, message)
        case .makerFinished: finishMaking()
        case .playerOpened(let id, let losses): start(id, losses)
        case .openingFailed(let id, let message): player == .opening(id) ? fail(message) : []
        // A pause that came between `startPlayer` and the start itself has paused nothing.
        case .playerStarted(let id): player.open == id && phase == .paused ? [.pausePlayer(id)] : []
        case .playerContinued(let id): resumed(id)
        case .continuingRefused(let id, let message): refuseToResume(id, message)
        case .playerReached(let id, let frame): advance(id, frame)
        case .playerPaused(let id, let heard): suspend(id, heard)
        case .playerEnded(let id, let frame): end(id, frame)
        case .startRefused(let id, let message), .playerFailed(let id, let message):
            player.open == id ? fail(message) : []
        }
    }

    // MARK: The app

    private mutating func add(_ item: SpeechItem, _ losses: UInt64) -> [SpeechEffect] {
        switch speech?.phase {
        case nil:
            let sound = SoundID(number: nextNumber())
            speech = Speech(item, knownLosses: losses, sound: sound)
            return [.beginSound(sound)] + startMaker()
        case .stopping(let next, let known):
            speech?.phase = .stopping(next: next + [item], losses: next.isEmpty ? losses : known)
            return []
        case .speaking, .pausing, .paused, .continuing:
            speech?.add(item)
            return startMaker()
        }
    }

    private mutating func pause(_ boundary: SpeechBoundary, _ heard: Int64?) -> [SpeechEffect] {
        guard phase == .speaking || phase == .pausing else { return [.answer(false)] }
        let told = catchUp(heard)
        guard let speech, !speech.unfinished.isEmpty else { return told + [.answer(false)] }
        if boundary == .word, let effect = setEndAtNextWord() {
            self.speech?.phase = .pausing
            return told + [effect, .answer(true)]
        }
        self.speech?.phase = .paused
        // First: an app that hears of the pause may continue at once.
        let pause = speech.player.open.map { [SpeechEffect.pausePlayer($0)] } ?? []
        return pause + told + speech.tell(.paused) + [.answer(true)]
    }

    /// Tells what was reached since the player's last report.
    private mutating func catchUp(_ heard: Int64?) -> [SpeechEffect] {
        guard let heard else { return [] }
        return speech?.tell(before: heard) ?? []
    }

    private mutating func setEndAtNextWord() -> SpeechEffect? {
        guard let id = speech?.player.open, let frame = speech?.nextBoundary else { return nil }
        speech?.player = .open(id, end: frame)
        return .setEnd(id, frame: frame)
    }

    private mutating func resume(_ losses: UInt64) -> [SpeechEffect] {
        guard let speech else { return [.answer(false)] }
        switch speech.phase {
        case .speaking, .stopping, .continuing: return [.answer(false)]
        case .pausing:
            self.speech?.phase = .speaking
            return removeEnd() + [.answer(true)]
        case .paused:
            // The app asks for sound on the current route, so earlier losses do not count.
            self.speech?.knownLosses = losses
            guard let id = speech.player.open else {
                self.speech?.phase = .speaking
                return [.answer(true)] + speech.tell(.continued) + proceed()
            }
            self.speech?.phase = .continuing
            return removeEnd() + [.continuePlayer(id, knownLosses: losses)]
        }
    }

    /// Removes the end that a pause at a word had set.
    private func removeEnd() -> [SpeechEffect] {
        guard case .open(let id, _?) = player else { return [] }
        return [.setEnd(id, frame: nil)]
    }

    private mutating func resumed(_ id: PlayerID) -> [SpeechEffect] {
        // The player's end comes first if it had little left to play.
        guard let speech, speech.player.open == id, speech.phase == .continuing else { return [.answer(true)] }
        self.speech?.phase = .speaking
        return [.answer(true)] + speech.tell(.continued)
    }

    private mutating func refuseToResume(_ id: PlayerID, _ message: String) -> [SpeechEffect] {
        guard player.open == id, phase == .continuing else { return [.answer(false)] }
        speech?.phase = .paused
        return [.say(message), .answer(false)]
    }

    private mutating func stop(_ boundary: SpeechBoundary, _ heard: Int64?) -> [SpeechEffect] {
        guard isSpeaking else { return [.answer(false)] }
        let told = isPaused ? [] : catchUp(heard)
        if boundary == .word, phase == .speaking, let effect = setEndAtNextWord() {
            speech?.phase = .stopping(next: [], losses: 0)
            return told + [effect, .answer(true)]
        }
        var dropped: [SpeechEffect] = []
        if case .stopping(let next, _) = phase {
            speech?.phase = .speaking
            dropped = next.map { .forget($0.id) }
        }
        return told + stopNow() + dropped + [.answer(true)]
    }

    /// Ends all speech; the utterance that is spoken is cancelled, the others are dropped.
    private mutating func stopNow() -> [SpeechEffect] { reset(cancelling: speech?.current.map { [$0] } ?? []) }

    private mutating func fail(_ message: String) -> [SpeechEffect] {
        [.say(message)] + reset(cancelling: speech?.unfinished ?? [])
    }

    private mutating func reset(cancelling cancelled: [UtteranceID]) -> [SpeechEffect] {
        guard let speech else { return [] }
        // What the maker is making is dropped when it is made.
        self.speech = nil
        var effects: [SpeechEffect] = [.endSound(speech.sound)]
        if let id = speech.player.open { effects.append(.closePlayer(id)) }
        effects += cancelled.map { .tell(.cancelled, $0) } + speech.unfinished.map { .forget($0) }
        if case .stopping(let next, let losses) = speech.phase {
            for item in next { effects += add(item, losses) }
        }
        return effects
    }

    // MARK: The maker

    private mutating func startMaker() -> [SpeechEffect] {
        guard making == .none, speech != nil else { return [] }
        making = .starting
        return [.startMaker]
    }

    private mutating func nextJob() -> [SpeechEffect] {
        var effects: [SpeechEffect] = []
        while let speech, speech.needsSound, let first = speech.unmade.first {
            if first.progress == .none {
                // Utterances that are added after a reader has reached the end get a sound of their own.
                making = .reopening(speech.sound)
                return effects + [.reopenSound(speech.sound)]
            }
            if let passage = first.nextPassage {
                let job = SpeechJob(sound: speech.sound, utterance: first.item.id, passage: passage)
                making = .speaking(job)
                return effects + [.speak(job)]
            }
            effects += self.speech?.finish(first.item) ?? []
        }
        making = .finishing
        if let speech, speech.unmade.isEmpty { effects.append(.closeSound(speech.sound)) }
        return effects + [.finishMaking]
    }

    /// The next utterance begins if the sound can grow.
    private mutating func begin(_ sound: SoundID, _ isOpen: Bool) -> [SpeechEffect] {
        guard let speech, speech.sound == sound, let first = speech.unmade.first else { return nextJob() }
        guard isOpen else {
            self.speech?.hasEnded = true
            return nextJob()
        }
        return (self.speech?.begin(first.item) ?? []) + nextJob()
    }

    private mutating func append(_ job: SpeechJob, _ frames: Int64, _ words: [Int64]) -> [SpeechEffect] {
        guard speech?.sound == job.sound else { return nextJob() }
        return (speech?.append(job, frames, words) ?? []) + open() + nextJob()
    }

    private mutating func drop(_ job: SpeechJob, _ message: String) -> [SpeechEffect] {
        guard speech?.sound == job.sound else { return nextJob() }
        speech?.drop(job.utterance)
        let isNew = message != lastMessage
        lastMessage = message
        return (isNew ? [.say(message)] : []) + open() + nextJob()
    }

    private mutating func finishMaking() -> [SpeechEffect] {
        making = .none
        return proceed()
    }

    // MARK: The player

    /// Opens a player of the sound that has been made, reports what no player reports, and has more sound made.
    private mutating func proceed() -> [SpeechEffect] {
        let opening = open()
        // Utterances without a word, utterances that failed, and the end of a sound that was paused at its end.
        let told = speech?.isSilent == true ? endSound() : []
        return opening + told + (speech?.needsSound == true ? startMaker() : [])
    }

    private mutating func open() -> [SpeechEffect] {
        guard let speech, speech.phase == .speaking, speech.player == .none, speech.made > speech.startFrame else {
            return []
        }
        let id = PlayerID(number: nextNumber())
        self.speech?.player = .opening(id)
        return [.openPlayer(id, speech.sound, frame: speech.startFrame)]
    }

    private mutating func start(_ id: PlayerID, _ losses: UInt64) -> [SpeechEffect] {
        guard let speech, speech.player == .opening(id) else { return [.closePlayer(id)] }
        self.speech?.player = .open(id, end: nil)
        guard speech.phase == .speaking else { return [] }
        guard losses == speech.knownLosses else {
            self.speech?.phase = .paused
            return speech.tell(.paused)
        }
        return [.startPlayer(id, knownLosses: losses)]
    }

    /// What is reached during a pause is told when speech continues.
    private mutating func advance(_ id: PlayerID, _ frame: Int64) -> [SpeechEffect] {
        guard player.open == id, !isPaused else { return [] }
        let told = catchUp(frame)
        return told + (making == .none && speech?.needsSound == true ? [.requestMaking] : [])
    }

    /// An interruption, a loss, a deactivation; also a pause of ours that was carried out behind a request to continue.
    private mutating func suspend(_ id: PlayerID, _ heard: Int64) -> [SpeechEffect] {
        guard player.open == id, !isPaused, let phase else { return [] }
        let told = catchUp(heard)
        if case .stopping = phase { return told + stopNow() }
        return told + enterPause()
    }

    /// The silence after the last utterance is not worth continuing.
    private mutating func enterPause() -> [SpeechEffect] {
        guard let speech, !speech.unfinished.isEmpty else { return stopNow() }
        self.speech?.phase = .paused
        return speech.tell(.paused)
    }

    private mutating func end(_ id: PlayerID, _ frame: Int64) -> [SpeechEffect] {
        guard let speech, case .open(id, let setEnd) = speech.player else { return [] }
        let isWhole = setEnd == nil || speech.made - frame < Self.tolerance
        let reached = isWhole ? speech.made : frame
        switch speech.phase {
        case .stopping: return catchUp(frame) + stopNow()
        case .pausing:
            let told = catchUp(frame) + enterPause()
            return told + (player.open == id ? self.speech?.leavePlayer(id, at: reached) ?? [] : [])
        case .paused: return self.speech?.leavePlayer(id, at: reached) ?? []
        case .continuing:
            self.speech?.phase = .speaking
            return speech.tell(.continued) + end(id, frame)
        case .speaking:
            if isWhole { return endSound() }
            // The end of a pause that was taken back too late: the maker's thread opens a player of the rest.
            return catchUp(frame) + (self.speech?.leavePlayer(id, at: reached) ?? []) + startMaker()
        }
    }

    /// The sound is over: utterances that were added after a reader had reached its end get one of their own.
    private mutating func endSound() -> [SpeechEffect] {
        let told = speech?.tell(before: .max) ?? []
        guard let old = speech else { return told }
        let closing = [.endSound(old.sound)] + (old.player.open.map { [SpeechEffect.closePlayer($0)] } ?? [])
        guard !old.unfinished.isEmpty else {
            speech = nil
            return told + closing
        }
        let new = Speech(after: old, sound: SoundID(number: nextNumber()))
        speech = new
        return told + closing + [.beginSound(new.sound)] + startMaker()
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
