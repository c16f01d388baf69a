/// What there is to say, and the sound of it.
struct Speech: Hashable, Sendable {
    /// An utterance whose sound is not complete.
    struct Unmade: Hashable, Sendable {
        enum Progress: Hashable, Sendable {
            /// Legal exits: silent.
            case none
            /// The silence before it is in the sound, and no passage.
            ///
            /// Legal exits: sounding.
            case silent
            /// The mark of its start is set; this many passages are in the sound.
            case sounding(Int)
        }

        let item: SpeechItem
        var progress = Progress.none

        var nextPassage: Int? {
            let next = if case .sounding(let count) = progress { count } else { 0 }
            return next < item.passageCount ? next : nil
        }
    }

    /// A notice that is due when playback has passed a frame.
    struct Mark: Hashable, Sendable {
        let frame: Int64
        let notice: SpeechNotice
        let utterance: UtteranceID
    }

    var phase = SpeechMachine.Phase.speaking
    /// The utterances that are not finished, in order; the last ones have no sound yet.
    private(set) var unfinished: [UtteranceID] = []
    private(set) var unmade: [Unmade] = []
    /// Notices that are not due yet, in order.
    private(set) var marks: [Mark] = []
    /// The utterance that has started and not finished.
    private(set) var current: UtteranceID?
    /// The losses when the app last asked for sound.
    var knownLosses: UInt64
    let sound: SoundID
    /// The length of the sound.
    private(set) var made: Int64 = 0
    /// A reader has met the end of the sound: it cannot grow.
    var hasEnded = false
    var player = SpeechMachine.Player.none
    /// Where the next player begins.
    private(set) var startFrame: Int64 = 0
    /// The frame that playback has reached.
    private(set) var heard: Int64 = 0

    init(_ item: SpeechItem, knownLosses: UInt64, sound: SoundID) {
        (self.knownLosses, self.sound) = (knownLosses, sound)
        add(item)
    }

    /// The utterances that were added after a reader had reached the end of the old sound.
    init(after old: Speech, sound: SoundID) {
        (phase, unfinished, unmade, knownLosses) = (old.phase, old.unfinished, old.unmade, old.knownLosses)
        self.sound = sound
    }

    /// Whether sound is to be made now.
    var needsSound: Bool {
        guard let first = unmade.first, made - heard < SpeechMachine.framesAhead else { return false }
        return !hasEnded || first.progress != .none
    }

    /// All of the sound was played or skipped, and no player reports that.
    var isSilent: Bool {
        phase == .speaking && player == .none && made <= startFrame && (unmade.isEmpty || hasEnded)
    }

    /// The first frame of the next word, or the end; nil if it is not known yet or has been reached.
    var nextBoundary: Int64? { marks.first.flatMap { $0.frame > heard ? $0.frame : nil } }

    mutating func add(_ item: SpeechItem) {
        unfinished.append(item.id)
        unmade.append(Unmade(item: item))
    }

    // MARK: The sound grows

    /// The silence before the first unmade utterance.
    mutating func begin(_ item: SpeechItem) -> [SpeechEffect] {
        unmade[0].progress = .silent
        return appendSilence(item.framesBefore)
    }

    mutating func append(_ job: SpeechJob, _ frames: Int64, _ words: [Int64]) -> [SpeechEffect] {
        markStart()
        for (word, frame) in words.enumerated() {
            mark(.word(passage: job.passage, word: word), job.utterance, atFrame: made + frame)
        }
        unmade[0].progress = .sounding(job.passage + 1)
        made += frames
        return [.appendPassage(job)]
    }

    /// The first unmade utterance has no more passages.
    mutating func finish(_ item: SpeechItem) -> [SpeechEffect] {
        markStart()
        mark(.finished, item.id, atFrame: made)
        unmade.removeFirst()
        return appendSilence(item.framesAfter)
    }

    /// The first unmade utterance cannot be spoken to its end.
    mutating func drop(_ utterance: UtteranceID) {
        mark(.cancelled, utterance, atFrame: made)
        unmade.removeFirst()
    }

    private mutating func appendSilence(_ frames: Int64) -> [SpeechEffect] {
        guard frames > 0 else { return [] }
        made += frames
        return [.appendSilence(sound, frames: frames)]
    }

    /// Marks the start of the first unmade utterance at the current end of the sound.
    private mutating func markStart() {
        guard unmade[0].progress == .silent else { return }
        unmade[0].progress = .sounding(0)
        mark(.started, unmade[0].item.id, atFrame: made)
    }

    private mutating func mark(_ notice: SpeechNotice, _ utterance: UtteranceID, atFrame frame: Int64) {
        marks.append(Mark(frame: frame, notice: notice, utterance: utterance))
    }

    // MARK: It is played

    /// The next player begins at a frame.
    mutating func leavePlayer(_ id: PlayerID, at frame: Int64) -> [SpeechEffect] {
        player = .none
        startFrame = frame
        heard = max(heard, frame)
        return [.closePlayer(id)]
    }

    func tell(_ notice: SpeechNotice) -> [SpeechEffect] {
        guard let utterance = current ?? unfinished.first else { return [] }
        return [.tell(notice, utterance)]
    }

    /// Playback has reached a frame: tells all before it.
    mutating func tell(before frame: Int64) -> [SpeechEffect] {
        let due = marks.prefix { $0.frame < frame }
        heard = max(heard, frame)
        marks.removeFirst(due.count)
        var effects: [SpeechEffect] = []
        for mark in due {
            effects.append(.tell(mark.notice, mark.utterance))
            switch mark.notice {
            case .started: current = mark.utterance
            case .finished, .cancelled:
                current = nil
                unfinished.removeAll { $0 == mark.utterance }
                effects.append(.forget(mark.utterance))
            case .word, .paused, .continued: break
            }
        }
        return effects
    }
}
