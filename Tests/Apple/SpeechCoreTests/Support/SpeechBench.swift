import Foundation
import SpeechCore

/// An utterance of a script.
struct Text: Hashable {
    /// The words of each passage.
    var passages: [Int]
    var wordFrames: Int64 = 1_000
    var framesBefore: Int64 = 0
    var framesAfter: Int64 = 0
    /// The passage that the engine does not speak.
    var failingPassage: Int?

    static func words(_ count: Int) -> Text { Text(passages: [count]) }
    static let silent = Text(passages: [])
    static let failing = Text(passages: [2], failingPassage: 0)
    static let all = [
        words(3), silent, failing, Text(passages: [2, 2]), Text(passages: [2, 2], failingPassage: 1),
        Text(passages: [1], framesBefore: 2_000, framesAfter: 3_000),
        // Longer than what is made ahead.
        Text(passages: [15, 15], wordFrames: 22_050), Text(passages: [1, 0, 1]),
    ]
}

/// A speech machine with the sounds, the players and the session that its owner would have, and what every step must keep.
///
/// Each call of the owner's is a thread with steps to carry out: a script decides in which order the threads get on.
struct SpeechBench {
    /// What a thread does next.
    enum Step: Hashable {
        case effect(SpeechEffect)
        case event(SpeechEvent)
        /// The player was opened, and the session's losses are looked at.
        case opened(PlayerID)
        case look(PlayerID)
        case close(PlayerID)
    }

    struct Sound: Hashable {
        var frames: Int64 = 0
        var isLast = false
        /// A reader has met the end.
        var hasEnded = false
        /// How far players have come.
        var heard: Int64 = 0
        var words: [Word] = []
    }

    struct Word: Hashable {
        let utterance: UtteranceID
        let notice: SpeechNotice
        let frame: Int64
    }

    struct Player: Hashable {
        enum State: Hashable { case ready, playing, paused, ended, closed }

        let sound: SoundID
        var state = State.ready
        /// It is to be closed, and its owner does not find it any more.
        var isDropped = false
        var position: Int64
        var end: Int64?
    }

    private(set) var machine = SpeechMachine()
    /// The steps of each thread, the next one last.
    private(set) var threads: [[Step]] = []
    private(set) var events: [SpeechEvent] = []
    private(set) var effects: [[SpeechEffect]] = []
    private(set) var sounds: [SoundID: Sound] = [:]
    private(set) var players: [PlayerID: Player] = [:]
    /// Players of which the poster thread is to tell.
    private(set) var reports: [PlayerID] = []
    private(set) var losses: UInt64 = 0
    /// The session lets nothing play.
    var refuses = false
    private(set) var answers: [Bool] = []
    private(set) var told: [String] = []
    private(set) var said: [String] = []
    /// Frames that sounded, of all players.
    private(set) var soundedFrames: Int64 = 0
    private(set) var met: Set<String> = []
    var rules = SpeechRules()
    private var texts: [UtteranceID: Text] = [:]
    private var lastUtterance: UInt64 = 0

    var violations: [String] { rules.violations }
    /// The last events with their effects, for the message of a test that fails.
    var history: String {
        zip(events, effects).suffix(25).map { "\($0)\n    -> \($1)" }.joined(separator: "\n")
            .replacingOccurrences(of: "SpeechCore.", with: "")
    }
    var isSettled: Bool { threads.isEmpty && reports.isEmpty }
    var playing: [PlayerID] { players.filter { $0.value.state == .playing }.map(\.key) }
    private var openPlayer: Player? { machine.player.open.flatMap { players[$0] } }

    // MARK: The app

    @discardableResult
    mutating func add(_ text: Text) -> UtteranceID {
        lastUtterance += 1
        let id = UtteranceID(number: lastUtterance)
        texts[id] = text
        rules.added(id, text)
        let item = SpeechItem(
            id: id, passageCount: text.passages.count, framesBefore: text.framesBefore, framesAfter: text.framesAfter)
        call(.added(item, losses: losses))
        return id
    }

    mutating func pause(_ boundary: SpeechBoundary) { call(.pauseRequested(boundary, heard: openPlayer?.position)) }

    mutating func stop(_ boundary: SpeechBoundary) {
        rules.stopped()
        call(.stopRequested(boundary, heard: openPlayer?.position))
    }

    mutating func resume() { call(.continueRequested(losses: losses)) }

    private mutating func call(_ event: SpeechEvent) { threads.append(apply(event)) }

    // MARK: The world

    mutating func lose() {
        losses += 1
        interrupt()
    }

    mutating func interrupt() {
        for id in playing {
            players[id]?.state = .paused
            reports.append(id)
        }
    }

    /// The reader thread reads as far as it can.
    mutating func readAhead() {
        for player in players.values where player.state != .closed && sounds[player.sound]?.isLast == true {
            sounds[player.sound]?.hasEnded = true
        }
    }

    /// Time passes.
    mutating func play(frames: Int64) {
        for id in playing {
            guard let player = players[id], let sound = sounds[player.sound] else { continue }
            let goal = min(player.end ?? .max, sound.frames)
            let position = max(player.position, min(player.position + frames, goal))
            soundedFrames += position - player.position
            players[id]?.position = position
            sounds[player.sound]?.heard = max(sound.heard, position)
            if position == sound.frames, sound.isLast { sounds[player.sound]?.hasEnded = true }
            guard position >= player.end ?? .max || position == sound.frames && sound.isLast else { continue }
            players[id]?.state = .ended
            reports.append(id)
        }
    }

    /// The reader thread tells how far it is.
    mutating func reach() {
        guard let id = machine.player.open, let player = players[id] else { return }
        call(.playerReached(id, frame: player.position))
        guard !machine.isPaused, let sound = sounds[player.sound] else { return }
        for word in sound.words where word.frame < player.position { rules.expectTold(word.utterance, word.notice) }
    }

    /// The poster thread tells of a player.
    mutating func report() {
        guard !reports.isEmpty else { return }
        if let event = event(of: reports.removeFirst()) { call(event) }
    }

    private func event(of id: PlayerID) -> SpeechEvent? {
        guard let player = players[id], !player.isDropped else { return nil }
        return switch player.state {
        case .ready, .playing, .closed: nil
        case .paused: .playerPaused(id, heard: player.position)
        case .ended: .playerEnded(id, frame: player.position)
        }
    }

    mutating func fail(_ message: String) {
        if let id = machine.player.open { call(.playerFailed(id, message: message)) }
    }

    // MARK: Threads

    /// One step of a thread.
    mutating func step(_ thread: Int) {
        guard let step = threads[thread].popLast() else {
            threads.remove(at: thread)
            return
        }
        let next = carryOut(step)
        threads[thread] += next
    }

    /// All threads, the newest first, until nothing is to do.
    mutating func settle() {
        runAll()
        rules.settled(machine, playing: playing)
    }

    private mutating func runAll() {
        while !isSettled {
            while !threads.isEmpty { step(threads.count - 1) }
            report()
        }
    }

    private mutating func carryOut(_ step: Step) -> [Step] {
        switch step {
        case .effect(let effect): return carryOut(effect)
        case .event(let event): return apply(event)
        case .opened(let id): return apply(.playerOpened(id, losses: losses))
        case .look(let id): return event(of: id).map { apply($0) } ?? []
        case .close(let id): players[id]?.state = .closed
        }
        return []
    }

    /// - Returns: the effects, the first one last.
    private mutating func apply(_ event: SpeechEvent) -> [Step] {
        let effects = machine.apply(event)
        events.append(event)
        self.effects.append(effects)
        for effect in effects {
            met.insert(String("\(effect)".prefix { $0 != "(" }))
            // In the order in which it was decided: `NoticeOrder`.
            switch effect {
            case .tell(let notice, let id):
                told.append("\(id.number) \(name(notice))")
                rules.told(notice, id)
                checkHeard(notice, id)
            case .forget(let id): rules.forgotten(id)
            case .beginSound(let id): sounds[id] = Sound()
            case .closePlayer(let id): players[id]?.isDropped = true
            case .answer(let answer): answers.append(answer)
            default: break
            }
        }
        return effects.reversed().map { .effect($0) }
    }

    private func name(_ notice: SpeechNotice) -> String {
        if case .word(let passage, let word) = notice { "\(passage).\(word)" } else { "\(notice)" }
    }

    /// A word is told when it sounds, not before.
    private mutating func checkHeard(_ notice: SpeechNotice, _ id: UtteranceID) {
        for sound in sounds.values {
            for word in sound.words where word.utterance == id && word.notice == notice && word.frame >= sound.heard {
                rules.violations.append("\(id.number) \(name(notice)) is told before it sounds")
            }
        }
    }

    private mutating func carryOut(_ effect: SpeechEffect) -> [Step] {
        switch effect {
        case .answer, .tell, .forget, .beginSound, .endSound: break
        case .say(let message): said.append(message)
        case .startMaker: threads.append([.event(.makerStarted)])
        case .requestMaking: threads.append([.event(.makingRequested)])
        case .reopenSound(let id):
            if sounds[id]?.hasEnded == false { sounds[id]?.isLast = false }
            return [.event(.soundReopened(id, isOpen: sounds[id]?.hasEnded == false))]
        case .closeSound(let id): sounds[id]?.isLast = true
        case .appendSilence(let id, let frames): grow(id, frames)
        case .appendPassage(let job): append(job)
        case .speak(let job): return [.event(speak(job))]
        case .finishMaking: return [.event(.makerFinished)]
        case .openPlayer(let id, let sound, let frame):
            rules.opened(atFrame: frame, heard: sounds[sound]?.heard ?? 0)
            players[id] = Player(sound: sound, position: frame)
            return [.opened(id)]
        case .startPlayer(let id, let known):
            return play(id, known, .playerStarted(id)) { .startRefused(id, message: $0) }
        case .continuePlayer(let id, let known):
            return [.look(id)] + play(id, known, .playerContinued(id)) { .continuingRefused(id, message: $0) }
        case .pausePlayer(let id):
            guard players[id]?.state == .playing else { break }
            players[id]?.state = .paused
            reports.append(id)
        case .setEnd(let id, let frame): players[id]?.end = frame
        case .closePlayer(let id): threads.append([.close(id)])
        }
        return []
    }

    private mutating func play(
        _ id: PlayerID, _ known: UInt64, _ event: SpeechEvent, _ refused: (String) -> SpeechEvent
    ) -> [Step] {
        guard let player = players[id], !player.isDropped else { return [] }
        // It would begin its sound again.
        if player.state == .ended { return [.event(event), .look(id)] }
        if refuses { return [.event(refused("a call"))] }
        players[id]?.state = known == losses ? .playing : .paused
        if known != losses { reports.append(id) }
        return [.event(event)]
    }

    private mutating func speak(_ job: SpeechJob) -> SpeechEvent {
        guard let text = texts[job.utterance], text.failingPassage != job.passage else {
            return .passageFailed(job, message: "no voice")
        }
        let words = (0..<text.passages[job.passage]).map { Int64($0) * text.wordFrames }
        return .passageSpoken(job, frames: Int64(words.count) * text.wordFrames, words: words)
    }

    private mutating func append(_ job: SpeechJob) {
        guard let text = texts[job.utterance], let start = sounds[job.sound]?.frames else { return }
        for word in 0..<text.passages[job.passage] {
            sounds[job.sound]?.words.append(
                Word(
                    utterance: job.utterance, notice: .word(passage: job.passage, word: word),
                    frame: start + Int64(word) * text.wordFrames))
        }
        grow(job.sound, Int64(text.passages[job.passage]) * text.wordFrames)
    }

    private mutating func grow(_ sound: SoundID, _ frames: Int64) {
        if sounds[sound]?.hasEnded == true, machine.sound == sound {
            rules.violations.append("sound \(sound.number) grows behind its end")
        }
        sounds[sound]?.frames += frames
    }
}
